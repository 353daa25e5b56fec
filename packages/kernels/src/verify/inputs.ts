import { DTYPES, type Dtype, type Tensor } from '../dtype';
import { hash32, type Rows } from '../numbers';
import { allocate, elements } from '../op';
import { opOf } from '../ops';
import type { Problem } from '../problem';

/** `uniform`: zero-mean values. `exact`: integers with exact results, to compare with `==`. */
export type InputMode = 'uniform' | 'exact';

/** Which inputs to generate: equal choices give equal bits, on the host and in the fill shader. */
export interface InputChoice {
  readonly seed: number;
  /** Absent: `uniform`. */
  readonly mode?: InputMode;
}

/** The seed of a buffer set's inputs: the run's own for the first, another for each further one. */
export function seedOfSet(seed: number, set: number): number {
  return set === 0 ? seed : hash32(hash32(seed) + set);
}

/** How one tensor is filled, on the host or by the fill shader. */
export interface Fill {
  readonly length: number;
  /** Added to each element's index before hashing. */
  readonly stream: number;
  /** Integers from `least` to `range`; a range of 0 means fractions in (-1, 1). */
  readonly range: number;
  readonly least: number;
}

/** Largest magnitude of integer inputs, so that products stay below 2^30 even if K allows more. */
const MAX_RANGE = 32_767;

/** How each input of a problem is filled. Throws RangeError if K is too long for exact sums. */
export function fillsOf(problem: Problem, { seed, mode = 'uniform' }: InputChoice): Fill[] {
  const integers = mode === 'exact' || DTYPES[problem.dtype].isInteger;
  const range = integers ? integerRange(problem) : 0;
  return opOf(problem)
    .inputs(problem.shape)
    .map((dims, tensor) => ({
      length: elements(dims),
      stream: hash32(hash32(hash32(seed)) + tensor),
      range,
      least: DTYPES[problem.dtype].isSigned ? -range : 0,
    }));
}

/** The inputs of a problem on the host, row-major; `shared` with threads if asked for. */
export function inputTensors(problem: Problem, choice: InputChoice, shared = false): Tensor[] {
  const inputs = fillsOf(problem, choice).map(({ length }) =>
    allocate(problem.dtype, length, shared),
  );
  refillTensors(inputs, problem, choice);
  return inputs;
}

/** As `inputTensors`, in place: what is allocated is collected sooner or later, in a timed sample. */
export function refillTensors(
  inputs: readonly Tensor[],
  problem: Problem,
  choice: InputChoice,
): void {
  for (const [index, fill] of fillsOf(problem, choice).entries()) {
    const input = inputs[index];
    if (input) fillElements(input, fill, problem.dtype, 0);
  }
}

/** A block of one input, row-major: the given rows and columns, bit for bit as in `inputTensors`. */
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
  const out = allocate(problem.dtype, rows.length * width);
  for (const [index, row] of rows.entries()) {
    const line = out.subarray(index * width, (index + 1) * width);
    fillElements(line, fill, problem.dtype, row * dims.cols + cols.first);
  }
  return out;
}

/** Fills `out` with the elements of an input, starting at `first`. */
function fillElements(
  out: Tensor,
  { stream, range, least }: Fill,
  dtype: Dtype,
  first: number,
): void {
  // As a signed integer, so that adding the index needs no conversion per element.
  const start = (first + stream) | 0;
  if (range > 0) {
    const count = range - least + 1;
    for (let i = 0; i < out.length; i++) out[i] = ((hash32(i + start) >>> 1) % count) + least;
    return;
  }
  // An odd multiple of 2^-bits below 1 has at most `bits` significant bits, so it is exact in the
  // dtype. It is never 0, and the mean is 0.
  const bits = DTYPES[dtype].fractionBits;
  const one = 2 ** bits;
  const scale = 1 / one;
  // Twice the upper bits of the hash plus one, computed by shifting one less and setting the last bit.
  const shift = 31 - bits;
  for (let i = 0; i < out.length; i++) {
    out[i] = (((hash32(i + start) >>> shift) | 1) - one) * scale;
  }
}

/** Largest r for which the op's sums of products of integers up to r are exact in the dtype. */
function integerRange(problem: Problem): number {
  const terms = opOf(problem).terms(problem.shape);
  const { exactLimit } = DTYPES[problem.dtype];
  const range = Math.floor(Math.sqrt(exactLimit / terms));
  if (range < 1) {
    throw new RangeError(
      `sums of exact inputs in ${problem.dtype} can have at most ${exactLimit} products; this shape has ${terms}`,
    );
  }
  return Math.min(range, MAX_RANGE);
}
