import { DTYPES, type Dtype, idsOf } from './dtype';
import { InputError } from './errors';
import { OPS, type OpId, opById } from './ops';
import type { Problem, Shape } from './problem';

/** Largest dimension a problem may have. */
export const MAX_DIMENSION = 65_536;

/** `512` when every dimension is 512, else the dimensions in order: `512x256x128` (MxNxK, RxC). */
export function shapeText({ op, shape }: { readonly op: OpId; readonly shape: Shape }): string {
  const sizes = opById(op).sizes(shape);
  return new Set(sizes).size === 1 ? String(sizes[0]) : sizes.join('x');
}

/** A dimension of any op: `m`, `rows`. */
export type DimensionName = (typeof OPS)[OpId]['dimensions'][number]['name'];

/** The dimensions of every op, each once. */
export function dimensionNames(): DimensionName[] {
  const names = Object.values(OPS).flatMap((op) => op.dimensions.map(({ name }) => name));
  return [...new Set(names)];
}

/** How an op's shapes are written: `MxNxK`. */
export function dimensionsText(op: OpId, between = 'x'): string {
  return opById(op)
    .dimensions.map(({ letter }) => letter)
    .join(between);
}

/** Parses what `shapeText` writes. Throws InputError at `field`. */
export function parseShape(op: OpId, text: string, field = 'shape'): Shape {
  const { dimensions, shape } = opById(op);
  const sizes = text.trim().split('x').map(Number);
  const valid = sizes.every((size) => Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSION);
  if (!valid || (sizes.length !== 1 && sizes.length !== dimensions.length)) {
    throw new InputError(
      `'${text}' is not a shape of ${op}: write ${dimensionsText(op)} (for example ${dimensions.map(() => 512).join('x')}) or one number for a square, each from 1 to ${MAX_DIMENSION}`,
      field,
    );
  }
  return shape(sizes.length === 1 ? dimensions.map(() => sizes[0] ?? 1) : sizes) as Shape;
}

/** The product of a shape's dimensions: orders the problems of an op by size. */
export const volume = ({ op, shape }: { readonly op: OpId; readonly shape: Shape }): number =>
  opById(op)
    .sizes(shape)
    .reduce((product, size) => product * size, 1);

/** The problem of an op, a shape and a dtype; null if the shape belongs to another op. */
export function problemWith(op: OpId, shape: Shape, dtype: Dtype): Problem | null {
  const names = opById(op).dimensions.map(({ name }) => name);
  const isItsShape =
    Object.keys(shape).length === names.length && names.every((name) => Object.hasOwn(shape, name));
  return isItsShape ? ({ op, shape, dtype } as Problem) : null;
}

/** The op a shape belongs to, by its dimensions: the first match, null if there is none. */
export function opOfShape(shape: Shape): OpId | null {
  return idsOf(OPS).find((op) => problemWith(op, shape, 'f32')) ?? null;
}

/** A problem as it is written and stored. */
export interface ProblemText {
  readonly op: string;
  readonly shape: string;
  readonly dtype: string;
}

/**
 * Whether this release knows the op and the dtype of a row: a database may have rows of a newer one,
 * which lists leave out.
 */
export const isKnownProblem = ({ op, dtype }: Pick<ProblemText, 'op' | 'dtype'>): boolean =>
  Object.hasOwn(OPS, op) && Object.hasOwn(DTYPES, dtype);

/** Parses a problem from user input. Throws InputError at the invalid part. */
export function parseProblem({ op, shape, dtype }: ProblemText): Problem {
  if (!Object.hasOwn(DTYPES, dtype)) {
    throw new InputError(
      `There is no dtype '${dtype}'. Dtypes: ${idsOf(DTYPES).join(', ')}.`,
      'dtype',
    );
  }
  return { op, shape: parseShape(op as OpId, shape), dtype } as Problem;
}
