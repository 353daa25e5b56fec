import { InputError } from '../errors';
import * as matmul from '../matmul/ladder';
import { didYouMean } from '../near';
import type { OpId } from '../problem/ops';
import * as transpose from '../transpose/ladder';
import type { GpuKernel, Kernel, KernelFile } from './kernel';

/** GPU rungs in order, then host rungs. */
const inOrder = (kernels: readonly Kernel[]): Kernel[] =>
  kernels.toSorted((a, b) => b.runsOn.localeCompare(a.runsOn) || a.rung - b.rung);

/** All kernels, ladder by ladder. */
export const KERNELS: readonly Kernel[] = [matmul, transpose].flatMap((ladder) =>
  inOrder(Object.values(ladder)),
);

/** A program knows the newest this many of others, up to 64 MiB of source; a grid keeps all. */
const MOST_CONTRIBUTED = 256;

/** Kernels of others, by id: those that this program has been given. */
const contributed = new Map<string, GpuKernel>();

/** Adds a contributed kernel to those that `kernelById` finds; returns a function that removes it. */
export function contribute(kernel: GpuKernel): () => void {
  contributed.delete(kernel.id);
  contributed.set(kernel.id, kernel);
  const [oldest = ''] = contributed.keys();
  if (contributed.size > MOST_CONTRIBUTED) contributed.delete(oldest);
  return () => void contributed.delete(kernel.id);
}

/** The file of a contributed kernel that is known here; null: it is one of ours, or not known. */
export const fileOf = (kernel: string): KernelFile | null => contributed.get(kernel)?.file ?? null;

/** Whether an id is that of a contributed kernel: only theirs name a version. */
export const isContributed = (kernel: string): boolean => kernel.includes('@');

/** The id of a kernel cut: `op/name`, or `author/name@version` of a contributed one. Only this cuts one. */
export function kernelParts(id: string) {
  const [, owner = '', name = id, version = null] = /^([^/]*)\/([^@]*)(?:@(.*))?$/.exec(id) ?? [];
  return { owner, name, version };
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
  return inOrder(KERNELS.filter((kernel) => kernel.op === op));
}

/** The kernel that another is a change to: the one to diff it against. */
export function changedBy({ changes, id, op, runsOn }: Kernel): Kernel | undefined {
  if (changes !== undefined) return KERNELS.find((kernel) => kernel.id === changes);
  const ladder = kernelsOf(op).filter((kernel) => kernel.runsOn === runsOn);
  return ladder[ladder.findIndex((kernel) => kernel.id === id) - 1];
}
