import type { Problem } from '@tilemark/kernels';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from '../statistics/summary';
import {
  bufferSetsFor,
  longDispatch,
  MAX_BUFFER_SETS,
  nextDispatches,
  shortestSampleNs,
} from './calibrate';
import { POLICIES } from './policy';

const MiB = 2 ** 20;
const square = (n: number): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});

describe('bufferSetsFor', () => {
  it.each([
    ['twice a known cache', 1024, 200 * MiB, 34],
    ['256 MiB where the cache is unknown', 512, null, 86],
    ['what 1 ms of new pairs takes', 1024, 50 * MiB, 22],
    ['as far as that fits into 512 MiB', 2048, 50 * MiB, 10],
    ['no more pairs than 1 ms has launches', 512, 1 * MiB, 24],
    ['three sets that are larger than that', 4096, 50 * MiB, 3],
    ['two where three are too large', 8192, 50 * MiB, 2],
    ['one that is very large', 16_384, 50 * MiB, 1],
    ['no more sets than a launch is worth', 16, 50 * MiB, MAX_BUFFER_SETS],
  ])('covers %s', (_what, n, cache, sets) => {
    expect(bufferSetsFor(square(n), cache)).toBe(sets);
  });
});

describe('shortestSampleNs', () => {
  it('is 1 ms, or 200 ticks of a coarse clock', () => {
    const { default: policy } = POLICIES;
    expect(shortestSampleNs(policy, { kind: 'timestamp', tickNs: 32 })).toBe(1e6);
    expect(shortestSampleNs(policy, { kind: 'timestamp', tickNs: 10_000 })).toBe(2e6);
  });

  it('has a hundred steps of a clock that a browser rounds, whatever the policy', () => {
    const timer = { kind: 'timestamp', tickNs: 100_000 } as const;
    expect(shortestSampleNs(POLICIES.smoke, timer)).toBe(10e6);
    expect(shortestSampleNs(POLICIES.smoke, { ...timer, tickNs: 1_000 })).toBe(0);
  });
});

describe('nextDispatches', () => {
  it('stays where the sample is long enough', () => {
    expect(nextDispatches(7, 1e6, 1e6)).toBe(7);
  });

  it('grows to what reaches the target, at most four times', () => {
    expect(nextDispatches(10, 5e5, 1e6)).toBe(24);
    expect(nextDispatches(10, 1e3, 1e6)).toBe(40);
    expect(nextDispatches(10, 0, 1e6)).toBe(40);
  });

  it('stays under 1 s, even for a clock so coarse that it asks for more', () => {
    expect(nextDispatches(1, 0.4e9, 3e9)).toBe(2);
    expect(nextDispatches(2, 0.8e9, 3e9)).toBe(2);
    expect(nextDispatches(1, 1.5e9, 3e9)).toBe(1);
    expect(nextDispatches(1, 0.1e9, 3e9, 0.25e9)).toBe(2);
  });

  it('reaches the target for any kernel time, or ends at its limit', async () => {
    await fc.assert(
      fc.property(fc.double({ min: 0.1, max: 1e10, noNaN: true }), (kernelNs) => {
        let dispatches = 1;
        for (let probe = 0; probe < 12; probe++) {
          dispatches = nextDispatches(dispatches, kernelNs * dispatches, 1e6);
        }
        expect(dispatches === 65_536 || kernelNs * dispatches >= 1e6).toBe(true);
      }),
    );
  });
});

it('says how long a dispatch takes where that is over 1 s', () => {
  expect(longDispatch({ cold: summarise([2.84e9, 2.85e9, 2.86e9]) })).toContain('2.9 s (over 1 s)');
  expect(longDispatch({ cold: summarise([1e9, 1e9, 1e9]) })).toBeNull();
});
