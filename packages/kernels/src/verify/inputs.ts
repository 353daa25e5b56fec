import { DTYPES, isBlocked } from '../dtype';
import { hash32 } from '../numbers';
import { allocate, elements, type TensorDims } from '../op';
import { opOf } from '../ops';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { ITEMS, type Item, type StoragePart } from '../storage';
import type { StoredTensor } from '../tensors';
import type { Lines } from './verification';

/**
 * How inputs are drawn. Kernels are measured on `uniform` values, of zero mean; the others verify them:
 * - `exact`: integers whose sums are exact in any order, to compare with `==`. Every product counts.
 * - `scaled`: of floats that are summed. Each sum has at most two products that are not 0, so it is
 *   exact with every bit of both operands in it, at magnitudes far from 1, among zeros and powers of
 *   two.
 * - `bits`: any integer; any normal float and 0. WGSL lets a device change other patterns.
 */
export type InputMode = 'uniform' | 'exact' | 'scaled' | 'bits';

/** Which inputs to generate: equal choices give equal bits, on the host and in the fill shader. */
export interface InputChoice {
  readonly seed: number;
  /** Of each input by itself, where they are of several sets; absent: `seed` for all. */
  readonly seeds?: readonly number[];
  /** Absent: `uniform`. */
  readonly mode?: InputMode;
}

/** Equal for equal choices. */
export const choiceKey = ({ seed, seeds, mode = 'uniform' }: InputChoice): string =>
  `${seeds ?? seed} ${mode}`;

/** What an output is on inputs of this mode: exact where a kernel adds up as it should. */
export const isExact = (mode: InputMode = 'uniform'): boolean =>
  mode === 'exact' || mode === 'scaled';

/** Of the inputs of regimes: one for all runs, so that they share their references. */
export const REGIME_SEED = 0x7e61_3e5e;

/** The modes in which a problem is verified beside `uniform`, and how messages say so. */
export function regimesOf(problem: Problem): readonly Regime[] {
  const { onDevice } = opOf(problem).verification;
  if (!onDevice) return [];
  // Blocks have no values far from those of their neighbours.
  const floats: readonly InputMode[] = isBlocked(problem.dtype) ? ['exact'] : ['exact', 'scaled'];
  const modes: readonly InputMode[] =
    onDevice.norms && !DTYPES[problem.dtype].isInteger ? floats : ['bits'];
  return modes
    .filter((mode) => mode !== 'exact' || exactRange(problem) > 0)
    .map((mode) => ({ mode, words: WORDS[mode] }));
}

export interface Regime {
  readonly mode: InputMode;
  readonly words: string;
}

const WORDS: Readonly<Record<InputMode, string>> = {
  uniform: 'fractions',
  exact: 'integers, whose sums are exact',
  scaled: 'zeros, powers of two and values far from 1',
  bits: 'inputs of any bits',
};

/** The seed of a buffer set's inputs: the run's own for the first, another for each further one. */
export function seedOfSet(seed: number, set: number): number {
  return set === 0 ? seed : hash32(hash32(seed) + set);
}

/** How one part of a tensor is filled, on the host or by the fill shader. */
export interface Fill {
  readonly item: Item;
  readonly length: number;
  /** Added to each item's index before hashing. */
  readonly stream: number;
  readonly kind: (typeof KINDS)[InputMode];
  /**
   * Integers: of magnitudes up to `range`, the least of them `least`. Scaled values and bits: their
   * exponents, from `least` to `range`. Fractions: 0.
   */
  readonly range: number;
  readonly least: number;
  /** Of fractions: significant bits, and the exponent of the power of two that they are times. */
  readonly bits: number;
  readonly exponent: number;
  /** Of scaled values: where the lines lie that meet those of another input, and which of the two it is. */
  readonly lines: (Pick<Lines, 'each' | 'length' | 'pitch' | 'step'> & { role: number }) | null;
}

/** As in fill.wgsl. */
const KINDS = { uniform: 0, exact: 1, scaled: 2, bits: 3 } as const;

/** The words of a fill, as fill.wgsl takes them. */
export function fillWords({ length, stream, kind, range, least, lines }: Fill): number[] {
  const { each = 1, length: steps = 1, pitch = 1, step = 1, role = 0 } = lines ?? {};
  return [length, stream, kind, range, least, each, steps, pitch, step, role];
}

/** Largest magnitude of integer inputs, so that products stay below 2^30 even if K allows more. */
const MAX_RANGE = 32_767;

/**
 * How each part of each input of a problem is filled. Throws RangeError if K is too long for exact
 * sums, TypeError for a mode that a storage in blocks does not have.
 */
