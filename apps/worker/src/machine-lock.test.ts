import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { lockMachine, withMachineLock } from './machine-lock';

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
