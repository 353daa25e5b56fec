import type { Prisma } from '@tilemark/db';
import type { KernelFile } from '@tilemark/kernels';
import type { ContributedKernel } from '../../../api/kernel';
import { withIsoDates } from '../database';

/** A version of a contributed kernel, as it is kept. */
export type KernelRow = Prisma.ContributedKernelGetPayload<object>;

export const fileIn = ({ author, manifest, source }: KernelRow): KernelFile => ({
  author,
  source,
  ...(manifest !== null && { manifest }),
});

export const kernelView = ({
  manifest: _,
  op,
  removedAt: __,
  source: ___,
  ...row
}: KernelRow): ContributedKernel => ({
  ...withIsoDates(row),
  op: op as ContributedKernel['op'],
});
