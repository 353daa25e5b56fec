import { describe, expect, it } from 'vitest';
import { summarise } from '../statistics/summary';
import { POLICIES } from './policy';
import { rankability, unrankedReason } from './trust';

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

  it.each([
    [{ roof: { ns: 1.1e6, bound: 'compute' } as const }, true],
    [{ freshRatio: 3 }, true],
    [{ hot: { medianNs: 3e6 } }, true],
    [{ stop: 'throttled' } as const, false],
    [{ policy: POLICIES.smoke, freshRatio: 3 }, false],
  ])('tells times that are not those of the work from others: %j', (change, disbelieved) => {
    expect(rankability({ ...steady, ...change })).toEqual({
      unranked: expect.any(String),
      disbelieved,
    });
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
