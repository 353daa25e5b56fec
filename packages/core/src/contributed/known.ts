import { contribute, type GpuKernel } from '@tilemark/kernels';
import type { KernelFile, Manifest } from './manifest';

/** A contributed kernel with what it was made from. */
export interface Contributed {
  readonly kernel: GpuKernel;
  readonly manifest: Manifest;
  readonly file: KernelFile;
  /** SHA-256 of source and manifest, in hex. */
  readonly hash: string;
}

/** A program knows the newest this many, up to 64 MiB of source; a grid keeps all. */
const MOST_KNOWN = 256;

interface Known {
  readonly file: KernelFile;
  readonly withdraw: () => void;
}

/** By id, of those that this program knows. */
const known = new Map<string, Known>();

/** The file of a contributed kernel; null: it is one of ours. */
export const fileOf = (kernel: string): KernelFile | null => known.get(kernel)?.file ?? null;

/** Whether an id is that of a contributed kernel: only theirs name a version. */
export const isContributed = (kernel: string): boolean => kernel.includes('@');

/** Makes a kernel known to this program, as if it stood in the registry. */
export function makeKnown(kernel: GpuKernel, file: KernelFile): void {
  known.delete(kernel.id);
  known.set(kernel.id, { file, withdraw: contribute(kernel) });
  const [oldest] = known;
  if (oldest && known.size > MOST_KNOWN) {
    oldest[1].withdraw();
    known.delete(oldest[0]);
  }
}
