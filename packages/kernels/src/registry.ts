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
import { fewRows as matmulFewRows } from './matmul/11-few-rows';
import { fewCols as matmulFewCols } from './matmul/12-few-cols';
import { fewRowsShuffled as matmulFewRowsShuffled } from './matmul/13-few-rows-shuffled';
import { warpElements as matmulWarpElements } from './matmul/14-warp-elements';
import { subgroupMatrixPrefetch as matmulSubgroupMatrixPrefetch } from './matmul/15-subgroup-matrix-prefetch';
import { rowsOfWeights as matmulRowsOfWeights } from './matmul/16-rows-of-weights';
import { subgroupMatrixShort as matmulSubgroupMatrixShort } from './matmul/17-subgroup-matrix-short';
import { cpuNaive as matmulCpuNaive } from './matmul/cpu/01-naive';
import { cpuRegister as matmulCpuRegister } from './matmul/cpu/02-register';
import { cpuBlocked as matmulCpuBlocked } from './matmul/cpu/03-blocked';
import { cpuParallel as matmulCpuParallel } from './matmul/cpu/04-parallel';
import { didYouMean } from './near';
import type { OpId } from './ops';
import { copy as transposeCopy } from './transpose/00-copy';
import { naive as transposeNaive } from './transpose/01-naive';
import { tiled as transposeTiled } from './transpose/02-tiled';
import { padded as transposePadded } from './transpose/03-padded';
import { multiRow as transposeMultiRow } from './transpose/04-multi-row';
import { vec4 as transposeVec4 } from './transpose/05-vec4';
import { swizzled as transposeSwizzled } from './transpose/06-swizzled';
import { pitched as transposePitched } from './transpose/07-pitched';
import { cpuNaive as transposeCpuNaive } from './transpose/cpu/01-naive';
import { cpuBlocked as transposeCpuBlocked } from './transpose/cpu/02-blocked';
import { cpuParallel as transposeCpuParallel } from './transpose/cpu/03-parallel';

/** All kernels. A new kernel is a `.wgsl` file, a `.ts` file and a line here. */
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
  matmulFewRows,
  matmulFewCols,
  matmulFewRowsShuffled,
  matmulWarpElements,
  matmulSubgroupMatrixPrefetch,
  matmulRowsOfWeights,
  matmulSubgroupMatrixShort,
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
  transposePitched,
  transposeCpuNaive,
  transposeCpuBlocked,
  transposeCpuParallel,
];

/** Kernels of others, by id: those that this program has been given. */
const contributed = new Map<string, Kernel>();

/** Makes a kernel that is not of the catalogue known by its id; returns what withdraws it. */
export function contribute(kernel: Kernel): () => void {
  contributed.set(kernel.id, kernel);
  return () => void contributed.delete(kernel.id);
}

/** Throws InputError at `field` if there is no such kernel. */
export function kernelById(id: string, field = 'kernel'): Kernel {
  const kernel = KERNELS.find((candidate) => candidate.id === id) ?? contributed.get(id);
  if (kernel) return kernel;
  const ids = KERNELS.map((candidate) => candidate.id);
  throw new InputError(`There is no kernel ${id}. ${didYouMean(id, ids, 'Kernels')}`, field);
}

/** Ids of the ceilings (copy): shown for comparison, since they do not do the op's work. */
export const CEILINGS: readonly string[] = KERNELS.filter(
  ({ computes }) => computes === 'copy',
).map(({ id }) => id);

/** Whether a kernel is a ceiling. */
export const isCeiling = (id: string): boolean => CEILINGS.includes(id);

/** The ladder of an op: GPU rungs in order, then host rungs. */
export function kernelsOf(op: OpId): readonly Kernel[] {
  return KERNELS.filter((kernel) => kernel.op === op).toSorted(
    (a, b) => b.runsOn.localeCompare(a.runsOn) || a.rung - b.rung,
  );
}

/** The kernel that another is a change to: the one to diff it against. */
export function changedBy({ changes, id, op, runsOn }: Kernel): Kernel | undefined {
  if (changes !== undefined) return KERNELS.find((kernel) => kernel.id === changes);
  const ladder = kernelsOf(op).filter((kernel) => kernel.runsOn === runsOn);
  return ladder[ladder.findIndex((kernel) => kernel.id === id) - 1];
}
