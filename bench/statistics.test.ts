import { describe, expect, test } from 'vitest';
import {
  declaredDifferent,
  headlineCoverage,
  NOISE_NAMES,
  rankStability,
  seriesCoverage,
} from './statistics-scenarios';

// A cut of `npm run bench:statistics`, whose seeds are fixed: the bounds are those that nominal 95%
// should keep, 93 to 97%, and two standard errors of so many trials.

describe('the 95% interval of a series', () => {
  const TRIALS = 400;
  const SLACK = 2 * Math.sqrt((0.95 * 0.05) / TRIALS);
  test.each(NOISE_NAMES)('contains its level 95 times in 100 under %s noise', (noise) => {
    const covered = seriesCoverage({ noise, level: 'steady', cv: 0.02, sampleMs: 2 }, TRIALS, 3);
    expect(covered).toBeGreaterThan(0.93 - SLACK);
    expect(covered).toBeLessThan(0.97 + SLACK);
  });
});

describe('the 95% interval of a headline', () => {
  const TRIALS = 300;
  const SLACK = 2 * Math.sqrt((0.95 * 0.05) / TRIALS);
  const of = (level: 'between-run 0.3%' | 'drift 1%/min', invocations: number) =>
    headlineCoverage({ noise: 'iid', level, cv: 0.005, sampleMs: 20 }, invocations, TRIALS, 5);

  test('contains the level of a device whose invocations differ by 0.3%', () => {
    for (const invocations of [1, 5]) {
      expect(of('between-run 0.3%', invocations)).toBeGreaterThan(0.93 - SLACK);
      expect(of('between-run 0.3%', invocations)).toBeLessThan(0.97 + SLACK);
    }
  });

  test('contains the level of a device that drifts by 1% per minute', () => {
    expect(of('drift 1%/min', 1)).toBeGreaterThan(0.93);
    expect(of('drift 1%/min', 5)).toBeGreaterThan(0.93 - SLACK);
  });
});

describe('a verdict', () => {
  const scenario = { noise: 'iid', cv: 0.005, sampleMs: 20 } as const;

  test.each(['steady', 'between-run 0.3%', 'drift 1%/min'] as const)(
    'calls equal kernels different at most 5 times in 100 (%s)',
    (level) => {
      expect(declaredDifferent({ ...scenario, level }, 1, 100, 7).ours).toBeLessThanOrEqual(0.05);
    },
  );

  test('is as careful where medians are hardly known, and finds what is far apart', () => {
    const noisy = { noise: 'AR(1) 0.9', level: 'steady', cv: 0.3, sampleMs: 20 } as const;
    expect(declaredDifferent(noisy, 1, 300, 7).ours).toBeLessThanOrEqual(0.05);
    expect(declaredDifferent(noisy, 2, 100, 7).ours).toBeGreaterThan(0.9);
  });

  test.each([0.005, 0.02, 0.05])('finds 2% as often as nvbench does, at CV %d', (cv) => {
    const { noise, ours } = declaredDifferent(
      { ...scenario, level: 'steady', cv, sampleMs: 5 },
      1.02,
      40,
      7,
    );
    expect(ours).toBeGreaterThanOrEqual(noise);
    expect(ours).toBeGreaterThan(0.9);
  });
});

test('more runs do not give a better place, and one 3% slower is behind', () => {
  const scenario = { noise: 'iid', level: 'between-run 0.3%', cv: 0.005, sampleMs: 50 } as const;
  const { joined, split, splitByBest } = rankStability(scenario, 60, 11);
  expect(split).toBeLessThanOrEqual(0.05);
  expect(joined).toBeLessThanOrEqual(0.05);
  expect(splitByBest).toBeGreaterThan(0.5);
});
