import { requestWholeDevice } from '@tilemark/core';
import {
  createGpuExecutor,
  DTYPES,
  type Engine,
  idsOf,
  kernelById,
  type Problem,
} from '@tilemark/kernels';

/** What the verifier said of a problem's naive kernel in a runtime; bundled for it, so without Node. */
export interface Verified {
  readonly problem: string;
  /** Why its output is wrong; null: it is right. */
  readonly fault: string | null;
  /** Elements that were wrong before the kernel ran at all. */
  readonly unwritten: number;
  /** In roundoffs. */
  readonly rms: number;
}

const PROBLEMS: readonly Problem[] = [
  ...idsOf(DTYPES).map((dtype): Problem => {
    return { op: 'matmul', shape: { m: 9, n: 12, k: 64 }, dtype };
  }),
  { op: 'matmul', shape: { b: 2, m: 5, n: 7, k: 9 }, dtype: 'f16', epilogue: 'bias-gelu' },
  ...(['f32', 'i32', 'f16'] as const).map((dtype): Problem => {
    return { op: 'transpose', shape: { rows: 9, cols: 12 }, dtype };
  }),
];

/** Fills, runs, and verifies every dtype on the adapter that a runtime has, in every regime. */
export async function verifyEverything(gpu: GPU, engine: Engine): Promise<Verified[]> {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('this runtime has no adapter');
  const device = await adapter.requestDevice({
    requiredFeatures: ['shader-f16'],
    requiredLimits: {
      maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
      maxBufferSize: adapter.limits.maxBufferSize,
    },
  });
  const executor = await createGpuExecutor(device, { engine });
  const verified: Verified[] = [];
  for (const problem of PROBLEMS) {
    const variant = { kernel: `${problem.op}/naive`, tunables: {} };
    const prepared = await executor.prepare(variant, problem, { seed: 3, bufferSets: 1 });
    await prepared.poison('nan');
    const { beyond: unwritten } = await prepared.verify([0]);
    await prepared.sample({ dispatches: 1, rotate: false });
    const usual = await prepared.verify([0]);
    const regimes = await prepared.verifyRegimes();
    await prepared.audit();
    const wrong = [usual, ...regimes.map(({ verdict }) => verdict)].find(({ worst }) => worst);
    verified.push({
      problem: `${problem.op} ${problem.dtype}${problem.epilogue ? ` ${problem.epilogue}` : ''}`,
      fault: wrong ? (wrong.reason ?? JSON.stringify(wrong.worst)) : null,
      unwritten,
      rms: usual.rms,
    });
    prepared.destroy();
  }
  executor.destroy();
  device.destroy();
  return verified;
}

/** Kernels with loops that are written out for naga; those of larger tiles take a software device minutes to compile. */
const WRITTEN_OUT = [
  ...['matmul/tiled', 'matmul/tiled-wpt', 'matmul/register-tile', 'matmul/split-k'],
  ...['transpose/multi-row', 'transpose/vec4', 'transpose/swizzled', 'transpose/pitched'],
];

const UNEVEN: Readonly<Record<Problem['op'], Problem>> = {
  matmul: { op: 'matmul', shape: { m: 71, n: 76, k: 68 }, dtype: 'f32' },
  transpose: { op: 'transpose', shape: { rows: 71, cols: 77 }, dtype: 'f32' },
};

/** Why the outputs of these kernels are wrong on shapes that no tile divides; null: they are right. */
export async function verifyKernels(
  gpu: GPU,
  engine: Engine,
): Promise<Readonly<Record<string, string | null>>> {
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw new Error('this runtime has no adapter');
  const { device } = await requestWholeDevice(adapter, gpu);
  const executor = await createGpuExecutor(device, { engine });
  const faults: Record<string, string | null> = {};
  for (const id of WRITTEN_OUT) {
    const variant = { kernel: id, tunables: {} };
    const problem = UNEVEN[kernelById(id).op];
    const prepared = await executor.prepare(variant, problem, { seed: 5, bufferSets: 1 });
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    const { reason, worst } = await prepared.verify([0]);
    faults[id] = worst && (reason ?? JSON.stringify(worst));
    prepared.destroy();
  }
  executor.destroy();
  device.destroy();
  return faults;
}
