import { KERNELS, type Problem, resolveVariant, sourceFor } from '@tilemark/kernels';
import type { RunOutcome, RunSpec } from '../../api/run';
import {
  type DeviceCapabilities,
  type DeviceClass,
  type DeviceIdentity,
  type Environment,
  engineOf,
  type Profile,
} from '../../measure/device';
import { deviceKey } from '../../measure/hardware';
import { METHODOLOGY_VERSION, type Measurement, type Outcome } from '../../measure/outcome';
import { POLICIES, type PolicyId } from '../../measure/policy';
import type { SweepSpec } from '../../plan/spec';
import { type Series, summarise } from '../../statistics/summary';

import type { Store } from './store';

/** Devices, runs and outcomes for tests of the store. */

export const capabilities: DeviceCapabilities = {
  features: ['timestamp-query'],
  maxComputeInvocationsPerWorkgroup: 1_024,
  maxComputeWorkgroupSizeX: 1_024,
  maxComputeWorkgroupSizeY: 1_024,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 32_768,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 30,
};

export const identity = (device: string, kind: DeviceClass = 'gpu'): DeviceIdentity => ({
  vendor: 'acme',
  architecture: 'anvil',
  device,
  backend: 'vulkan',
  runtime: 'dawn',
  class: kind,
});

export const environment = (device: string): Environment => ({
  device: identity(device),
  capabilities,
  profile: 'default',
  driver: '1.2.3',
  toggles: { enabled: [], disabled: [] },
  runtimeVersions: { node: '20.19.0' },
  os: 'linux',
  cpu: { model: 'test', cores: 2 },
  memoryBytes: 2 ** 30,
  tilemarkVersion: '0.1.0',
});

export const square = (n: number): Problem => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});

export const spec: SweepSpec = {
  cases: [
    { kernel: 'matmul/tiled', tunables: {}, shapes: [{ m: 64, n: 64, k: 64 }], dtypes: ['f32'] },
  ],
  profiles: ['default'],
  policy: 'default',
};

export const planned = (deviceKey: string, over: Partial<RunSpec> = {}): RunSpec => ({
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
  address: 'matmul/tiled[TILE=16]',
  problem: square(64),
  profile: 'default',
  policy: 'default',
  deviceKey,
  ...over,
});

export const kernelRun = (deviceKey: string, kernel: string, problem = square(64)): RunSpec =>
  planned(deviceKey, { variant: { kernel, tunables: {} }, address: kernel, problem });

/** Numbers between -1 and 1 that do not depend on each other, the same for the same seed. */
export function noise(n: number, seed = 1): number[] {
  let state = seed;
  // Park and Miller's minimal standard generator, whose first numbers follow the seed.
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 1_073_741_823.5 - 1;
  };
  for (let skipped = 0; skipped < 10; skipped++) next();
  return Array.from({ length: n }, next);
}

/** Where samples lie beside the median: two fifths below, two fifths above, in no order. */
const SIDES = Array.from({ length: 64 }, (_, at) => (37 * at + 11) % 64).map((at) =>
  at < 26 ? -1 : at < 38 ? 0 : 1,
);

/** As the procedure makes it: whole ticks in each pass, and the figures of the samples. */
const series = (medianNs: number, dispatches: number, halfWidth: number, samples: number): Series =>
  summarise(
    Array.from(
      { length: samples },
      (_, at) =>
        Math.max(Math.round(medianNs * dispatches * (1 + (SIDES[at % 64] ?? 0) * halfWidth)), 1) /
        dispatches,
    ),
  );

const verification = { method: 'whole', worstRatio: 0.1, checked: 1, ns: 1 } as const;

/** What `measured` says of how it was proved. */
const proof = { seed: 1, dispatches: 2, rms: 1, freshRatio: null, ns: 1 };

/** Passes of this length reach the policy's least time with 64 samples, ns. */
const PASS_NS = 10e6;

