import {
  bestVariantSchema,
  contributedKernelSchema,
  FAMILIES,
  parseShapes,
  submissionOf,
} from '@tilemark/core';
import { batterySweep, checkKernel } from '@tilemark/core/contributed';
import {
  DTYPES,
  type Dtype,
  type GpuKernel,
  InputError,
  idsOf,
  type OpId,
  type Problem,
  type Shape,
} from '@tilemark/kernels';
import { z } from 'zod';
import { type Answer, ask, read, submitSweep } from '@/ui/request';
import { type Draft, readDraft } from './problems';

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
  /** Keys. */
  readonly devices: readonly string[];
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
    const { kernel } = readDraft(draft);
    if (!kernel) return refuse('source', 'Correct the kernel.');
    if (able.length === 0) {
      return refuse('devices', 'No device here runs contributed kernels now.');
    }
    try {
      const shapes = shapesIn(kernel.op, text);
      if (shapes.length === 0) return refuse('shapes', 'Enter at least one shape.');
      const [first = 'f32'] = kernel.dtypes;
      const known = kernel.dtypes.includes(dtype) ? dtype : first;
      const devices = chosen.length > 0 ? chosen : able;
      return { draft, kernel, shapes, devices, dtype: known };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return refuse('shapes', error.message);
    }
  });

/**
 * Keeps the kernel as a version, has it checked, and lets it run beside naive and the best of ours on each device.
 * The value is the id of the version.
 */
export async function submitKernel({
  devices,
  draft,
  dtype,
  shapes,
}: Wanted): Promise<Answer<string>> {
  const kept = await ask('/api/v1/kernels', {
    body: JSON.stringify(draft),
    answer: contributedKernelSchema,
  });
  if (!kept.ok) return kept;
  const { id } = kept.value;
  const { kernel, manifest } = checkKernel({ ...draft, author: 'you' });
  const check = await submitSweep(batterySweep({ kernel: { ...kernel, id }, manifest }, devices));
  if (!check.ok) return check;
  const { epilogue, op } = kernel;
  const submission = { kernel: id, op, epilogue, shapes, dtypes: [dtype], devices };
  const sweep = await submitSweep({ name: id, spec: await submissionOf(submission, bestOf) });
  return sweep.ok ? { ok: true, value: id } : sweep;
}

/** What the grid recommends for a device; null where it has nothing to say. */
async function bestOf({ dtype, op, shape }: Problem, device: string) {
  const sizes = Object.entries(shape).map(([name, size]) => [name, String(size)]);
  const query = new URLSearchParams([['op', op], ['dtype', dtype], ['device', device], ...sizes]);
  return read(`/api/v1/best?${query}`, bestVariantSchema);
}
