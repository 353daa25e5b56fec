import type { Problem } from '@tilemark/kernels';
import type { DeviceCapabilities, DeviceClass, DeviceIdentity } from '../../device';
import type { Environment } from '../../environment';
import { METHODOLOGY_VERSION, type Measurement, type Outcome, type Series } from '../../outcome';
import type { PlannedRun } from '../../planned-run';
import type { SweepSpec } from '../../spec';
import type { RecordedRun, Store } from '../store';

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

export const planned = (deviceKey: string, over: Partial<PlannedRun> = {}): PlannedRun => ({
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
  address: 'matmul/tiled[TILE=16]',
  problem: square(64),
  profile: 'default',
  policy: 'default',
  deviceKey,
  ...over,
});

export const kernelRun = (deviceKey: string, kernel: string, problem = square(64)): PlannedRun =>
  planned(deviceKey, { variant: { kernel, tunables: {} }, address: kernel, problem });

const series = (medianNs: number, halfWidth: number, samples: number): Series => ({
  n: samples,
  medianNs,
  lowNs: medianNs * (1 - halfWidth),
  highNs: medianNs * (1 + halfWidth),
  minNs: medianNs * 0.99,
  q1Ns: medianNs * 0.995,
  q3Ns: medianNs * 1.005,
  cv: 0.01,
  samplesNs: Array.from({ length: samples }, (_, at) => medianNs * (1 + ((at % 3) - 1) / 100)),
});

const verification = { method: 'whole', worstRatio: 0.1, checked: 4_096, ns: 1 } as const;

export const measured = (
  medianNs: number,
  {
    unranked = null,
    halfWidth = 0.005,
    roof = null,
    samples = 3,
  }: { halfWidth?: number; samples?: number } & Partial<
    Pick<Measurement, 'unranked' | 'roof'>
  > = {},
): Outcome => ({
  kind: 'measured',
  measurement: {
    methodologyVersion: METHODOLOGY_VERSION,
    policy: 'default',
    timer: { kind: 'timestamp', tickNs: 1 },
    dispatchesPerSample: 1,
    bufferSets: 2,
    cold: series(medianNs, halfWidth, samples),
    hot: series(medianNs * 0.9, halfWidth, samples),
    compileNs: 1e6,
    transfer: { hostToDeviceNs: null, deviceToHostNs: 1e6 },
    stop: 'converged',
    discarded: [],
    verification: { before: verification, after: verification },
    roof,
    unranked,
  },
});

export const failed: Outcome = { kind: 'failed', stage: 'device', message: 'the device was lost' };

let clockMs = Date.parse('2026-11-21T12:00:00Z');

export const recorded = (
  runId: string,
  workerId: string,
  outcome: Outcome,
  device = 'One',
): RecordedRun => {
  clockMs += 1_000;
  return {
    runId,
    workerId,
    environment: environment(device),
    wgsl: '@compute @workgroup_size(16, 16) fn main() {}',
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
export async function sweepOf(store: Store, runs: readonly PlannedRun[]) {
  const made = await store.sweeps.create({
    name: 'test',
    suite: null,
    spec,
    runs,
    createdBy: 'tester',
  });
  return { id: made.sweep.id, runIds: made.runs.map((run) => run.id), ...made };
}

/** Records one run of each given kernel at a time on a device, in a sweep of their own. */
export async function recordAll(
  store: Store,
  deviceKey: string,
  workerId: string,
  entries: readonly (readonly [PlannedRun, Outcome])[],
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
