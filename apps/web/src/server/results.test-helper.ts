import {
  METHODOLOGY_VERSION,
  type MeasuredRun,
  type Measurement,
  type Outcome,
  type Result,
  type RunShown,
  runShown,
} from '@tilemark/core';
import { variantAddress } from '@tilemark/kernels';

let runs = 0;

/** A run as the API gives it, for tests. */
export function run(over: Partial<Result> = {}): Result {
  runs += 1;
  const variant = over.variant ?? { kernel: 'matmul/tiled', tunables: { TILE: 16 } };
  return {
    runId: `run-${runs}`,
    resultId: `result-${runs}`,
    variant,
    address: variantAddress(variant),
    problem: { op: 'matmul', shape: { m: 512, n: 512, k: 512 }, dtype: 'f32' },
    device: { key: 'a', name: 'A', class: 'gpu' },
    profile: 'default',
    policy: 'default',
    outcome: null,
    rate: null,
    ...over,
  };
}

/** What a sweep's page is given of such a run. */
const view = (over: Partial<Result> = {}): RunShown => runShown(run(over));

/** Such a run that took so long. */
export const measuredRun = (medianNs: number, over: Partial<Result> = {}): MeasuredRun =>
  view({ ...over, outcome: measured(medianNs) }) as MeasuredRun;

/** A measured outcome with five samples around a median. */
export function measured(
  medianNs: number,
  over: Partial<Measurement> = {},
): Outcome & { kind: 'measured' } {
  const verification = { method: 'whole', worstRatio: 0.01, checked: 1, ns: 1 } as const;
  return {
    kind: 'measured',
    measurement: {
      methodologyVersion: METHODOLOGY_VERSION,
      policy: 'default',
      timer: { kind: 'timestamp', tickNs: 1 },
      dispatchesPerSample: 1,
      bufferSets: 1,
      cold: {
        n: 5,
        medianNs,
        lowNs: medianNs * 0.99,
        highNs: medianNs * 1.01,
        minNs: medianNs * 0.98,
        q1Ns: medianNs * 0.99,
        q3Ns: medianNs * 1.01,
        cv: 0.01,
        independent: 5,
        samplesNs: [0.98, 0.99, 1, 1.01, 1.02].map((factor) => factor * medianNs),
      },
      hot: null,
      compileNs: 1,
      transfer: { hostToDeviceNs: null, deviceToHostNs: 1 },
      stop: 'converged',
      discarded: [],
      verification: {
        before: verification,
        after: verification,
        seed: 1,
        dispatches: 5,
        rms: 0,
        freshRatio: 1,
        ns: 1,
      },
      unranked: null,
      ...over,
    },
  };
}
