import { z } from 'zod';
import { dtypeSchema, tunableValueSchema } from '../spec';

/** What a specialised kernel asks of a device. */
export const needsSchema = z.object({
  workgroupSize: z.tuple([z.number(), z.number(), z.number()]),
  /** Of workgroup memory. */
  workgroupBytes: z.number(),
  features: z.array(z.string()),
});
export type KernelNeeds = z.infer<typeof needsSchema>;

/** A kernel of the registry, as data. */
export const kernelSchema = z.object({
  id: z.string(),
  op: z.enum(['matmul', 'transpose']),
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
export type KernelInfo = z.infer<typeof kernelSchema>;

/** A kernel specialised for one dtype and one value of each tunable. */
export const kernelDetailSchema = kernelSchema.extend({
  address: z.string(),
  dtype: dtypeSchema,
  chosen: z.record(z.string(), tunableValueSchema),
  /** Reasons why the values make no sense together; a run of them ends skipped. */
  broken: z.array(z.string()),
  /** What a device must have; null for host kernels and where `broken`. */
  needs: needsSchema.nullable(),
  /** Null for host kernels and where `broken`. */
  wgsl: z.string().nullable(),
});
export type KernelDetail = z.infer<typeof kernelDetailSchema>;
