import { describe, expect, test } from 'vitest';
import type { Result } from '../../api/api';
import { deviceKey } from '../../measure/hardware';
import type { Measurement } from '../../measure/outcome';
import { summarise } from '../../statistics/summary';
import { attach, environment, identity, measured } from '../store/fixtures.test-helper';
import { testStore } from '../store/store.test-helper';
import { file, importer, member, result, series, withMeasurement } from './bench-file.test-helper';
import { importResults } from './import';

const { store } = await testStore();

describe('what a file says of its own results is worked out again', () => {
  const imported = async (over: Partial<Result>) => {
    const { id } = await importResults({ store }, file([result(over)]), importer);
    const { items } = await store.sweeps.results(id);
    return items[0];
  };
  const measurementOf = (each: Result | undefined) => {
    if (each?.outcome?.kind !== 'measured') throw new TypeError('not measured');
    return each.outcome.measurement;
  };

  test('whether it is ranked: not with few samples or another clock, but with noise', async () => {
    expect(
      measurementOf(await imported({ outcome: measured(500e6, { samples: 9 }) })).unranked,
    ).toMatch(/^only 9 samples/);
    const noisy = measured(6e6, { halfWidth: 0.1 });
    expect(measurementOf(await imported({ outcome: noisy })).unranked).toBeNull();
    const wall = withMeasurement(7e6, { timer: { kind: 'wall', tickNs: 1 } });
    expect(measurementOf(await imported({ outcome: wall })).unranked).toMatch(/wall clock/);
  });

  test('when it was measured, where the file says', async () => {
    const endedAt = '2026-01-02T03:04:05.000Z';
    expect((await imported({ endedAt, outcome: series(8e6) }))?.endedAt).toBe(endedAt);
  });
});

describe('a result that a member brings', () => {
  const brought = async (device: string, medianNs: number) => {
    const of = { key: deviceKey(identity(device)), name: device, class: 'gpu' } as const;
    const { id } = await importResults(
      { store },
      {
        ...file([result({ device: of, outcome: series(medianNs) })]),
        environment: environment(device),
      },
      member,
    );
    const outcome = (await store.sweeps.results(id)).items[0]?.outcome;
    return outcome?.kind === 'measured' ? outcome.measurement.unranked : 'not measured';
  };

  test('is ranked under the roof that the grid has measured, and not above it', async () => {
    const { deviceKey: surveyed, workerId } = await attach(store, 'Surveyed');
    // 2 * 64^3 operations: 524 ns at this peak.
    const survey = {
      copies: [{ bytes: 2 ** 20, gigabytesPerSecond: 1_000 }],
      peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 1_000 }],
    };
    await store.rooflines.record({ deviceKey: surveyed, profile: 'default', workerId, survey });
    expect(await brought('Surveyed', 1_000)).toBeNull();
    expect(await brought('Surveyed', 100)).toMatch(/^implausible: .* faster than the compute/);
  });
});

const measuredWith = (over: Partial<Measurement>) => [
  result({ outcome: withMeasurement(1e6, { cold: summarise([1e6]), ...over }) }),
];
const wrong = { method: 'whole', worstRatio: 1.01, checked: 1, ns: 1 } as const;
const right = { ...wrong, worstRatio: 1 };
const proof = { seed: 1, dispatches: 2, rms: 0, freshRatio: null, ns: 1 };
const at = 'results[0].outcome.measurement';

test.each([
  [
    `${at}.verification.before.worstRatio`,
    { verification: { ...proof, before: wrong, after: right } },
  ],
  [
    `${at}.verification.after.worstRatio`,
    { verification: { ...proof, before: right, after: wrong } },
  ],
  [`${at}.stop`, { stop: 'quick' }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [] } }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [5e-324] } }],
  [`${at}.cold.samplesNs`, { cold: { ...summarise([1]), samplesNs: [1e308, 1.7e308] } }],
  [`${at}.hot.samplesNs`, { hot: { ...summarise([1]), samplesNs: [] } }],
] as [string, Partial<Measurement>][])('%s that cannot be is refused: %j', async (field, over) => {
  await expect(importResults({ store }, file(measuredWith(over)), importer)).rejects.toMatchObject({
    name: 'InputError',
    field,
  });
});

test('results of contributed kernels are refused, with why and what to do', async () => {
  const variant = { kernel: 'local/mine@0a1b2c3d', tunables: {} };
  await expect(
    importResults({ store }, file([result(), result({ variant })]), importer),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^local\/mine@0a1b2c3d is .* cannot be imported: .*submit/),
    field: 'results[1].variant.kernel',
  });
});
