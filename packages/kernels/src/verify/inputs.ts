import { hash32 } from '../numbers';
import { allocate, elements, type TensorDims } from '../problem/op';
import { opOf, storedOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import { ITEMS, type Item } from '../problem/storage';
import type { StoredTensor } from '../problem/tensors';
import { type Fill, fillsOf, type InputChoice, KINDS } from './fills';
import type { InputLine } from './verification';

/** The inputs of a problem on the host, decoded and row-major; `shared` with threads if asked for. */
export function inputTensors(problem: Problem, choice: InputChoice, shared = false): Tensor[] {
  const inputs = storedInputs(problem).map((tensor) =>
    allocate(itemOf(tensor), elements(tensor.dims), shared),
  );
  refillTensors(inputs, problem, choice);
  return inputs;
}

/**
 * Fills tensors as `inputTensors` does, in place: what is allocated is collected sooner or later, in a timed
 * sample.
 */
export function refillTensors(
  inputs: readonly Tensor[],
  problem: Problem,
  choice: InputChoice,
): void {
  const fills = fillsOf(problem, choice);
  const batch = opOf(problem).batch(problem.shape);
  let part = 0;
  for (const [index, tensor] of storedInputs(problem).entries()) {
    const ofTensor = fills.slice(part, part + tensor.parts.length);
    part += tensor.parts.length;
    const input = inputs[index];
    if (!input) continue;
    if (tensor.order === 'row-major') fillElements(input, tensor, ofTensor, 0);
    else {
      const stored = allocate(itemOf(tensor), input.length);
      fillElements(stored, tensor, ofTensor, 0);
      transposeInto(input, stored, tensor.dims, batch);
    }
  }
}

/** Lines of the inputs, bit for bit as in `inputTensors`. */
export function inputLines(problem: Problem, choice: InputChoice): InputLine {
  const tensors = storedInputs(problem);
  const fills = fillsOf(problem, choice);
  return (input, { first, step, length }) => {
    const tensor = tensors[input];
    if (!tensor) throw new RangeError(`${problem.op} has no input ${input}`);
    const before = tensors.slice(0, input).reduce((sum, { parts }) => sum + parts.length, 0);
    const out = allocate(itemOf(tensor), length);
    const ofTensor = fills.slice(before, before + tensor.parts.length);
    fillElements(out, tensor, ofTensor, first, step);
    return out;
  };
}

const storedInputs = (problem: Problem) => storedOf(problem).inputs;

/** The type of a tensor's elements on the host: f32, if they are decoded. */
const itemOf = ({ parts: [only, ...others] }: StoredTensor): Item =>
  only && others.length === 0 ? only.item : ITEMS.f32;

/** Rows of tensors that lie one below the other, as the columns that they are. */
function transposeInto(out: Tensor, stored: Tensor, dims: TensorDims, batch: number): void {
  const rows = dims.rows / batch;
  for (let row = 0; row < dims.rows; row++) {
    const first = Math.floor(row / rows) * rows * dims.cols + (row % rows);
    for (let col = 0; col < dims.cols; col++) {
      out[first + col * rows] = stored[row * dims.cols + col] as number;
    }
  }
}

/** Fills `out` with elements of a tensor in memory, starting at `first`, as their storage makes them of items. */
function fillElements(
  out: Tensor,
  { parts }: StoredTensor,
  fills: readonly Fill[],
  first: number,
  step = 1,
): void {
  const [values] = fills;
  if (values) fillItems(out, values, first, step);
  const others = parts.map((part, index) => ({ ...part, fill: fills[index] })).slice(1);
  const apply = (
    added: boolean,
    combine: (value: number, item: number, weight: number) => number,
  ) => {
    for (const { fill, shared, weight } of others) {
      if (!fill || (weight !== undefined) !== added) continue;
      const item = allocate(fill.item, 1);
      let last = -1;
      for (let i = 0; i < out.length; i++) {
        const at = Math.floor((first + i * step) / shared);
        if (at !== last) fillItems(item, fill, at);
        last = at;
        out[i] = combine(out[i] as number, item[0] as number, weight ?? 1);
      }
    }
  };
  apply(true, (value, item, weight) => value + weight * item);
  apply(false, (value, item) => value * item);
}

/** Fills `out` with items of a part, starting at `first`. */
export function fillItems(out: Tensor, fill: Fill, first: number, step = 1): void {
  // As a signed integer, so that adding the index needs no conversion per element.
  const start = (first + fill.stream) | 0;
  if (fill.kind === KINDS.integers) fillIntegers(out, fill, start, step);
  else if (fill.kind === KINDS.uniform) fillFractions(out, fill, start, step);
  else if (fill.kind === KINDS.bits) fillBits(out, fill, start, step);
  else fillByPlace(out, fill, AT[fill.kind](fill), first, step);
}

function fillByPlace(out: Tensor, { stream }: Fill, valueAt: ValueAt, first: number, step: number) {
  for (let i = 0; i < out.length; i++) {
    const at = first + i * step;
    out[i] = valueAt(at, hash32(at + stream)) || 0;
  }
}

/** Never 0, so that a product left out is always seen. */
function fillIntegers(out: Tensor, fill: Fill, start: number, step: number): void {
  for (let i = 0; i < out.length; i++) out[i] = integer(fill, hash32(Math.imul(i, step) + start));
}

function integer({ range, least }: Fill, hash: number): number {
  const value = ((hash >>> 1) % (range - least)) + least;
  return value < 0 ? value : value + 1;
}

function fillFractions(out: Tensor, { bits, exponent }: Fill, start: number, step: number): void {
  const scale = 2 ** (exponent - bits);
  for (let i = 0; i < out.length; i++) {
    out[i] = odd(bits, hash32(Math.imul(i, step) + start)) * scale;
  }
}

/**
 * An odd multiple of 2^-bits below 1 has at most `bits` significant bits, so it is exact in the dtype.
 * It is never 0, and the mean is 0. Twice the upper bits of the hash plus one, computed by shifting one
 * less and setting the last bit.
 */
const odd = (bits: number, hash: number): number => ((hash >>> (31 - bits)) | 1) - 2 ** bits;

/** The value at an index in memory, given its hash. */
type ValueAt = (at: number, hash: number) => number;

const AT = {
  [KINDS.scaled]: scaledAt,
  [KINDS.large]: largeAt,
  [KINDS.outliers]: outliersAt,
  [KINDS.zeros]: zerosAt,
  [KINDS.addends]: addendsAt,
  [KINDS.rare]: rareAt,
  [KINDS.signed]: signedAt,
} as const satisfies Partial<Record<Fill['kind'], (fill: Fill) => ValueAt>>;

/** The line of an element, counted through a batch, and its step along the sum. */
function placeOf({ lines }: Fill): (at: number) => { line: number; p: number } {
  if (!lines) return () => ({ line: 0, p: 0 });
  const { each, length: steps, pitch, step } = lines;
  return (at) => {
    const within = at % (each * steps);
    return {
      line: Math.floor(at / (each * steps)) * each + (Math.floor(within / pitch) % each),
      p: Math.floor(within / step) % steps,
    };
  };
}

/**
 * Of every two steps of a sum, one is sparse in this input and the other in the other: there, each
 * line has a power of two at one place and zeros elsewhere. Its dense steps are integers of a bit less
 * than the dtype's, so two products have an exact sum, in any order. Each line has a scale of its own.
 */
function scaledAt(fill: Fill): ValueAt {
  if (!fill.lines) throw new TypeError('scaled inputs are those of sums');
  const { length: steps, role } = fill.lines;
  const bits = fill.bits - 1;
  const places = Math.max(Math.floor((steps + 1 - role) / 2), 1);
  const place = placeOf(fill);
  return (at, hash) => {
    const { line, p } = place(at);
    const ofLine = hash32(hash32(line + fill.stream));
    const exponent = ((ofLine >>> 1) % (fill.range - fill.least + 1)) + fill.least;
    let magnitude = hash >>> (32 - bits);
    if (p % 2 === role) {
      magnitude = p === 2 * (hash32(ofLine) % places) + role ? 1 : 0;
    } else if ((hash & 0x0e) === 0) {
      magnitude = (hash & 0x10) === 0 ? 0 : 2 ** ((hash >>> 8) % bits);
    }
    return (hash & 1 ? -magnitude : magnitude) * 2 ** exponent;
  };
}

/** One line in eight is positive, from half of its power of two up. */
function largeAt(fill: Fill): ValueAt {
  const { bits, least, range, stream } = fill;
  const place = placeOf(fill);
  return (at, hash) => {
    const overflows = hash32(hash32(place(at).line + stream)) % 8 === 0;
    if (!overflows) return odd(bits, hash) * 2 ** (least - bits);
    return (2 ** (bits - 1) + ((hash >>> (33 - bits)) | 1)) * 2 ** (range - bits);
  };
}

/** One in 32 of every other step of a sum: the steps between have those of the other input. */
function outliersAt(fill: Fill): ValueAt {
  const { bits, range } = fill;
  const place = placeOf(fill);
  return (at, hash) => {
    const isOutlier = place(at).p % 2 === (fill.lines?.role ?? 0) && hash32(hash) % 32 === 0;
    return odd(bits, hash) * 2 ** ((isOutlier ? range : 0) - bits);
  };
}

function zerosAt(fill: Fill): ValueAt {
  const { bits, item, stream } = fill;
  return (at, hash) => {
    if (hash32(hash32(Math.floor(at / 64) + stream)) % 2 === 0) return 0;
    return item.isInteger ? integer(fill, hash) : odd(bits, hash) * 2 ** -bits;
  };
}

function addendsAt({ range, least }: Fill): ValueAt {
  return (_at, hash) => ((hash >>> 1) % (range - least + 1)) + least;
}

function rareAt({ range }: Fill): ValueAt {
  return (_at, hash) => ((hash >>> 1) % range === 0 ? (hash & 1 ? -1 : 1) : 0);
}

function signedAt(fill: Fill): ValueAt {
  const { least, lines, range, stream } = fill;
  const place = placeOf(fill);
  return (at, hash) => {
    const magnitude =
      least < 0
        ? Number((hash >>> 1) % -least === 0)
        : ((hash >>> 1) % (range - least + 1)) + least;
    const isNegative =
      (lines?.role ?? 0) === 0 && hash32(hash32(place(at).line + stream)) % 2 === 1;
    return isNegative ? -magnitude : magnitude;
  };
}

/** One in 16 is 0 and, of floats, one is special. */
function fillBits(
  out: Tensor,
  { range, least, item: { isInteger, fractionBits, normal } }: Fill,
  start: number,
  step: number,
): void {
  const words = new Int32Array(out.buffer, out.byteOffset, out.length);
  const mantissa = 0x7fffff & ~(2 ** (24 - fractionBits) - 1);
  const denormal = 2 ** (normal[0] + 1 - fractionBits);
  const special = (hash: number, which: number) => {
    const sign = hash >>> 31 ? -1 : 1;
    if (which === 0) return -0;
    if (which === 1) return sign * Number.POSITIVE_INFINITY;
    if (which === 2) return Number.NaN;
    return sign * ((hash & (2 ** (fractionBits - 1) - 1)) | 1) * denormal;
  };
  for (let i = 0; i < words.length; i++) {
    const hash = hash32(Math.imul(i, step) + start);
    const more = hash32(hash);
    const exponent = ((more >>> 4) % (range - least + 1)) + least;
    const float = (hash & 0x80000000) | (exponent << 23) | (hash & mantissa);
    words[i] = (more & 15) === 0 ? 0 : isInteger ? hash : float;
    if ((more & 15) === 1 && !isInteger) out[i] = special(hash, (more >>> 4) & 3);
  }
}
