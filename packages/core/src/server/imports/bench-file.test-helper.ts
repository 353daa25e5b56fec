import type { BenchFile, Result } from '../../api/api';
import { deviceKey } from '../../measure/hardware';
import type { Measurement, Outcome } from '../../measure/outcome';
import { environment, identity, measured, square } from '../store/fixtures.test-helper';

/** Files of `tilemark bench --json`, and who brings them, for tests of the import. */

/** A measurement as the procedure makes it, of so many samples. */
export const series = (medianNs: number, samples?: number): Outcome =>
  measured(medianNs, samples === undefined ? {} : { samples });

export function withMeasurement(medianNs: number, over: Partial<Measurement>): Outcome {
  const outcome = measured(medianNs);
  if (outcome.kind !== 'measured') throw new TypeError('not measured');
  return { ...outcome, measurement: { ...outcome.measurement, ...over } };
}

export const key = deviceKey(identity('Bench box'));
export const result = (over: Partial<Result> = {}): Result => ({
  runId: 'local',
  resultId: null,
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
  address: 'whatever the file says',
  problem: square(64),
  device: { key, name: 'Bench box', class: 'gpu' },
  profile: 'default',
  policy: 'default',
  outcome: series(1e6),
  rate: null,
  ...over,
});
export const file = (results: Result[]): BenchFile => ({
  version: 1,
  environment: environment('Bench box'),
  environments: [],
  results,
});
export const importer = { name: 'reviewer', role: 'admin' } as const;
export const member = { name: 'reviewer', role: 'member' } as const;
