import { describe, expect, it } from 'vitest';
import { summarise } from '../statistics/summary';
import { POLICIES } from './policy';
import { outlierOf, timeToNarrow, unrankedReason } from './trust';

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
      { cold: summarise(Array.from({ length: 60 }, (_, i) => (i < 25 ? 1e6 : 1.02e6))) },
      /^not settled: its samples depend/,
    ],
    [{ cold: { ...wild, lowNs: Number.NaN } }, /^its samples are too few/],
    [
      { roof: { ns: 1.1e6, bound: 'bandwidth' } as const },
      /implausible: 10\.0% faster than the band/,
    ],
    [
      { kernel: { id: 'matmul/strassen', errorGrowth: 3 } },
      /strassen is allowed 3 times the usual/,
    ],
    [{ problem: { regime: 'large' } } as const, /^on request: its inputs are large values$/],
    [
      { problem: { epilogue: 'bias-relu' } } as const,
      /^an epilogue \(bias, then relu\): products alone are ranked$/,
    ],
  ])('says why not for %j', (change, why) => {
    expect(unrankedReason({ ...steady, ...change })).toMatch(why);
  });

  it('names the load of a machine that may be why, and of no other', () => {
    const late = { ...steady, freshRatio: 2.4 };
    expect(unrankedReason({ ...late, othersLoad: 0.1 })).toMatch(
      /^it keeps results: .* it has seen$/,
    );
    expect(unrankedReason({ ...late, othersLoad: 0.6 })).toMatch(
      /2\.4 times as long .*; other work took 60% of the machine's processors: its load is why/,
    );
  });

  it('ranks whatever the CV and the width: the place of a wide interval is that of its slow end', () => {
    const noisy = { ...steady.cold, cv: 0.3, lowNs: 0.5e6, highNs: 1.9e6 };
    expect(unrankedReason({ ...steady, cold: noisy, stop: 'capped' })).toBeNull();
  });

  it.each(['software', 'cpu'] as const)('ranks beyond a roof that %s shares', (deviceClass) => {
    const beyond = { deviceClass, roof: { ns: 3e6, bound: 'compute' } } as const;
    expect(unrankedReason({ ...steady, ...beyond })).toBeNull();
  });

  it('ranks the wall clock of the host CPU', () => {
    const host = { timer: { kind: 'wall', tickNs: 1 }, deviceClass: 'cpu' } as const;
    expect(unrankedReason({ ...steady, ...host })).toBeNull();
  });
});

it('says how long an interval would take to narrow, where that is worth it', () => {
  const series = (highNs: number) => ({
    cold: { ...summarise(Array.from({ length: 50 }, () => 100e6)), highNs },
    dispatchesPerSample: 2,
  });
  // 10 s of samples for 4%, so four times as many for 2%.
  expect(timeToNarrow(series(104e6), 0.02)).toBe('40 s');
  expect(timeToNarrow(series(120e6), 0.02)).toBe('17 min');
  expect(timeToNarrow(series(102e6), 0.02)).toBeNull();
  expect(timeToNarrow(series(200e6), 0.02)).toBeNull();
});
