import {
  epilogueSchema,
  FAMILIES,
  LANGUAGE_MODELS,
  parseShapes,
  profileSchema,
} from '@tilemark/core';
import {
  DTYPES,
  dimensionNames,
  dimensionsText,
  type Epilogue,
  faultOf,
  InputError,
  idsOf,
  OPS,
  type OpId,
  opById,
  type Problem,
  type Shape,
  shapeText,
} from '@tilemark/kernels';
import { z } from 'zod';

/** Most shapes and GPUs of one table, and rows of both: each is a search among hundreds of variants. */
const MOST_SHAPES = 64;
const MOST_GPUS = 6;
const MOST_ROWS = 96;

/** Lists of shapes to choose from: a model's layers at decode and prefill, and families. */
export interface ShapeSuite {
  readonly id: string;
  readonly title: string;
  readonly op: OpId;
  readonly shapes: readonly Shape[];
}

const PHASES = [
  ['decode', 1],
  ['prefill', 512],
] as const;

export const SHAPE_SUITES: readonly ShapeSuite[] = [
  ...LANGUAGE_MODELS.flatMap(({ name, layers }) =>
    PHASES.map(([phase, m]) => ({
      id: `${name}-${phase}`.toLowerCase(),
      title: `${name}, ${phase} (M = ${m})`,
      op: 'matmul' as const,
      shapes: [...new Map(layers.map(({ k, n }) => [`${k} ${n}`, { m, n, k }])).values()],
    })),
  ),
  ...FAMILIES.filter(({ shapes }) => shapes.length <= MOST_SHAPES),
];

const dimensions = Object.fromEntries(
  dimensionNames().map((name) => [name, z.string().max(20).optional()]),
);

/**
 * The parts of a question, as text. What the workbench is asked: problems as text or by suite, and GPUs by device key or as
 * `vendor/architecture`. `m`, `shape`, `device` and `vendor` are how single questions are linked.
 */
export const questionFields = z.object({
  op: z.enum(idsOf(OPS)).default('matmul'),
  dtype: z.enum(idsOf(DTYPES)).default('f32'),
  profile: profileSchema.default('default'),
  epilogue: epilogueSchema.optional(),
  shapes: z.string().max(2_000).optional(),
  suite: z.enum(SHAPE_SUITES.map(({ id }) => id)).optional(),
  gpu: z.string().max(2_000).optional(),
  shape: z.string().max(60).optional(),
  device: z.string().max(300).optional(),
  vendor: z.string().max(120).optional(),
  architecture: z.string().max(120).optional(),
  /** All lines of a long shader. */
  show: z.literal('wgsl').optional(),
  ...dimensions,
});

/** A question as it is answered. */
export const workbenchQuerySchema = questionFields.transform((query, context): Question => {
  const { op, dtype, epilogue, profile, suite } = query;
  const refuse = (name: string, message: string): never => {
    context.addIssue({ code: 'custom', path: [name], message });
    return z.NEVER;
  };
  const chosen = SHAPE_SUITES.find(({ id }) => id === suite);
  const given = chosen && chosen.op === op ? chosen.shapes : null;
  const gpus = [query.gpu ?? '', query.device ?? '', vendorText(query)]
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter(Boolean);
  if (gpus.length > MOST_GPUS) return refuse('gpu', `a table takes at most ${MOST_GPUS} GPUs`);
  try {
    const field = query.shape && !query.shapes ? 'shape' : 'shapes';
    const asked = query.shapes?.trim() || query.shape || singleShape(query);
    if (!asked && chosen && chosen.op !== op) return refuse('suite', `it is of ${chosen.op}`);
    const shapes = asked ? parseShapes(op, asked, field) : [...(given ?? [])];
    if (shapes.length * gpus.length > MOST_ROWS) {
      return refuse('gpu', `a table takes at most ${MOST_ROWS} rows: name fewer shapes or GPUs`);
    }
    const fault = shapes.map((shape) => faultOf(op, shape, dtype, { epilogue })).find(Boolean);
    if (fault) return refuse(fault.field, fault.reason);
    const asks = { op, dtype, profile, epilogue, shapes, suite, show: query.show };
    return { ...asks, gpus: [...new Set(gpus)] };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return refuse(error.field ?? 'shapes', error.message);
  }
});

export interface Question {
  readonly op: OpId;
  readonly dtype: Problem['dtype'];
  readonly profile: z.output<typeof profileSchema>;
  readonly epilogue?: Epilogue | undefined;
  readonly shapes: readonly Shape[];
  /** Device keys, or `vendor/architecture`. */
  readonly gpus: readonly string[];
  readonly suite?: string | undefined;
  readonly show?: 'wgsl' | undefined;
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
    if (size === undefined) {
      const takes = `${query.op} takes ${dimensionsText(query.op)}`;
      throw new InputError(`${name} is missing: ${takes}`, name);
    }
    // Names the dimension at fault, not the whole shape.
    parseShapes(query.op, String(size), name);
    return size;
  });
  return sizes.join('x');
}

const vendorText = ({ vendor = '', architecture = '' }) =>
  [vendor, architecture].filter(Boolean).join('/');

export const problemsOf = ({ op, dtype, epilogue, shapes }: Question): Problem[] =>
  shapes.map((shape) => ({ op, shape, dtype, ...(epilogue && { epilogue }) }) as Problem);

/** A question as the query of its address. */
export function questionQuery({
  op,
  dtype,
  profile,
  epilogue,
  shapes,
  gpus,
}: Question): URLSearchParams {
  const texts = shapes.map((shape) => shapeText({ op, shape } as Problem));
  return new URLSearchParams({
    op,
    dtype,
    profile,
    ...(epilogue && { epilogue }),
    shapes: texts.join(' '),
    gpu: gpus.join(','),
  });
}
