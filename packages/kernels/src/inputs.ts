import type { Dtype } from './dtype';
import type { Rows, Tensor } from './kernel';
import { elements, type TensorDims } from './op';
import { opOf } from './ops';
import type { Problem } from './problem';

/** `uniform`: zero-mean values. `exact`: integers whose results are exact, for comparing with `==`. */
export type InputMode = 'uniform' | 'exact';

/** Which inputs: equal choices give equal bits, on the host and in the fill shader. */
export interface InputChoice {
  readonly seed: number;
  /** Absent: `uniform`. */
  readonly mode?: InputMode;
}

/** How one tensor is filled: what the fill shader receives, too. */
export interface Fill {
  readonly length: number;
  /** Added to every element's index before hashing. */
  readonly stream: number;
  /** Integers in [-range, range]; 0: fractions in (-1, 1). */
  readonly range: number;
}

/** Largest magnitude of integer inputs: products stay below 2^30 whatever K allows. */
const MAX_RANGE = 32_767;

/** Integers up to here are exact in the dtype (i32: cannot overflow). */
const EXACT_LIMIT: Readonly<Record<Dtype, number>> = {
  f32: 2 ** 24,
  i32: 2 ** 31 - 1,
  f16: 2 ** 11,
  f16acc16: 2 ** 11,
};

/**
 * Bits of a fraction. An odd multiple of 2^-bits below 1 has at most `bits`
 * significant bits, so it is exact in the dtype, never 0, and has mean 0.
 * (Integers have no fractions; their entry only keeps the fill shader valid.)
 */
export const FRACTION_BITS: Readonly<Record<Dtype, number>> = {
  f32: 24,
  i32: 24,
  f16: 11,
  f16acc16: 11,
};

/** How each input of a problem is filled. Throws RangeError where K is too long to be exact. */
export function fillsOf(problem: Problem, { seed, mode = 'uniform' }: InputChoice): Fill[] {
  const integers = mode === 'exact' || problem.dtype === 'i32';
  const range = integers ? integerRange(problem) : 0;
  return opOf(problem)
    .inputs(problem.shape)
    .map((dims: TensorDims, tensor) => ({
      length: elements(dims),
      stream: hash32(hash32(hash32(seed)) + tensor),
      range,
    }));
}

/** The inputs of a problem on the host, row-major. */
export function inputTensors(problem: Problem, choice: InputChoice): Tensor[] {
  return fillsOf(problem, choice).map((fill) => {
    const out = allocate(problem, fill.length);
    fillElements(out, fill, problem.dtype, 0);
    return out;
  });
}

/** Some rows and columns of one input of a problem, row-major: the same bits as there. */
export function inputBlock(
  problem: Problem,
  choice: InputChoice,
  input: number,
  rows: readonly number[],
  cols: Rows,
): Tensor {
  const fill = fillsOf(problem, choice)[input];
  const dims = opOf(problem).inputs(problem.shape)[input];
  if (!fill || !dims) throw new RangeError(`${problem.op} has no input ${input}`);
  const width = cols.end - cols.first;
  const out = allocate(problem, rows.length * width);
  for (const [index, row] of rows.entries()) {
    const line = out.subarray(index * width, (index + 1) * width);
    fillElements(line, fill, problem.dtype, row * dims.cols + cols.first);
  }
  return out;
}

function allocate({ dtype }: Problem, length: number): Tensor {
  return dtype === 'i32' ? new Int32Array(length) : new Float32Array(length);
}

/**
 * Mixes 32 bits: the `lowbias32` function of C. Wellons' hash-prospector
 * (nullprogram.com/blog/2018/07/31). `fill.wgsl` holds the same five lines.
 */
export function hash32(value: number): number {
  let x = value >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** Fills `out` with the elements of an input from `first` on. */
function fillElements(out: Tensor, { stream, range }: Fill, dtype: Dtype, first: number): void {
  // A signed integer stays one when the index is added, which spares a conversion of each.
  const start = (first + stream) | 0;
  if (range > 0) {
    for (let i = 0; i < out.length; i++)
      out[i] = ((hash32(i + start) >>> 1) % (2 * range + 1)) - range;
    return;
  }
  const bits = FRACTION_BITS[dtype];
  const one = 2 ** bits;
  const scale = 1 / one;
  // Twice the upper bits of the hash, plus one: shifted by one less, with the last bit set.
  const shift = 31 - bits;
  for (let i = 0; i < out.length; i++) {
    out[i] = (((hash32(i + start) >>> shift) | 1) - one) * scale;
  }
}

/** Largest r with K r^2 within the exact integers of the dtype. */
function integerRange(problem: Problem): number {
  const terms = problem.op === 'matmul' ? problem.shape.k : 1;
  const range = Math.floor(Math.sqrt(EXACT_LIMIT[problem.dtype] / terms));
  if (range < 1) {
    throw new RangeError(
      `exact inputs in ${problem.dtype} need K <= ${EXACT_LIMIT[problem.dtype]}, got ${terms}`,
    );
  }
  return Math.min(range, MAX_RANGE);
}
