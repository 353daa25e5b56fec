import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { lockMachine, withMachineLock } from './machine-lock';
import { MachineTurn } from './machine-turn';

const path = join(tmpdir(), `tilemark-turn-${randomUUID()}`);
afterEach(() => rm(`${path}.lock`, { recursive: true, force: true }));

/** Takes two pieces of work, while from the first to the last another process would wait. */
async function twoPieces(turn: MachineTurn, first: () => Promise<void>): Promise<string[]> {
  const order: string[] = [];
  await turn.take(first).catch(() => order.push('failed'));
  const other = withMachineLock(async () => void order.push('theirs'), { path });
  await sleep(100);
  await turn.take(async () => void order.push('mine'));
  await turn.end();
  await other;
  return order;
}

it('keeps the machine from one piece of work to the next, and leaves it at the end', async () => {
  const turn = new MachineTurn({ path, turnMs: 60_000 });
  expect(await twoPieces(turn, async () => {})).toEqual(['mine', 'theirs']);
});

it('keeps it also after work that failed', async () => {
  const turn = new MachineTurn({ path, turnMs: 60_000 });
  const failing = () => Promise.reject(new Error('no'));
  expect(await twoPieces(turn, failing)).toEqual(['failed', 'mine', 'theirs']);
});

it('lets others come in between once it has lasted long enough', async () => {
  const turn = new MachineTurn({ path, turnMs: 50 });
  expect(await twoPieces(turn, async () => {})).toEqual(['theirs', 'mine']);
});

it('waits for the machine, and says so once', async () => {
  const turn = new MachineTurn({ path, turnMs: 60_000 });
  const order: string[] = [];
  const release = await lockMachine({ path });
  const released = sleep(200).then(() => {
    order.push('theirs');
    return release();
  });
  let waits = 0;
  for (const name of ['mine', 'mine again']) {
    await turn.take(async () => void order.push(name), { onWait: () => waits++ });
  }
  await turn.end();
  await released;
  expect(order).toEqual(['theirs', 'mine', 'mine again']);
  expect(waits).toBe(1);
});
