import {
  dimensionNames,
  dimensionsText,
  type Engine,
  type Epilogue,
  faultOf,
  InputError,
  type OpId,
  opById,
  type Problem,
  type Shape,
  shapeText,
} from '@tilemark/kernels';
import { z } from 'zod';
import { engineSchema, type Profile, profileSchema } from '../measure/device';
import { engineOfKey } from '../measure/hardware';
import { SHAPE_SUITES } from '../plan/shape-suites';
import { parseShapes } from '../plan/shapes';
import { dtypeSchema, epilogueSchema, opSchema } from '../schema/op';

/** Most GPUs of one question, and rows: each is a search among hundreds of variants. */
const MOST_GPUS = 6;
const MOST_ROWS = 96;

const dimensions = Object.fromEntries(
  dimensionNames().map((name) => [name, z.string().max(20).optional()]),
);

/**
 * The parts of a question as text: problems as a list of shapes, by suite or by the sizes of one, and
 * GPUs, by commas, by device key or as `vendor/architecture`.
 */
export const questionFields = z.strictObject({
  op: opSchema.default('matmul'),
  dtype: dtypeSchema.default('f32'),
  profile: profileSchema.default('default'),
  /** What compiles the shader; absent: that of the runtime which a device key names, else Tint. */
  engine: engineSchema.optional(),
  /** Put into the program of the variant that is best for the product alone. */
  epilogue: epilogueSchema.optional(),
  /** One variant for every shape and GPU, the best at worst. */
  one: z.literal('1').optional(),
  shapes: z.string().max(2_000).optional(),
  suite: z.enum(SHAPE_SUITES.map(({ id }) => id)).optional(),
  gpu: z.string().max(2_000).optional(),
  shape: z.string().max(60).optional(),
  device: z.string().max(2_000).optional(),
  vendor: z.string().max(120).optional(),
  architecture: z.string().max(120).optional(),
  ...dimensions,
});

/** Which variants to run for some problems on some GPUs. */
export interface Question {
  readonly op: OpId;
  readonly dtype: Problem['dtype'];
  readonly profile: Profile;
  readonly engine?: Engine | undefined;
  readonly epilogue?: Epilogue | undefined;
  readonly one?: boolean;
  readonly shapes: readonly Shape[];
  /** Device keys, or `vendor/architecture`; none: whatever GPU. */
  readonly gpus: readonly string[];
  readonly suite?: string | undefined;
}

/** A question as it is answered. */
export const questionSchema = questionFields.transform((query, context): Question => {
  const { op, dtype, engine, epilogue, profile, suite } = query;
  try {
    const gpus = [...new Set([query.gpu, query.device, vendorText(query)].flatMap(namesIn))];
    const engines = engine ? [engine] : gpus.flatMap((gpu) => engineOfKey(gpu.toLowerCase()) ?? []);
    const other = engines.find((each) => each !== 'tint');
    const needsDawn = `${profile} needs Dawn (engine tint): ${other} has only the profile default`;
    refuse(profile !== 'default' && other !== undefined, 'profile', needsDawn);
    refuse(gpus.length > MOST_GPUS, 'gpu', `a table takes at most ${MOST_GPUS} GPUs`);
    const shapes = shapesOf(query);
    const rows = shapes.length * Math.max(gpus.length, 1);
    const fewer = `a table takes at most ${MOST_ROWS} rows: name fewer shapes or GPUs`;
    refuse(rows > MOST_ROWS, 'gpu', fewer);
    const fault = shapes.map((shape) => faultOf(op, shape, dtype, { epilogue })).find(Boolean);
    if (fault) throw new InputError(fault.reason, fault.field);
    const one = query.one === '1';
    return { op, dtype, profile, engine, epilogue, one, shapes, suite, gpus };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    context.addIssue({ code: 'custom', path: [error.field ?? 'shapes'], message: error.message });
    return z.NEVER;
  }
});

function refuse(isWrong: boolean, field: string, message: string): void {
  if (isWrong) throw new InputError(message, field);
}

const namesIn = (text = ''): string[] =>
  text
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter(Boolean);

const vendorText = ({ vendor = '', architecture = '' }) =>
  [vendor, architecture].filter(Boolean).join('/');

/** All that are named, in whatever way. */
function shapesOf(query: z.output<typeof questionFields>): readonly Shape[] {
  const { op, suite } = query;
  const { shape = '', shapes = '' } = query;
  const named = Object.entries({ shapes, shape, '': singleShape(query) }).flatMap(
    ([field, text]) => (text.trim() ? parseShapes(op, text, field || 'shapes') : []),
  );
  refuse(suite !== undefined && named.length > 0, 'suite', 'shapes are named, too: leave one out');
  const chosen = SHAPE_SUITES.find(({ id }) => id === suite);
  refuse(chosen !== undefined && chosen.op !== op, 'suite', `it is of ${chosen?.op}`);
  return chosen?.shapes ?? named;
}

/** The shape that is given dimension by dimension, with those that have a default; empty: none is. */
function singleShape(query: Readonly<Record<string, unknown>> & { readonly op: OpId }): string {
  const named: readonly { name: string; default?: number }[] = opById(query.op).dimensions;
  const given = dimensionNames().filter((name) => query[name] !== undefined);
  if (given.length === 0) return '';
  const stray = given.find((name) => !named.some((dimension) => dimension.name === name));
  if (stray) throw new InputError(`${query.op} has no dimension ${stray}`, stray);
  const sizes = named.map(({ name, default: usual }) => {
    const size = query[name] ?? usual;
    const takes = `${query.op} takes ${dimensionsText(query.op)}`;
    if (size === undefined) throw new InputError(`${name} is missing: ${takes}`, name);
    // Names the dimension at fault, not the whole shape.
    parseShapes(query.op, String(size), name);
    return size;
  });
  return sizes.join('x');
}

export const problemsOf = ({ op, dtype, epilogue, shapes }: Question): Problem[] =>
  shapes.map((shape) => ({ op, shape, dtype, ...(epilogue && { epilogue }) }) as Problem);

/** A question as the query of an address. */
export function questionQuery({
  op,
  dtype,
  profile,
  engine,
  epilogue,
  one,
  shapes,
  gpus,
}: Question): URLSearchParams {
  const texts = shapes.map((shape) => shapeText({ op, shape } as Problem));
  return new URLSearchParams({
    ...{ op, dtype, profile, ...(engine && { engine }), ...(epilogue && { epilogue }) },
    ...(one && { one: '1' }),
    shapes: texts.join(' '),
    ...(gpus.length > 0 && { gpu: gpus.join(',') }),
  });
}