export const measured = (
  medianNs: number,
  {
    unranked = null,
    disbelieved = false,
    halfWidth = 0.003,
    roof = null,
    policy = 'default',
    samples,
  }: { halfWidth?: number; samples?: number } & Partial<
    Pick<Measurement, 'unranked' | 'disbelieved' | 'roof' | 'policy'>
  > = {},
): Outcome => {
  const { hot, minTotalNs, rankable } = POLICIES[policy as PolicyId];
  const dispatches = rankable ? Math.min(Math.ceil(PASS_NS / medianNs), 65_536) : 1;
  const n = samples ?? (rankable ? 64 : 5);
  const cold = series(medianNs, dispatches, halfWidth, n);
  const isEnough = n >= 50 && n * dispatches * medianNs >= minTotalNs;
  const converged = isEnough && halfWidth <= 0.005 ? 'converged' : 'capped';
  return {
    kind: 'measured',
    measurement: {
      methodologyVersion: METHODOLOGY_VERSION,
      policy,
      timer: { kind: 'timestamp', tickNs: 1 },
      dispatchesPerSample: dispatches,
      bufferSets: 2,
      cold,
      hot: hot ? series(medianNs * 0.9, dispatches, halfWidth, n) : null,
      compileNs: 1e6,
      transfer: { hostToDeviceNs: null, deviceToHostNs: 1e6 },
      stop: rankable ? converged : 'quick',
      discarded: [],
      verification: { before: verification, after: verification, ...proof },
      roof,
      unranked,
      disbelieved,
    },
  };
};

export const failed: Outcome = { kind: 'failed', stage: 'device', message: 'the device was lost' };

let clockMs = Date.parse('2026-11-21T12:00:00Z');

/** What the runs of `sweepOf` are, by id. */
const plannedRuns = new Map<string, RunSpec>();

/** The environment of a device by its key, which is made of its identity. */
function environmentOn(key: string, profile: Profile): Environment {
  const [vendor = '', device = '', backend = '', runtime = ''] = key.split('-');
  return {
    ...environment(device),
    device: { vendor, architecture: '', device, backend, runtime, class: 'gpu' },
    profile,
  };
}

/** What this release runs; a made-up shader for variants that it does not have. */
function sourceOf({ deviceKey: key, variant, problem }: RunSpec): string | null {
  if (!KERNELS.some(({ id }) => id === variant.kernel)) return '// of another release';
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const engine = engineOf(key.split('-').at(-1) ?? '') ?? 'tint';
  return definition.runsOn === 'gpu' ? sourceFor(definition, tunables, problem, engine) : null;
}

/** What a worker hands in for a run of `sweepOf`; else for a `planned` one of the device of this name. */
export const recorded = (
  runId: string,
  workerId: string,
  outcome: Outcome,
  device = 'One',
): RunOutcome => {
  clockMs += 1_000;
  const named = environment(device);
  const key = deviceKey(named.device);
  const run = plannedRuns.get(runId) ?? planned(key);
  return {
    runId,
    workerId,
    environment:
      run.deviceKey === key
        ? { ...named, profile: run.profile }
        : environmentOn(run.deviceKey, run.profile),
    wgsl: sourceOf(run),
    outcome,
    endedAt: new Date(clockMs).toISOString(),
  };
};

export const attach = (store: Store, device = 'One', name = 'w1', kind: DeviceClass = 'gpu') =>
  store.workers.attach({
    name,
    host: 'lab',
    version: '0.1.0',
    identity: identity(device, kind),
    capabilities,
  });

/** A sweep of the given runs; the ids come in their order. */
export async function sweepOf(
  store: Store,
  runs: readonly RunSpec[],
  createdById: string | null = null,
) {
  const made = await store.sweeps.create({
    name: 'test',
    suite: null,
    spec,
    runs,
    createdById,
    createdBy: 'tester',
  });
  const runIds = made.runs.map((run) => run.id);
  for (const [index, run] of runs.entries()) plannedRuns.set(runIds[index] ?? '', run);
  return { id: made.sweep.id, runIds, ...made };
}

/** Records one run of each given kernel at a time on a device, in a sweep of their own. */
export async function recordAll(
  store: Store,
  deviceKey: string,
  workerId: string,
  entries: readonly (readonly [RunSpec, Outcome])[],
) {
  const { runIds } = await sweepOf(
    store,
    entries.map(([run]) => run),
  );
  for (const [index, [, outcome]] of entries.entries()) {
    await store.runs.record(recorded(runIds[index] ?? '', workerId, outcome, deviceKey));
  }
  return runIds;
}
