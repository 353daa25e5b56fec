import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { batched } from './batched';

const options = { gatherMs: 5, isOutage: (error: unknown) => error === 'down' };

/** Doubles numbers, and notes which came together; waits before it answers. */
function doubling(refused: (items: readonly number[]) => unknown = () => null) {
  const batches: number[][] = [];
  const work = async (items: readonly number[]): Promise<(number | Error)[]> => {
    batches.push([...items]);
    await sleep(5);
    const reason = refused(items);
    if (reason !== null) throw reason;
    return items.map((item) => (item < 0 ? new Error(`${item} is refused`) : 2 * item));
  };
  return { batches, work };
}

it('serves together who calls while a batch is under way, in their order', async () => {
  const { batches, work } = doubling();
  const double = batched(work, options);
  const first = double(1);
  await sleep(2);
  const rest = [2, 3, 4].map(double);
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

it('refuses one item alone', async () => {
  const { batches, work } = doubling();
  const double = batched(work, options);
  const answers = await Promise.allSettled([1, -2, 3].map(double));
  expect(answers).toEqual([
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: new Error('-2 is refused') },
    { status: 'fulfilled', value: 6 },
  ]);
  expect(batches).toEqual([[1, -2, 3]]);
});

it('tries each item by itself when a batch fails, so that one that fails it harms no other', async () => {
  const bad = new Error('2 breaks the statement');
  const { batches, work } = doubling((items) => (items.includes(2) ? bad : null));
  const double = batched(work, options);
  const answers = await Promise.allSettled([1, 2, 3].map(double));
  expect(answers).toEqual([
    { status: 'fulfilled', value: 2 },
    { status: 'rejected', reason: bad },
    { status: 'fulfilled', value: 6 },
  ]);
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(await double(5)).toBe(10);
});

it('asks a service that is down once more, and not for every item', async () => {
  const { batches, work } = doubling(() => 'down');
  const double = batched(work, options);
  const answers = await Promise.allSettled([1, 2, 3].map(double));
  expect(answers).toEqual(answers.map(() => ({ status: 'rejected', reason: 'down' })));
  expect(batches).toEqual([[1, 2, 3], [1]]);
});

it('never puts two items with one key into a batch', async () => {
  const { batches, work } = doubling();
  const double = batched(work, { ...options, keyOf: (item) => String(item % 10) });
  expect(await Promise.all([1, 2, 11, 21, 3].map(double))).toEqual([2, 4, 22, 42, 6]);
  expect(batches).toEqual([[1, 2, 3], [11], [21]]);
});
