/**
 * Planning: from a spec to the runs that devices carry out.
 *
 * A spec (this file) has cases: a kernel, values to try for its tunables, shapes, and dtypes.
 * - check-spec.ts  rejects an invalid spec, naming the field, before anything is stored
 * - expansion.ts   every run of a sweep, for the devices it is for
 * - counts.ts      how many runs, how many would be skipped and why, and how long they may take
 * - shapes.ts      shapes as people write them: `512, 256..4096 x2`
 * - occupancy.ts   how full a workgroup size can make a multiprocessor
 *
 * A combination that a device cannot run is still planned and ends as `skipped` with the reason;
 * only what is invalid on every device is an error here.
 */
import {
  DTYPES,
  faultOf,
  idsOf,
  type Kernel,
  MAX_DIMENSION,
  OPS,
  type OpId,
  opById,
  type Problem,
  type Shape,
  type Variant,
} from '@tilemark/kernels';
import { z } from 'zod';
import { type DeviceCapabilities, type DeviceClass, profileSchema } from '../measure/device';
import { policyIdSchema } from '../measure/policy';
import { MAXIMA, named } from '../schema/maxima';
import { dtypeSchema, epilogueSchema } from '../schema/op';

const dimension = z.number().int().min(1).max(MAX_DIMENSION);

const shapeSchemaOf = (op: OpId) =>
  z.strictObject(
    Object.fromEntries(
      opById(op).dimensions.map(({ name, default: count }) => [
        name,
        count === undefined ? dimension : dimension.optional(),
      ]),
    ),
  );

const shapeSchema = z.union(idsOf(OPS).map(shapeSchemaOf)) as unknown as z.ZodType<Shape>;

const [firstProblem, ...otherProblems] = idsOf(OPS).map((op) =>
  z.strictObject({
    op: z.literal(op),
    shape: shapeSchemaOf(op),
    dtype: dtypeSchema,
    epilogue: epilogueSchema.optional(),
  }),
);
if (!firstProblem) throw new TypeError('there are no ops');
/** A problem of any op: which dimensions its shape has follows from the op. */
export const problemSchema = z.discriminatedUnion('op', [
  firstProblem,
  ...otherProblems,
]) as unknown as z.ZodType<Problem>;

/** A problem to be computed: one that its dtype can store. Those of results may have been skipped. */
export const requestedProblemSchema = problemSchema.superRefine((problem, context) => {
  const { op, shape, dtype } = problem;
  const fault = faultOf(op, shape, dtype, problem);
  if (!fault) return;
  const path = Object.hasOwn(problem, fault.field) ? [fault.field] : ['shape', fault.field];
  context.addIssue({ code: 'custom', path, message: fault.reason });
});

export const tunableValueSchema = z.union([z.number(), z.string().max(40)]);
export const variantSchema = z.strictObject({
  kernel: z.string().max(80),
  tunables: named(z.string().max(40), tunableValueSchema, MAXIMA.parameters),
});

/**
 * One kernel with the values to try for each tunable (absent: the default), on every shape in every
 * dtype. `expand` checks shapes, tunables and values against the registry.
 */
const caseSchema = z.strictObject({
  kernel: z.string().max(80),
  tunables: named(
    z.string().max(40),
    z.array(tunableValueSchema).min(1).max(64),
    MAXIMA.parameters,
  ).default({}),
  shapes: z.array(shapeSchema).min(1).max(64),
  dtypes: z.array(dtypeSchema).min(1).max(idsOf(DTYPES).length).default(['f32']),
  /** Each takes turns with this variant once it is measured: a duel (measure/duel.ts). */
  rival: variantSchema.optional(),
  /** Prefixes of the keys of the devices it is for (`nvidia-`); absent: all devices of the sweep. */
  onlyOn: z.array(z.string().max(300)).min(1).max(16).optional(),
});

export const specSchema = z.strictObject({
  cases: z.array(caseSchema).min(1).max(128),
  profiles: z.array(profileSchema).min(1).max(2).default(['default']),
  policy: policyIdSchema.default('default'),
  /** Of all problems; absent: that of the kernel, if it has one. Such results are never ranked. */
  epilogue: epilogueSchema.optional(),
  /** Device keys; absent: every device that has a worker attached. */
  devices: z.array(z.string().max(300)).min(1).max(200).optional(),
});
export type SweepCase = z.infer<typeof caseSchema>;

/** The tunables of a case that is of one variant alone. */
export const onlyValues = (tunables: Variant['tunables']): SweepCase['tunables'] =>
  Object.fromEntries(Object.entries(tunables).map(([name, value]) => [name, [value]]));
export type SweepSpec = z.infer<typeof specSchema>;

export const MAX_RUNS_PER_SWEEP = 20_000;

/** A device as planning sees it. */
export interface PlannableDevice {
  readonly key: string;
  readonly class: DeviceClass;
  /** Absent: Dawn's. */
  readonly runtime?: string | undefined;
  /** Absent if only the count matters: then no run is predicted to be skipped by this device. */
  readonly capabilities?: DeviceCapabilities | undefined;
}

/** Host kernels run on CPUs, GPU kernels on everything else. */
export function runsOnDevice(kernel: Kernel, device: Pick<PlannableDevice, 'class'>): boolean {
  return (kernel.runsOn === 'cpu') === (device.class === 'cpu');
}

/** Whether a case runs on a device: its kernel runs there, and its `onlyOn` allows it. */
export function isFor({ onlyOn }: SweepCase, kernel: Kernel, device: PlannableDevice): boolean {
  const isMeant = onlyOn?.some((beginning) => device.key.startsWith(beginning)) ?? true;
  return isMeant && runsOnDevice(kernel, device);
}
