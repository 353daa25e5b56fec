import { expect, it } from 'vitest';
import { METHODOLOGY_VERSION, type Measurement } from '../measure/outcome';
import { METRICS, metricsOf } from './metrics';

const series = {
  n: 40,
  medianNs: 200,
  lowNs: 199,
  highNs: 201,
  minNs: 190,
  q1Ns: 195,
  q3Ns: 205,
  cv: 0.01,
  independent: 35,
  samplesNs: [],
};
const verification = { method: 'whole', worstRatio: 0, checked: 1, ns: 1 } as const;
const measurement: Measurement = {
  methodologyVersion: METHODOLOGY_VERSION,
  policy: 'default',
  timer: { kind: 'timestamp', tickNs: 1 },
  dispatchesPerSample: 1,
  bufferSets: 1,
  cold: series,
  hot: { ...series, medianNs: 150 },
  compileNs: 4,
  transfer: { hostToDeviceNs: 5, deviceToHostNs: 6 },
  stop: 'converged',
  discarded: [],
  verification: {
    before: verification,
    after: verification,
    seed: 1,
    dispatches: 2,
    rms: 3.5,
    freshRatio: null,
    ns: 1,
  },
  roof: { ns: 50, bound: 'compute' },
  energy: {
    source: 'nvml',
    idleW: 70,
    stretches: [
      { dispatches: 100, ns: 5e9, joules: 1_500 },
      { dispatches: 100, ns: 5e9, joules: 1_510 },
      { dispatches: 100, ns: 4e9, joules: 1_530 },
    ],
  },
  unranked: null,
};
const problem = { op: 'matmul', shape: { m: 10, n: 10, k: 10 }, dtype: 'f32' } as const;

/** What a result of the API has at a path. */
const at = (path: string): unknown =>
  path.split('.').reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], {
    outcome: { measurement },
    rate: { value: 10, unit: 'GFLOP/s' },
  });

it.each(METRICS.filter(({ field }) => field !== null))('$id is read from $field', (metric) => {
  expect(metric.read(measurement, problem)).toBe(at(metric.field ?? ''));
});

it('derives the part of the roof', () => {
  const share = METRICS.find(({ id }) => id === 'roofShare');
  expect(share?.read(measurement, problem)).toBe(0.25);
  expect(share?.read({ ...measurement, roof: null }, problem)).toBeNull();
});

it('derives energy from the stretches', () => {
  const read = (name: string, of = measurement) =>
    METRICS.find(({ id }) => id === name)?.read(of, problem);
  // 2,000 FLOP in 15.1 J.
  expect(read('perJoule')).toBeCloseTo(2e-6 / 15.1, 12);
  expect(read('perJoule', { ...measurement, energy: null })).toBeNull();
});

it('names each metric and its column once', () => {
  for (const names of [METRICS.map(({ id }) => id), METRICS.map(({ csv }) => csv)]) {
    expect(new Set<string>(names).size).toBe(METRICS.length);
  }
  expect(metricsOf('board', ['rate']).map(({ id }) => id)).not.toContain('rate');
});

it('shows no hot series of a result that is not believed', () => {
  const hot = METRICS.find(({ id }) => id === 'hotMedianNs');
  const read = (disbelieved: boolean) => hot?.read({ ...measurement, disbelieved }, problem);
  expect([read(false), read(true)]).toEqual([150, null]);
});

it('says whether bits repeat, where that is known', () => {
  const repeatable = METRICS.find(({ id }) => id === 'repeatable');
  const read = (isRepeatable: boolean | undefined) =>
    repeatable?.read(
      {
        ...measurement,
        verification: {
          ...measurement.verification,
          ...(isRepeatable !== undefined && { isRepeatable }),
        },
      },
      problem,
    );
  expect([true, false, undefined].map(read)).toEqual(['yes', 'not repeatable', null]);
});
