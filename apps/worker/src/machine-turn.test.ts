import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { withMachineLock } from './machine-lock';
import { MachineTurn } from './machine-turn';

const path = join(tmpdir(), `tilemark-turn-${randomUUID()}`);
afterEach(() => rm(`${path}.lock`, { recursive: true, force: true }));

/** Takes two short pieces of work, while another process would wait for the machine. */
async function twoPieces(turn: MachineTurn): Promise<string[]> {
  const order: string[] = [];
  const piece = async () => {
    order.push('mine');
    await sleep(100);
  };
  await turn.take(piece);
  const other = withMachineLock(async () => void order.push('theirs'), { path });
  await sleep(100);
  await turn.take(piece);
  await turn.end();
  await other;
  return order;
}

it('keeps the machine from one piece of work to the next, and leaves it at the end', async () => {
  const turn = new MachineTurn({ path });
  expect(await twoPieces(turn)).toEqual(['mine', 'mine', 'theirs']);
});

it('lets others come in between once it has lasted long enough', async () => {
  const turn = new MachineTurn({ path, turnMs: 50 });
  expect(await twoPieces(turn)).toEqual(['mine', 'theirs', 'mine']);
});

it('waits for the machine, says so, and keeps it after work that failed', async () => {
  const turn = new MachineTurn({ path });
  let waits = 0;
  const other = withMachineLock(() => sleep(200, 'theirs'), { path });
  await sleep(50);
  const failing = turn.take(() => Promise.reject(new Error('no')), { onWait: () => waits++ });
  await expect(failing).rejects.toThrow('no');
  expect(waits).toBe(1);
  await other;
  expect(await turn.take(async () => 'mine', { onWait: () => waits++ })).toBe('mine');
  expect(waits).toBe(1);
  await turn.end();
});
