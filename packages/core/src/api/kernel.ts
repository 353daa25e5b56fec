import {
  type Dtype,
  featuresOf,
  type GpuKernel,
  type Problem,
  type TunableValues,
} from '@tilemark/kernels';
import { z } from 'zod';
import { kernelFileSchema } from '../contributed/manifest';
import type { Profile } from '../measure/device';
import { tunableValueSchema } from '../plan/spec';
import { dtypeSchema, opSchema } from '../schema/op';
import { date } from './answer';
import type { DeviceRef } from './device';
import type { ImportedMark, Result } from './result';

/** The requirements of a specialised kernel. */
export const needsSchema = z.object({
  workgroupSize: z.tuple([z.number(), z.number(), z.number()]),
  workgroupBytes: z.number(),
  features: z.array(z.string()),
});
export type KernelNeeds = z.infer<typeof needsSchema>;

/** A kernel of the registry, as data. */
export const kernelSchema = z.object({
  id: z.string(),
  op: opSchema,
  idea: z.string(),
  runsOn: z.enum(['gpu', 'cpu']),
  rung: z.number(),
  dtypes: z.array(dtypeSchema),
  tunables: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      values: z.array(tunableValueSchema),
      default: tunableValueSchema,
    }),
  ),
});

/** A version of a kernel that somebody contributed. */
export const contributedKernelSchema = z.object({
  /** `author/name@hash`. */
  id: z.string(),
  author: z.string(),
  name: z.string(),
  op: opSchema,
  /** The token that it came with. */
  createdById: z.string(),
  createdAt: date,
  /** Null: its results are listed on no board. */
  publishedAt: date.nullable(),
});
export type ContributedKernel = z.infer<typeof contributedKernelSchema>;

/** A kernel specialised for one dtype and one value of each tunable. */
export const kernelDetailSchema = kernelSchema.extend({
  address: z.string(),
  dtype: dtypeSchema,
  chosen: z.record(z.string(), tunableValueSchema),
  /** Constraints that the values break, as reasons; a run with them ends as skipped. */
  broken: z.array(z.string()),
  /** What a device must have; null for host kernels and where `broken`. */
  needs: needsSchema.nullable(),
  /** Null for host kernels and where `broken`. */
  wgsl: z.string().nullable(),
  /** What a contributed kernel was made from; null or absent for one of ours. */
  file: kernelFileSchema.nullish(),
});
export type KernelDetail = z.infer<typeof kernelDetailSchema>;

/** The requirements of a specialised kernel, including the features of its dtype. */
export function kernelNeeds(kernel: GpuKernel, values: TunableValues, dtype: Dtype): KernelNeeds {
  const { workgroupBytes, workgroupSize } = kernel.needs(values, dtype);
  return {
    workgroupSize: [...workgroupSize],
    workgroupBytes,
    features: [...featuresOf(kernel, values, dtype)],
  };
}

/** How a kernel does on one problem, device by device. */
export interface KernelResults {
  /** Problems it was measured on, most devices first. */
  readonly problems: readonly {
    readonly problem: Problem;
    readonly profile: Profile;
    readonly devices: number;
  }[];
  /** The problem of `rows`; null if the kernel was never measured. */
  readonly chosen: { readonly problem: Problem; readonly profile: Profile } | null;
  readonly rows: readonly KernelResultRow[];
}

export interface KernelResultRow {
  readonly device: DeviceRef;
  readonly resultId: string;
  readonly address: string;
  readonly medianNs: number;
  readonly lowNs: number;
  readonly highNs: number;
  readonly unranked: string | null;
  /** Null for what a worker of this grid measured. */
  readonly imported: ImportedMark | null;
  readonly rate: NonNullable<Result['rate']>;
  /** Of the rate of the best variant there, as both are shown; 1: it is the best. Null for ceilings, and if it is unranked beside a ranked best. */
  readonly partOfBest: number | null;
}
