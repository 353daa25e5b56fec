import { InputError } from './errors';
import type { Kernel } from './kernel';
import { naiveGlobal as matmulNaiveGlobal } from './matmul/00-naive-global';
import { naive as matmulNaive } from './matmul/01-naive';
import { tiled as matmulTiled } from './matmul/02-tiled';
import { tiledWpt as matmulTiledWpt } from './matmul/03-tiled-wpt';
import { subgroup as matmulSubgroup } from './matmul/04-subgroup';
import { registerTile as matmulRegisterTile } from './matmul/05-register-tile';
import { warpTile as matmulWarpTile } from './matmul/06-warp-tile';
import { splitK as matmulSplitK } from './matmul/07-split-k';
import { subgroupMatrix as matmulSubgroupMatrix } from './matmul/08-subgroup-matrix';
import { streamK as matmulStreamK } from './matmul/09-stream-k';
import { strassen as matmulStrassen } from './matmul/10-strassen';
import { cpuNaive as matmulCpuNaive } from './matmul/cpu/01-naive';
import { cpuRegister as matmulCpuRegister } from './matmul/cpu/02-register';
import { cpuBlocked as matmulCpuBlocked } from './matmul/cpu/03-blocked';
import { cpuParallel as matmulCpuParallel } from './matmul/cpu/04-parallel';
import type { OpId } from './problem';
import { copy as transposeCopy } from './transpose/00-copy';
import { naive as transposeNaive } from './transpose/01-naive';
import { tiled as transposeTiled } from './transpose/02-tiled';
import { padded as transposePadded } from './transpose/03-padded';
import { multiRow as transposeMultiRow } from './transpose/04-multi-row';
import { vec4 as transposeVec4 } from './transpose/05-vec4';
import { swizzled as transposeSwizzled } from './transpose/06-swizzled';
import { cpuNaive as transposeCpuNaive } from './transpose/cpu/01-naive';
import { cpuBlocked as transposeCpuBlocked } from './transpose/cpu/02-blocked';
import { cpuParallel as transposeCpuParallel } from './transpose/cpu/03-parallel';

/** Every kernel there is. Adding one is a `.wgsl`, a `.ts` and a line here. */
export const KERNELS: readonly Kernel[] = [
  matmulNaiveGlobal,
  matmulNaive,
  matmulTiled,
  matmulTiledWpt,
  matmulSubgroup,
  matmulRegisterTile,
  matmulWarpTile,
  matmulSubgroupMatrix,
  matmulSplitK,
  matmulStreamK,
  matmulStrassen,
  matmulCpuNaive,
  matmulCpuRegister,
  matmulCpuBlocked,
  matmulCpuParallel,
  transposeCopy,
  transposeNaive,
  transposeTiled,
  transposePadded,
  transposeMultiRow,
  transposeVec4,
  transposeSwizzled,
  transposeCpuNaive,
  transposeCpuBlocked,
  transposeCpuParallel,
];

/** Throws InputError naming `field` when there is no such kernel. */
export function kernelById(id: string, field = 'kernel'): Kernel {
  const kernel = KERNELS.find((candidate) => candidate.id === id);
  if (kernel) return kernel;
  const ids = KERNELS.map((candidate) => candidate.id).join(', ');
  throw new InputError(`there is no kernel ${id}; there are: ${ids}`, field);
}

/** The ladder of an op: GPU rungs in order, then the host's. */
export function kernelsOf(op: OpId): readonly Kernel[] {
  return KERNELS.filter((kernel) => kernel.op === op).toSorted(
    (a, b) => b.runsOn.localeCompare(a.runsOn) || a.rung - b.rung,
  );
}
