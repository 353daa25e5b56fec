import { expect, test } from 'vitest';
import { expectWait, pacePolling } from './polling';

const node = globalThis as unknown as { setImmediate: (turn: () => void) => void };

/** Turns of a wait of so long, ms, that asks in each. */
function turnsOf(ms: number): Promise<number> {
  const beganMs = performance.now();
  let turns = 0;
  return new Promise((resolve) => {
    const ask = () => {
      turns++;
      if (performance.now() - beganMs > ms) resolve(turns);
      else node.setImmediate(ask);
    };
    node.setImmediate(ask);
  });
}

test('turns that wait are paced: few ask within a long wait, hardly any while nothing is expected', async () => {
  pacePolling();
  // Each pause is 1/64 of the wait so far or longer, from 1.28 ms on; before that, 20 us.
  const most = 64 * Math.log(300 / 1.28) + 1.28 / 0.02 + 2;
  expect(await turnsOf(300)).toBeLessThan(most);
  expectWait(performance.now() * 1e6, 40e6);
  // 30 ms in pauses of 1 ms, and the rest.
  expect(await turnsOf(30)).toBeLessThan(35);
});

test('a turn gets what it is called with', async () => {
  pacePolling();
  const given = await new Promise((resolve) => setImmediate(resolve, 7));
  expect(given).toBe(7);
});
