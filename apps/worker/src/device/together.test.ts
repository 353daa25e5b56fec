import { expect, it } from 'vitest';
import { measureTogether, type Took, togetherText } from './together';

/** Cards that take `beside` times as long while another one is at work. */
function cards(beside: number) {
  let atWork = 0;
  const log: string[] = [];
  const measure = async (card: string): Promise<Took> => {
    atWork++;
    log.push(`${card} begins`);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const dispatchNs = 1e6 * (atWork > 1 ? beside : 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    atWork--;
    log.push(`${card} ends`);
    return { dispatchNs, runNs: 2 * dispatchNs };
  };
  return { log, measure };
}

it('measures each card by itself, then all at once', async () => {
  const { log, measure } = cards(1.25);
  const measured = await measureTogether(['a', 'b'], measure);
  expect(log.slice(4)).toEqual([
    'a begins',
    'a ends',
    'b begins',
    'b ends',
    'a begins',
    'b begins',
    'a ends',
    'b ends',
  ]);
  expect(measured).toMatchObject([
    { card: 'a', alone: { dispatchNs: 1e6 }, beside: { dispatchNs: 1.25e6 } },
    { card: 'b', alone: { dispatchNs: 1e6 }, beside: { dispatchNs: 1.25e6 } },
  ]);
  expect(togetherText(measured)).toEqual({
    text: 'a takes 1.25 times as long for a dispatch, 1.25 times for a run; b takes 1.25 times as long for a dispatch, 1.25 times for a run',
    isCostly: true,
  });
});

it('is free where a dispatch takes as long as alone, whatever the host takes', async () => {
  const { measure } = cards(1.02);
  const measured = await measureTogether(['a', 'b'], measure);
  expect(togetherText(measured).isCostly).toBe(false);
});
