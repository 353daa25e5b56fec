import { describe, expect, test } from 'vitest';
import {
  declaredDifferent,
  headlines,
  NOISE_NAMES,
  rankStability,
  seriesCoverage,
  tied,
  unmirrored,
  unsettled,
} from './statistics-scenarios';

// A cut of `npm run bench:statistics`, whose seeds are fixed: the bounds are those that nominal 95%
// should keep, 93 to 97%, and two standard errors of so many trials.

describe('the 95% interval of a series', () => {
  const TRIALS = 400;
  const SLACK = 2 * Math.sqrt((0.95 * 0.05) / TRIALS);
  const of = (noise: (typeof NOISE_NAMES)[number], sampleMs: number) =>
    seriesCoverage({ noise, level: 'steady', cv: 0.02, sampleMs }, TRIALS, 3);

  test.each(NOISE_NAMES)('contains its level 95 times in 100 under %s noise', (noise) => {
    for (const sampleMs of [2, 250]) {
      expect(of(noise, sampleMs)).toBeGreaterThan(0.93 - SLACK);
      expect(of(noise, sampleMs)).toBeLessThan(0.97 + SLACK);
    }
  });

  test('is said not to be settled where its samples remember more than it shows', () => {
    const of = (noise: 'iid' | 'AR(1) 0.99') =>
      unsettled({ noise, level: 'steady', cv: 0.02, sampleMs: 250 }, 200, 3);
    expect(of('AR(1) 0.99')).toBeGreaterThan(0.8);
    expect(of('iid')).toBe(0);
  });
});

describe('the 95% interval of a headline', () => {
  const TRIALS = 200;
  const SLACK = 2 * Math.sqrt((0.95 * 0.05) / TRIALS);

  test('contains the level of a device that is known to vary by 0.3% between invocations', () => {
    const scenario = { noise: 'iid', level: 'between-run 0.3%', cv: 0.005, sampleMs: 20 } as const;
    const known = { relative: 0.003, variants: 40, invocations: 3 };
    for (const { covered } of headlines(scenario, known, TRIALS, 5)) {
      expect(covered).toBeGreaterThan(0.93 - SLACK);
      expect(covered).toBeLessThan(0.97 + SLACK);
    }
  });

  test.each(['between-run 1%', 'between-run 3%'] as const)(
    'leaves equal variants together where nothing is known of a device with %s',
    (level) => {
      const scenario = { noise: 'iid', level, cv: 0.005, sampleMs: 20 } as const;
      for (const { apart } of headlines(scenario, 'gpu', TRIALS, 5)) {
        expect(apart).toBeLessThanOrEqual(0.05 + SLACK);
      }
    },
  );
});

test.each(['machine 7%', 'machine 20%', 'machine 37%'] as const)(
  'equal variants of a device that shares its processors stay together on a %s',
  (level) => {
    const scenario = { noise: 'iid', level, cv: 0.02, sampleMs: 20 } as const;
    for (const { apart } of headlines(scenario, 'software', 200, 5)) {
      expect(apart).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / 200));
    }
  },
);

test('equal variants stay together on a device whose processes run in one of two modes', () => {
  const scenario = { noise: 'iid', level: 'two modes 3%', cv: 0.005, sampleMs: 20 } as const;
  for (const { apart } of headlines(scenario, 'gpu', 100, 5, [5, 10, 20])) {
    expect(apart).toBeLessThanOrEqual(0.05 + 2 * Math.sqrt((0.05 * 0.95) / 100));
  }
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

test('a mirror has the mirrored verdict, and who is FAST against another ranks before it', () => {
  expect(unmirrored(2_000, 3)).toBe(0);
  expect(tied(2_000, 3)).toBe(0);
});

test('more runs do not give a better place, and one 3% slower is behind', () => {
  const scenario = { noise: 'iid', level: 'between-run 0.3%', cv: 0.005, sampleMs: 50 } as const;
  const { joined, split, splitByBest } = rankStability(scenario, 60, 11);
  expect(split).toBeLessThanOrEqual(0.05);
  expect(joined).toBeLessThanOrEqual(0.05);
  expect(splitByBest).toBeGreaterThan(0.5);
});
