import { FAMILIES, parseShapes } from '@tilemark/core';
import {
  DTYPES,
  type Dtype,
  type GpuKernel,
  InputError,
  idsOf,
  type OpId,
  type Shape,
} from '@tilemark/kernels';
import { z } from 'zod';
import { type Answer, ask, submitSweep } from '@/ui/request';
import { type Draft, read } from './problems';

/** Shapes as people write them, or a family of them by its name. Throws InputError at `shapes`. */
export function shapesIn(op: OpId, text: string): readonly Shape[] {
  const family = FAMILIES.find(({ id, op: of }) => of === op && id === text.trim());
  return family?.shapes ?? parseShapes(op, text, 'shapes');
}

export interface Wanted {
  readonly draft: Draft;
  readonly kernel: GpuKernel;
  readonly shapes: readonly Shape[];
  readonly dtype: Dtype;
  /** Device keys that the reader chose; none: all that take such kernels. */
  readonly chosen: readonly string[];
  readonly able: readonly string[];
}

const formSchema = z.object({
  source: z.string(),
  /** Empty: it is in the source. */
  manifest: z.string(),
  shapes: z.string(),
  devices: z.array(z.string()),
  dtype: z.enum(idsOf(DTYPES)),
  /** The version that it began with; null: the template. */
  from: z.string().nullable(),
});
export type KernelForm = z.infer<typeof formSchema>;

export const draftOf = ({ manifest, source }: Pick<KernelForm, 'manifest' | 'source'>): Draft => ({
  source,
  ...(manifest && { manifest }),
});

/** @param able devices that run contributed kernels */
export const kernelRequestSchema = (able: readonly string[]) =>
  formSchema.transform(({ devices: chosen, dtype, shapes: text, ...file }, context): Wanted => {
    const refuse = (control: string, message: string) => {
      context.addIssue({ code: 'custom', path: [control], message });
      return z.NEVER;
    };
    const draft = draftOf(file);
    const { kernel } = read(draft);
    if (!kernel) return refuse('source', 'Correct the kernel.');
    if (able.length === 0) {
      return refuse('devices', 'No device here runs contributed kernels now.');
    }
    try {
      const shapes = shapesIn(kernel.op, text);
      if (shapes.length === 0) return refuse('shapes', 'Enter at least one shape.');
      const [first = 'f32'] = kernel.dtypes;
      const known = kernel.dtypes.includes(dtype) ? dtype : first;
      return { draft, kernel, shapes, chosen, able, dtype: known };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return refuse('shapes', error.message);
    }
  });

/** More pairs of device and shape than this are measured beside naive alone. */
const MOST_PAIRS = 48;

/**
 * Keeps the kernel as a version and lets it run beside naive and the best of ours on each device.
 * The value is the id of the version.
 */
export async function submitKernel(wanted: Wanted): Promise<Answer<string>> {
  const { able, chosen, draft, dtype, kernel, shapes } = wanted;
  const { contributedKernelSchema } = await import('@tilemark/core');
  const kept = await ask('/api/v1/kernels', {
    body: JSON.stringify(draft),
    answer: contributedKernelSchema,
  });
  if (!kept.ok) return kept;
  const { id } = kept.value;
  const devices = chosen.length > 0 ? chosen : able;
  const pairs = devices.flatMap((device) => shapes.map((shape) => ({ device, shape })));
  const bests = pairs
    .slice(0, MOST_PAIRS)
    .map(({ device, shape }) => bestCase(kernel.op, shape, dtype, device));
  const of = { shapes: [...shapes], dtypes: [dtype] };
  const cases = [
    { ...of, kernel: `${kernel.op}/naive`, tunables: {} },
    { ...of, kernel: id, tunables: {} },
    ...(await Promise.all(bests)),
  ];
  const sweep = await submitSweep({
    name: id,
    spec: {
      cases,
      profiles: ['default'],
      policy: 'default',
      ...(chosen.length > 0 && { devices: [...chosen] }),
    },
  });
  return sweep.ok ? { ok: true, value: id } : sweep;
}

/** The best of ours for a device, as the grid knows it; `tiled` where no result can decide. */
async function bestCase(op: OpId, shape: Shape, dtype: Dtype, device: string) {
  const { bestVariantSchema } = await import('@tilemark/core');
  const sizes = Object.entries(shape).map(([name, size]) => [name, String(size)]);
  const query = new URLSearchParams([['op', op], ['dtype', dtype], ['device', device], ...sizes]);
  const answer = await fetch(`/api/v1/best?${query}`).catch(() => null);
  const { kernel, tunables } = answer?.ok
    ? bestVariantSchema.parse(await answer.json()).variant
    : { kernel: `${op}/tiled`, tunables: {} };
  const values = Object.entries(tunables).map(([name, value]) => [name, [value]]);
  return {
    kernel,
    tunables: Object.fromEntries(values),
    onlyOn: [device],
    shapes: [shape],
    dtypes: [dtype],
  };
}
