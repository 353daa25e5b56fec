import { describe, expect, it } from 'vitest';
import { POLICIES } from './policy';
import { summarise } from './stats';
import { outlierOf, unrankedReason } from './trust';

const spread = [98, 99, 100, 101, 102];

it.each([
  ['six deviations slower', 106, spread, { deviations: 6, medianNs: 100, others: 5 }],
  ['six deviations faster', 94, spread, { deviations: -6, medianNs: 100, others: 5 }],
  ['five deviations', 105, spread, null],
  ['beside too few others', 200, spread.slice(1), null],
  ['within 0.5% of others without spread', 100.5, [100, 100, 100, 100, 100], null],
  ['beyond 0.5% of them', 101, [100, 100, 100, 100, 100], { deviations: 10 }],
])('a result %s', (_what, medianNs, others, expected) => {
  const found = outlierOf(medianNs, others);
  if (expected) expect(found).toMatchObject(expected);
  else expect(found).toBeNull();
});

describe('unrankedReason', () => {
  const steady = {
    kernel: { id: 'matmul/tiled' },
    policy: POLICIES.default,
    timer: { kind: 'timestamp', tickNs: 32 },
    deviceClass: 'gpu',
    cold: summarise(Array.from({ length: 30 }, () => 1e6)),
    dispatchesPerSample: 1,
    stop: 'converged',
    roof: { ns: 0.96e6, bound: 'compute' },
  } as const;
  const wild = summarise(Array.from({ length: 30 }, (_, i) => 1e6 * (i % 2 ? 1.1 : 1)));

  it('ranks a converged result', () => {
    expect(unrankedReason(steady)).toBeNull();
  });

  it.each([
    [{ policy: POLICIES.smoke }, /smoke policy/],
    [{ timer: { kind: 'wall', tickNs: 1 } as const }, /wall clock/],
    [
      { cold: summarise(Array(9).fill(2e9)), stop: 'capped' } as const,
      /^only 9 samples; .* at least 10/,
    ],
    [{ stop: 'throttled' } as const, /throttled/],
    [
      { cold: wild, stop: 'capped' } as const,
      /known to ±4\.8%, and ranked from ±2\.0%: that takes about 1 s of samples/,
    ],
    [{ cold: { ...wild, lowNs: 0, highNs: 500e6 } }, /±\d+\.0%, .*: its samples vary too much/],
    [{ cold: { ...wild, lowNs: Number.NaN } }, /^its samples are too few/],
    [
      { roof: { ns: 1.1e6, bound: 'bandwidth' } as const },
      /implausible: 10\.0% faster than the band/,
    ],
    [
      { kernel: { id: 'matmul/strassen', errorGrowth: 3 } },
      /strassen is allowed 3 times the usual/,
    ],
  ])('says why not for %j', (change, why) => {
    expect(unrankedReason({ ...steady, ...change })).toMatch(why);
  });

  it('ranks a median known to 2%, whatever the CV', () => {
    const noisy = { ...steady.cold, cv: 0.3, lowNs: 0.985e6, highNs: 1.019e6 };
    expect(unrankedReason({ ...steady, cold: noisy, stop: 'noisy' })).toBeNull();
  });

  it('ranks the wall clock of the host CPU', () => {
    const host = { timer: { kind: 'wall', tickNs: 1 }, deviceClass: 'cpu' } as const;
    expect(unrankedReason({ ...steady, ...host })).toBeNull();
  });
});