export function fillsOf(
  problem: Problem,
  { seed, seeds = [], mode = 'uniform' }: InputChoice,
): Fill[] {
  const op = opOf(problem);
  const { inputs } = op.stored(problem.shape, problem.dtype);
  const orders = inputs.map(({ order }) => order);
  const lines = op.verification.onDevice?.norms?.lines(problem.shape, orders);
  return inputs
    .flatMap(({ parts }, input) => parts.map((part) => ({ part, input })))
    .map(({ part, input }, index) => {
      const role = lines?.findIndex((line) => line.input === input) ?? -1;
      const summed = lines?.[role];
      return {
        item: part.item,
        length: part.length,
        stream: hash32(hash32(hash32(seeds[index] ?? seed)) + index),
        bits: part.item.fractionBits,
        exponent: 0,
        ...drawnOf(problem, part, mode),
        lines: summed ? { ...summed, role } : null,
      };
    });
}

/** What the items of a part are drawn from. */
function drawnOf(
  problem: Problem,
  { item, drawn }: StoragePart,
  mode: InputMode,
): Pick<Fill, 'kind' | 'range' | 'least'> & Partial<Pick<Fill, 'bits' | 'exponent'>> {
  if (drawn) return drawnInBlock(problem, drawn, mode);
  const { isInteger, isSigned, normal, scales } = item;
  const kind = mode === 'uniform' && isInteger ? 'exact' : mode;
  const magnitudes = () => {
    const range = integerRange(problem);
    return { range, least: isSigned ? -range : 0 };
  };
  const ranges = {
    uniform: () => ({ range: 0, least: 0 }),
    exact: magnitudes,
    scaled: () => ({ least: scales[0], range: scales[1] }),
    // Biased, as f32 has them.
    bits: () => ({ least: normal[0] + 127, range: normal[1] + 127 }),
  }[kind]();
  return { kind: KINDS[kind], ...ranges };
}

/** Integers and their scales, which are 1 and -1 where elements are integers. */
function drawnInBlock(
  problem: Problem,
  drawn: NonNullable<StoragePart['drawn']>,
  mode: InputMode,
): ReturnType<typeof drawnOf> {
  if (mode !== 'uniform' && mode !== 'exact') {
    throw new TypeError(`storages in blocks are not drawn as ${WORDS[mode]}`);
  }
  if ('bits' in drawn) {
    return mode === 'uniform'
      ? { kind: KINDS.uniform, range: 0, least: 0, ...drawn }
      : { kind: KINDS.exact, range: 1, least: -1 };
  }
  const range = mode === 'uniform' ? drawn.most : Math.min(drawn.most, integerRange(problem));
  return {
    kind: KINDS.exact,
    range,
    least: Math.max(drawn.least, mode === 'uniform' ? drawn.least : -range),
  };
}

