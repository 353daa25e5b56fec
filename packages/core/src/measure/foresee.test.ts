import { type Executor, opOf, type Prepared, type Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { PLAIN_WEBGPU } from './device';
import { tooLong } from './foresee';

const LONGEST_NS = 0.25e9;
const square = (n: number): Problem => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' });

/** A device of so many operations per second; `longestNs` is the longest dispatch it was given. */
function deviceOf(flopsPerSecond: number) {
  let longestNs = 0;
  const prepare = async (_: unknown, problem: Problem) => {
    const ns = (opOf(problem).flops(problem.shape) / flopsPerSecond) * 1e9;
    const sample = async () => {
      longestNs = Math.max(longestNs, ns);
      return { ns, wallNs: ns };
    };
    return { sample, destroy: () => {} } as unknown as Prepared;
  };
  const executor = { prepare } as unknown as Executor;
  const variant = { kernel: 'matmul/naive', tunables: {} };
  return {
    foresee: (n: number) => tooLong(executor, variant, square(n), PLAIN_WEBGPU, LONGEST_NS),
    longestNs: () => longestNs,
  };
}

it('lets through what is short, without trying what is as large', async () => {
  const { foresee, longestNs } = deviceOf(1e12);
  expect(await foresee(4096)).toBeNull();
  expect(longestNs()).toBeLessThan((2 * 4096 ** 3) / 1e3);
  expect(await deviceOf(1e9).foresee(64)).toBeNull();
});

it.each([1e8, 1e9, 1e10])(
  'tells what would be too long at %d/s, and never tries it',
  async (rate) => {
    const { foresee, longestNs } = deviceOf(rate);
    const seconds = ((2 * 4096 ** 3) / rate).toPrecision(2);
    expect(await foresee(4096)).toContain(`about ${seconds} s`);
    expect(longestNs()).toBeLessThanOrEqual(LONGEST_NS);
  },
);
