import { InputError } from './errors';
import { opById } from './ops';
import type { OpId, Problem, Shape } from './problem';

/** Largest dimension a problem may have. */
export const MAX_DIMENSION = 65_536;

/** `512` when every dimension is 512, else the dimensions in order: `512x256x128` (MxNxK, RxC). */
export function shapeText({ op, shape }: Pick<Problem, 'op' | 'shape'>): string {
  const sizes = opById(op).sizes(shape);
  return new Set(sizes).size === 1 ? String(sizes[0]) : sizes.join('x');
}

/** Reads what `shapeText` writes. Throws InputError naming `field`. */
export function parseShape(op: OpId, text: string, field = 'shape'): Shape {
  const { dimensions, shape } = opById(op);
  const sizes = text.trim().split('x').map(Number);
  const valid = sizes.every((size) => Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSION);
  if (!valid || (sizes.length !== 1 && sizes.length !== dimensions.length)) {
    throw new InputError(
      `'${text}' is not a shape of ${op}: write ${dimensions.join('x')} (for example ${dimensions.map(() => 512).join('x')}) or one number for a square, each from 1 to ${MAX_DIMENSION}`,
      field,
    );
  }
  return shape(sizes.length === 1 ? dimensions.map(() => sizes[0] ?? 1) : sizes);
}
