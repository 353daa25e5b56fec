import { InputError } from '../errors';
import { regimeFault } from '../verify/fills';
import { DTYPES, type Dtype, idsOf, isByRows } from './dtype';
import { EPILOGUES, epilogueText, parseEpilogue } from './epilogue';
import { OPS, type OpId, opById } from './ops';
import type { Problem, Shape } from './problem';
import { regimeText } from './regime';

/**
 * Largest dimension a problem may have: kernels count elements in 32 bits, and tiles reach up to 255
 * rows beyond an edge. What a device cannot bind or dispatch is skipped with the reason (feasible.ts).
 */
export const MAX_DIMENSION = 2 ** 24;

/**
 * `512` when every side is 512, else the sides in order: `512x256x128` (MxNxK, RxC). A batch is
 * written with all dimensions: `8x512x512x512` (BxMxNxK).
 */
export function shapeText({ op, shape }: { readonly op: OpId; readonly shape: Shape }): string {
  const { batch, sides, sizes } = opById(op);
  if (batch(shape) > 1) return sizes(shape).join('x');
  const written = sides(shape);
  return new Set(written).size === 1 ? String(written[0]) : written.join('x');
}

/** `512 × 512 × 512`: every side, those of a square too. */
export function sidesText({ op, shape }: { readonly op: OpId; readonly shape: Shape }): string {
  const { batch, sides, sizes } = opById(op);
  return (batch(shape) > 1 ? sizes(shape) : sides(shape)).join(' × ');
}

/** The rest of a problem, beside op, shape and dtype: `, bias, then gelu`; nothing if it is as usual. */
export const particularsText = (problem: Pick<Problem, 'epilogue' | 'regime'>): string =>
  epilogueText(problem) + regimeText(problem);

/** A dimension of any op: `m`, `rows`. */
type DimensionName = (typeof OPS)[OpId]['dimensions'][number]['name'];

/** The dimensions of every op, each once. */
export function dimensionNames(): DimensionName[] {
  const names = Object.values(OPS).flatMap((op) => op.dimensions.map(({ name }) => name));
  return [...new Set(names)];
}

/** How an op's shapes are written: `[Bx]MxNxK`. */
export function dimensionsText(op: OpId, between = 'x'): string {
  const { dimensions } = opById(op);
  return dimensions
    .map(({ letter, default: count }, at) => {
      const text = at < dimensions.length - 1 ? `${letter}${between}` : letter;
      return count === undefined ? text : `[${text}]`;
    })
    .join('');
}

/**
 * Shapes as people write them, as `shapeText` does: `1 × 4096 x 11008`, `1*4096*11008`,
 * `1X4096X11008`, `m=1 n=11008 k=4096`, and three numbers between commas without spaces,
 * `1,4096,11008`, where the op has as many sides. Other lists stay as they are, steps of ranges too.
 * Throws InputError at `field`.
 */
export function plainShapes(op: OpId, text: string, field = 'shape'): string {
  const { sides, square } = opById(op);
  const plain = /[=:]/.test(text) ? namedShapes(op, text, field) : text;
  const joined = plain
    .replaceAll(/[×X]/g, 'x')
    .replaceAll(/(?<!\.\.\s*\d*)(\d)\s*[x*]\s*(?=\d)/g, '$1x');
  return sides(square(1)).length === 3
    ? joined.replaceAll(/(?<=^|[\s;])(\d+),(\d+),(\d+)(?=$|[\s;])/g, '$1x$2x$3')
    : joined;
}

/** `m=1 n=8 k=4`: a shape ends where a name comes again. */
function namedShapes(op: OpId, text: string, field: string): string {
  const { dimensions } = opById(op);
  const shapes: Map<string, string>[] = [];
  const rest = text.replaceAll(/([a-z]+)\s*[=:]\s*(\d+)/gi, (_, written: string, size: string) => {
    const named = dimensions.find(({ letter, name }) =>
      [letter.toLowerCase(), name].includes(written.toLowerCase()),
    );
    if (!named) {
      throw new InputError(`${op} has no dimension ${written}: write ${dimensionsText(op)}`, field);
    }
    const last = shapes.at(-1);
    if (last && !last.has(named.name)) last.set(named.name, size);
    else shapes.push(new Map([[named.name, size]]));
    return '';
  });
  if (/[^\s,;x]/i.test(rest)) throw new InputError(`'${text}' is not a shape of ${op}`, field);
  const sizesOf = (shape: Map<string, string>) =>
    dimensions.map(({ name, default: usual }) => {
      const size = shape.get(name) ?? usual;
      if (size === undefined) throw new InputError(`${name} is missing in '${text}'`, field);
      return size;
    });
  return shapes.map((shape) => sizesOf(shape).join('x')).join(' ');
}

/** Parses one shape, as `plainShapes` reads it. Throws InputError at `field`. */
export function parseShape(op: OpId, text: string, field = 'shape'): Shape {
  const { dimensions, shape, sides, square } = opById(op);
  const sizes = plainShapes(op, text, field).trim().split('x').map(Number);
  const valid = sizes.every((size) => Number.isInteger(size) && size >= 1 && size <= MAX_DIMENSION);
  const example = sides(square(512));
  if (!valid || ![1, example.length, dimensions.length].includes(sizes.length)) {
    throw new InputError(
      `'${text}' is not a shape of ${op}: write ${dimensionsText(op)} (for example ${example.join('x')}) or one number for a square, each from 1 to ${MAX_DIMENSION}`,
      field,
    );
  }
  return (sizes.length === 1 ? square(sizes[0] ?? 1) : shape(sizes)) as Shape;
}

