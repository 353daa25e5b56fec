import { expect, test } from 'vitest';
import { expectWait, pacePolling } from './polling';

const node = globalThis as unknown as { setImmediate: (turn: () => void) => void };

/** Turns of a wait of at least so long, ms, that asks in each, and how long it was. */
function turnsOf(ms: number): Promise<{ turns: number; tookMs: number }> {
  const beganMs = performance.now();
  let turns = 0;
  return new Promise((resolve) => {
    const ask = () => {
      turns++;
      const tookMs = performance.now() - beganMs;
      if (tookMs > ms) resolve({ turns, tookMs });
      else node.setImmediate(ask);
    };
    node.setImmediate(ask);
  });
}

test('turns that wait are paced: few ask within a long wait, hardly any while nothing is expected', async () => {
  pacePolling();
  // A pause is 20 us at first, from 1.28 ms on 1/64 of the wait so far, and from 64 ms on 1 ms.
  const { turns, tookMs } = await turnsOf(300);
  expect(turns).toBeLessThan(1.28 / 0.02 + 64 * Math.log(64 / 1.28) + (tookMs - 64) + 2);
  expectWait(performance.now() * 1e6, 40e6);
  // 30 ms in pauses of 1 ms, and the rest.
  expect((await turnsOf(30)).turns).toBeLessThan(35);
});

test('a turn gets what it is called with', async () => {
  pacePolling();
  const given = await new Promise((resolve) => setImmediate(resolve, 7));
  expect(given).toBe(7);
});