/** The inputs of a problem on the host, decoded and row-major; `shared` with threads if asked for. */
export function inputTensors(problem: Problem, choice: InputChoice, shared = false): Tensor[] {
  const inputs = storedInputs(problem).map((tensor) =>
    allocate(itemOf(tensor), elements(tensor.dims), shared),
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

/** Elements of one input `step` apart in memory, bit for bit as in `inputTensors`. */
export function inputLine(
  problem: Problem,
  choice: InputChoice,
  input: number,
  { first, step, length }: Pick<Lines, 'step' | 'length'> & { readonly first: number },
): Tensor {
  const tensors = storedInputs(problem);
  const tensor = tensors[input];
  if (!tensor) throw new RangeError(`${problem.op} has no input ${input}`);
  const before = tensors.slice(0, input).reduce((sum, { parts }) => sum + parts.length, 0);
  const fills = fillsOf(problem, choice).slice(before, before + tensor.parts.length);
  const out = allocate(itemOf(tensor), length);
  fillElements(out, tensor, fills, first, step);
  return out;
}

/** The contents of each part of each input, as a device has them. */
export function storedBytes(problem: Problem, choice: InputChoice): Uint8Array<ArrayBuffer>[] {
  return fillsOf(problem, choice).map((fill) => {
    const items = allocate(fill.item, fill.length);
    fillItems(items, fill, 0);
    return fill.item.toDevice(items);
  });
}

const storedInputs = (problem: Problem) =>
  opOf(problem).stored(problem.shape, problem.dtype).inputs;

/** What a tensor's elements are on the host: f32, if they are decoded. */
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

/** Fills `out` with elements of a tensor in memory, starting at `first`: products of their items. */
function fillElements(
  out: Tensor,
  { parts }: StoredTensor,
  fills: readonly Fill[],
  first: number,
  step = 1,
): void {
  for (const [index, { shared }] of parts.entries()) {
    const fill = fills[index];
    if (!fill) continue;
    if (index === 0) fillItems(out, fill, first, step);
    else multiplyShared(out, fill, shared, first, step);
  }
}

/** Multiplies elements by the items that they share. */
function multiplyShared(
  out: Tensor,
  fill: Fill,
  shared: number,
  first: number,
  step: number,
): void {
  const item = allocate(fill.item, 1);
  let last = -1;
  for (let i = 0; i < out.length; i++) {
    const at = Math.floor((first + i * step) / shared);
    if (at !== last) fillItems(item, fill, at);
    last = at;
    out[i] = (out[i] as number) * (item[0] as number);
  }
}

/** Fills `out` with items of a part, starting at `first`. */
function fillItems(out: Tensor, fill: Fill, first: number, step = 1): void {
  // As a signed integer, so that adding the index needs no conversion per element.
  const start = (first + fill.stream) | 0;
  if (fill.kind === KINDS.scaled) fillScaled(out, fill, first, step);
  else if (fill.kind === KINDS.bits) fillBits(out, fill, start, step);
  else if (fill.kind === KINDS.exact) fillIntegers(out, fill, start, step);
  else fillFractions(out, fill, start, step);
}

/** Never 0, so that a product left out is always seen. */
function fillIntegers(out: Tensor, { range, least }: Fill, start: number, step: number): void {
  const count = range - least;
  for (let i = 0; i < out.length; i++) {
    const value = ((hash32(Math.imul(i, step) + start) >>> 1) % count) + least;
    out[i] = value < 0 ? value : value + 1;
  }
}

function fillFractions(out: Tensor, { bits, exponent }: Fill, start: number, step: number): void {
  // An odd multiple of 2^-bits below 1 has at most `bits` significant bits, so it is exact in the
  // dtype. It is never 0, and the mean is 0.
  const one = 2 ** bits;
  const scale = 2 ** exponent / one;
  // Twice the upper bits of the hash plus one, computed by shifting one less and setting the last bit.
  const shift = 31 - bits;
  for (let i = 0; i < out.length; i++) {
    out[i] = (((hash32(Math.imul(i, step) + start) >>> shift) | 1) - one) * scale;
  }
}

/**
 * Of every two steps of a sum, one is sparse in this input and the other in the other: there, each
 * line has a power of two at one place and zeros elsewhere. Its dense steps are integers of a bit less
 * than the dtype's, so two products have an exact sum, in any order. Each line has a scale of its own.
 */
function fillScaled(out: Tensor, { lines, ...fill }: Fill, first: number, apart: number): void {
  if (!lines) throw new TypeError('scaled inputs are those of sums');
  const { each, length: steps, pitch, step, role } = lines;
  const bits = fill.item.fractionBits - 1;
  const places = Math.max(Math.floor((steps + 1 - role) / 2), 1);
  for (let i = 0; i < out.length; i++) {
    const at = first + i * apart;
    const within = at % (each * steps);
    const line = Math.floor(at / (each * steps)) * each + (Math.floor(within / pitch) % each);
    const p = Math.floor(within / step) % steps;
    const ofLine = hash32(hash32(line + fill.stream));
    const exponent = ((ofLine >>> 1) % (fill.range - fill.least + 1)) + fill.least;
    const hash = hash32(at + fill.stream);
    let magnitude = hash >>> (32 - bits);
    if (p % 2 === role) {
      magnitude = p === 2 * (hash32(ofLine) % places) + role ? 1 : 0;
    } else if ((hash & 0x0e) === 0) {
      magnitude = (hash & 0x10) === 0 ? 0 : 2 ** ((hash >>> 8) % bits);
    }
    out[i] = (hash & 1 ? -magnitude : magnitude) * 2 ** exponent || 0;
  }
}

/** One in 16 is 0. */
function fillBits(
  out: Tensor,
  { range, least, item: { isInteger, fractionBits } }: Fill,
  start: number,
  step: number,
): void {
  const words = new Int32Array(out.buffer, out.byteOffset, out.length);
  const mantissa = 0x7fffff & ~(2 ** (24 - fractionBits) - 1);
  for (let i = 0; i < words.length; i++) {
    const hash = hash32(Math.imul(i, step) + start);
    const more = hash32(hash);
    const exponent = ((more >>> 4) % (range - least + 1)) + least;
    const float = (hash & 0x80000000) | (exponent << 23) | (hash & mantissa);
    words[i] = (more & 15) === 0 ? 0 : isInteger ? hash : float;
  }
}

/** Largest r for which the op's sums of products of integers up to r are exact in the dtype. */
function integerRange(problem: Problem): number {
  const range = exactRange(problem);
  if (range > 0) return range;
  const { terms } = opOf(problem);
  throw new RangeError(
    `no sums of ${terms(problem.shape)} products of integers are exact in ${problem.dtype}`,
  );
}

/**
 * 0 if there is none. Sums of floats go to both sides of 0 like a random walk: in whatever order they
 * are added up, none is beyond 8 deviations, r^2 sqrt(K) at most, but for one of 10^13.
 */
function exactRange(problem: Problem): number {
  const terms = opOf(problem).terms(problem.shape);
  const { exactLimit, isInteger } = DTYPES[problem.dtype];
  const farthest = isInteger ? terms : Math.min(terms, 8 * Math.sqrt(terms));
  return Math.min(Math.floor(Math.sqrt(exactLimit / farthest)), MAX_RANGE);
}