/** The product of a shape's dimensions: orders the problems of an op by size. */
export const volume = ({ op, shape }: { readonly op: OpId; readonly shape: Shape }): number =>
  opById(op)
    .sizes(shape)
    .reduce((product, size) => product * size, 1);

/** The problem of an op, a shape and a dtype; null if the shape belongs to another op. */
export function problemWith(op: OpId, shape: Shape, dtype: Dtype): Problem | null {
  const { dimensions, shape: shapeOf, sizes } = opById(op);
  const isItsShape =
    Object.keys(shape).every((name) => dimensions.some((dimension) => dimension.name === name)) &&
    dimensions.every(
      (dimension) => dimension.default !== undefined || Object.hasOwn(shape, dimension.name),
    );
  // Without a count that users may have stated and that shapes leave out.
  return isItsShape ? ({ op, shape: shapeOf(sizes(shape)), dtype } as Problem) : null;
}

/** A problem as it is written and stored. */
interface ProblemText {
  readonly op: string;
  readonly shape: string;
  readonly dtype: string;
  /** See `EPILOGUES`; null or absent: none. */
  readonly epilogue?: string | null | undefined;
}

/**
 * Whether this release knows the op, the dtype and the epilogue of a row: a database may
 * have rows of a newer one, which lists leave out.
 */
export const isKnownProblem = ({ op, dtype, epilogue }: Omit<ProblemText, 'shape'>): boolean =>
  Object.hasOwn(OPS, op) &&
  Object.hasOwn(DTYPES, dtype) &&
  (epilogue == null || Object.hasOwn(EPILOGUES, epilogue));

/**
 * Why an op's problem cannot be stored as its dtype says, or asked for as it is, and the field at fault;
 * null: it can. Runs of such problems are skipped, so results have them.
 */
export function faultOf(
  op: OpId,
  shape: Shape,
  dtype: Dtype,
  { regime, epilogue }: Pick<Problem, 'regime' | 'epilogue'> = {},
): { readonly field: string; readonly reason: string; readonly multiple?: number } | null {
  const { dimensions, inputs, stored } = opById(op);
  const { A, B, C } = DTYPES[dtype].tensors;
  const isMixed = A.storage !== C.storage || B.storage !== C.storage;
  if (inputs(shape).length < 2 && (isMixed || isByRows(dtype))) {
    return {
      field: 'dtype',
      reason: `${dtype} says how A and B are multiplied, but ${op} has one input`,
    };
  }
  const undrawn = regimeFault({ op, shape, dtype, regime } as Problem);
  if (undrawn) return { field: 'regime', reason: undrawn };
  const unfused = epilogueFault(op, shape, dtype, { regime, epilogue });
  if (unfused) return { field: 'epilogue', reason: unfused };
  const { inputs: tensors } = stored(shape, dtype);
  const at = tensors.findIndex(({ dims, storage }) => dims.cols % storage.block !== 0);
  const tensor = tensors[at];
  if (!tensor) return null;
  const { name, dims, storage } = tensor;
  /** Whether the rows of the tensor get longer with a dimension. */
  const isAlong = (along: string) => {
    const longer = { ...shape, [along]: Number(Reflect.get(shape, along) ?? 1) + 1 };
    return stored(longer, dtype).inputs[at]?.dims.cols !== dims.cols;
  };
  const field = dimensions.find((dimension) => isAlong(dimension.name))?.name ?? 'shape';
  return {
    field,
    multiple: storage.block,
    reason: `${field} must be a multiple of ${storage.block}: ${dtype} stores rows of ${name} in blocks of as many`,
  };
}

/** Why a problem has no such epilogue; null: it may have. */
function epilogueFault(
  op: OpId,
  shape: Shape,
  dtype: Dtype,
  { regime, epilogue }: Pick<Problem, 'regime' | 'epilogue'>,
): string | null {
  if (epilogue === undefined) return null;
  if (opById(op).flops(shape) === 0) return `${op} has no epilogue: only sums have one`;
  if (DTYPES[dtype].isInteger) return `${dtype} has no epilogue: its functions are of floats`;
  return regime === undefined
    ? null
    : 'a problem has a regime or an epilogue: a regime shows how sums are made, so ask for it without one';
}

/** Parses a problem from user input. Throws InputError at the invalid part. */
export function parseProblem({ op, shape, dtype, epilogue }: ProblemText): Problem {
  if (!Object.hasOwn(DTYPES, dtype)) {
    throw new InputError(
      `There is no dtype '${dtype}'. Dtypes: ${idsOf(DTYPES).join(', ')}.`,
      'dtype',
    );
  }
  return {
    ...({ op, shape: parseShape(op as OpId, shape), dtype } as Problem),
    ...(epilogue && { epilogue: parseEpilogue(epilogue) }),
  };
}
