import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { lockMachine, MachineTurn, withMachineLock } from './machine-lock';

const path = join(tmpdir(), `tilemark-lock-${randomUUID()}`);
afterEach(() => rm(`${path}.lock`, { recursive: true, force: true }));

it('lets one at a time do its work', async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await sleep(50);
    inside--;
  };
  await Promise.all([1, 2, 3].map(() => withMachineLock(work, { path })));
  expect(most).toBe(1);
});

it('is free again after work that failed', async () => {
  const failing = withMachineLock(() => Promise.reject(new Error('no')), { path });
  await expect(failing).rejects.toThrow('no');
  await expect(withMachineLock(async () => 'yes', { path })).resolves.toBe('yes');
});

it('tells once that it waits, and lets whoever waits come before whoever had a turn', async () => {
  const order: string[] = [];
  let waits = 0;
  const turns = async (name: string, count: number) => {
    for (let turn = 0; turn < count; turn++) {
      await withMachineLock(
        async () => {
          order.push(name);
          await sleep(20);
        },
        { path, onWait: () => waits++ },
      );
    }
  };
  await Promise.all([turns('a', 3), turns('b', 3)]);
  expect(order.join('')).toMatch(/^(ab){3}$|^(ba){3}$/);
  expect(waits).toBeLessThanOrEqual(6);
});

it('stops waiting when aborted, without having worked', async () => {
  const release = await lockMachine({ path });
  let worked = false;
  const abort = new AbortController();
  const waiting = withMachineLock(
    async () => {
      worked = true;
    },
    { path, signal: abort.signal },
  );
  await sleep(50);
  abort.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  expect(worked).toBe(false);
  await release();
});

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
