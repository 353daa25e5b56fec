import { expect, it } from 'vitest';
import { OtherSide } from './other-side';

const program = (text: string) => [process.execPath, '-e', text] as const;

it('gives up a side that is silent, and says so', async () => {
  const side = new OtherSide('the rival', program('setInterval(() => {}, 1000)'), 300);
  expect(await side.measure({})).toBeNull();
  expect(side.absence).toBe('the rival was not measured: it was silent for 0.005 minutes');
  expect(await side.measure({})).toBeNull();
});

it('takes the answer of one that is not', async () => {
  const answer = JSON.stringify({ medianNs: 1 });
  const echo = `process.stdin.once('data', () => console.log(${JSON.stringify(answer)}))`;
  const side = new OtherSide('the rival', program(echo), 5000);
  expect(await side.measure({})).toEqual({ medianNs: 1 });
  side.close();
});
