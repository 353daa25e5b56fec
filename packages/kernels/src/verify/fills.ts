import type { Kernel } from '../kernel/kernel';
import { hash32 } from '../numbers';
import { DTYPES, EXACT, inputsOf, isBlocked, type Rounding } from '../problem/dtype';
import { epilogueError, hasBias, isExactEpilogue } from '../problem/epilogue';
import { opOf, storedOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import {
  partsOfRegime,
  REGIMES,
  type Regime,
  type RegimeName,
  regimeWords,
} from '../problem/regime';
import { type Item, STORAGES, type StoragePart } from '../problem/storage';
import type { Lines } from './verification';

/**
 * How parts of inputs are filled, by the host (inputs.ts) and by the fill shader (gpu/fill.wgsl), bit for
 * bit alike. Kernels are measured on `uniform` values, of zero mean, or in the regime that the problem
 * names (regime.ts); `integers`, `scaled`, `signed` and `bits` verify every kernel besides:
 * - `integers`: their sums are exact in any order, to compare with `==`. Every product counts, of the
 *   longest sums in halves every so many: `rarity`. In storages in blocks, zeros are among them.
 * - `scaled`: of floats that are summed. Each sum has at most two products that are not 0, so it is
 *   exact with every bit of both operands in it, at magnitudes far from 1, among zeros and powers of
 *   two.
 * - `signed`: integers whose sums are exact although all of a row of A have one sign, and all of B are
 *   positive: activations after relu, and sums that leave the range of what adds them up. Of i8, near
 *   its limits.
 * - `bits`: any integer; any float, with zeros of both signs, infinities, NaN and denormals among them,
 *   which a device that only moves them leaves alone.
 * - `large`: beyond the range of halves. Where halves are summed, some rows and columns are positive and
 *   so large that their sums overflow in any order; no other sum does on the way.
 * - `large:e`: the usual ones, times 2^e.
 * - `outliers`: one value in some 64 is many times as large as its neighbours. No two of them meet in a
 *   product: it alone would make up the sum, whose error the bounds would not cover.
 * - `zeros`: every other block of 64 values in memory, at random, is 0.
 *
 * Storages in blocks have the usual scales and integers in all regimes but `integers`.
 */
type NamedMode = 'uniform' | 'scaled' | 'signed' | 'bits' | RegimeName;
export type InputMode = NamedMode | Regime;

/** A choice of inputs to generate: equal choices give equal bits, on the host and in the fill shader. */
export interface InputChoice {
  readonly seed: number;
  /** Of each input by itself, where they are of several sets; absent: `seed` for all. */
  readonly seeds?: readonly number[];
  /** Absent: as the problem's regime says. */
  readonly mode?: InputMode;
}

/** How a problem's inputs are drawn for a choice. */
export const modeOf = (
  { regime }: Pick<Problem, 'regime'>,
  { mode }: Pick<InputChoice, 'mode'>,
): InputMode => mode ?? regime ?? 'uniform';

/** A key of a choice of inputs: equal for equal choices of one problem. */
export const choiceKey = ({ seed, seeds, mode }: InputChoice): string => `${seeds ?? seed} ${mode}`;

/** Whether sums of these inputs are exact where a kernel adds up as it should. */
export const isExact = (problem: Problem, choice: InputChoice): boolean =>
  ['integers', 'scaled', 'signed'].includes(modeOf(problem, choice));

/**
 * How elements of these inputs round. A kernel that adds up inputs first is exact on none, and an
 * epilogue may round what is exact.
 */
export function roundingOn(
  problem: Problem,
  choice: InputChoice,
  { errorGrowth }: { readonly errorGrowth?: Kernel['errorGrowth'] | undefined },
): Rounding {
  const { rounding: usual } = DTYPES[problem.dtype];
  const epilogue = epilogueError(problem, usual.sumRoundoff);
  const rounding = epilogue ? { ...usual, epilogue } : usual;
  if (isExact(problem, choice) && errorGrowth === undefined) {
    return isExactEpilogue(problem) ? EXACT : { ...rounding, sumRoundoff: 0 };
  }
  return rounding;
}

/** The items of inputs that are elements by themselves. */
const elementsOf = ({ dtype }: Pick<Problem, 'dtype'>): readonly Item[] =>
  inputsOf(dtype)
    .map(({ storage }) => STORAGES[storage])
    .flatMap(({ block, parts }) => (block === 1 ? parts.map(({ item }) => item) : []));

/** Why a problem's inputs cannot be drawn in its regime; null: they can. */
export function regimeFault(problem: Problem): string | null {
  const { dtype, regime } = problem;
  if (regime === undefined) return null;
  const words = regimeWords(regime);
  if (DTYPES[dtype].isInteger && regime !== 'zeros') {
    return `${dtype} is not drawn as ${words}: its inputs are integers whose sums cannot overflow`;
  }
  const [, exponent] = partsOfRegime(regime);
  const most = mostExponent(problem);
  if (exponent !== undefined && exponent > (most ?? -1)) {
    return `${dtype} is not drawn as ${words}: ${most === null ? 'it is not of floats that are summed' : `2^${most} is the most`}`;
  }
  return null;
}

/** Of f32, whose norms are sums of squares of inputs. */
const MOST_SCALED = 48;

/** The largest e of `large:e` and `outliers:e`; null: no input is of floats that are summed. */
export function mostExponent(problem: Problem): number | null {
  const { dtype, shape } = problem;
  const items = elementsOf(problem);
  if (items.length === 0 || DTYPES[dtype].isInteger || opOf(problem).flops(shape) === 0)
    return null;
  return Math.min(MOST_SCALED, ...items.map(({ normal }) => normal[1]));
}

/** The seed of inputs in a regime: one for all runs, so that they share their references. */
export const REGIME_SEED = 0x7e61_3e5e;

/** The other ways in which inputs are drawn to verify a problem, and the words for them in messages. */
export function otherInputs(problem: Problem): readonly OtherInputs[] {
  const { norms } = opOf(problem).verification;
  // Blocks have no values far from those of their neighbours.
  const sums: readonly NamedMode[] = isBlocked(problem.dtype)
    ? ['integers']
    : ['integers', 'scaled'];
  // Words that are moved, or whose sums wrap.
  const areBits = !norms || (DTYPES[problem.dtype].isInteger && !isBlocked(problem.dtype));
  const modes: readonly NamedMode[] = areBits ? ['bits'] : sums;
  const last: NamedMode = norms ? 'signed' : 'uniform';
  return [
    ...modes.map((mode) => ({ mode, words: WORDS[mode], isExact: false })),
    ...(isBlocked(problem.dtype) ? [rescaled(problem)] : []),
    { mode: last, words: `${WORDS[last]}, with nothing bound behind the tensors`, isExact: true },
  ];
}

/** The inputs of before with other scales: what was kept of them is wrong. */
function rescaled(problem: Problem): OtherInputs {
  const seeds = storedOf(problem).inputs.flatMap(({ parts }) =>
    parts.map((_, at) => (at === 0 ? REGIME_SEED : seedOfSet(REGIME_SEED, at))),
  );
  return { mode: 'integers', words: 'the same values with other scales', isExact: false, seeds };
}

interface OtherInputs {
  readonly mode: NamedMode;
  readonly words: string;
  /** Whether the tensors are bound as long as they are; else with the guards behind them. */
  readonly isExact: boolean;
  /** Of each part, for inputs that have some of those before, whose scratch memory is left as it was. */
  readonly seeds?: readonly number[];
}

const WORDS: Readonly<Record<NamedMode, string>> = {
  ...REGIMES,
  uniform: 'fractions',
  integers: 'integers, whose sums are exact',
  signed: 'inputs of one sign',
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
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  /**
   * Integers, and addends with 0 among them: up to `range`, the least of them `least`. Rare ones: one of
   * so many is 1 or -1, the others 0. Signed ones: up to `range`, or below 0 one of `-least` is 1. Scaled values and bits: their exponents, from `least` to `range`.
   * Large values: the exponents of those whose sums stay in range and of those that overflow. Outliers:
   * 0 and their exponent. Others: 0.
   */
  readonly range: number;
  readonly least: number;
  /** Of fractions: significant bits, and the exponent of the power of two that they are times. */
  readonly bits: number;
  readonly exponent: number;
  /** Where the lines lie that meet those of another input, and which of the two it is; null: no sums. */
  readonly lines: (Pick<Lines, 'each' | 'length' | 'pitch' | 'step'> & { role: number }) | null;
}

/** The kinds of fills, as in fill.wgsl. */
export const KINDS = {
  uniform: 0,
  integers: 1,
  scaled: 2,
  bits: 3,
  large: 4,
  outliers: 5,
  zeros: 6,
  addends: 7,
  rare: 8,
  signed: 9,
} as const;

/** The place of the stream among the words of a fill. */
export const STREAM_WORD = 1;

/** The words of a fill, as fill.wgsl takes them. */
export function fillWords({ length, stream, kind, range, least, lines }: Fill): number[] {
  const { each = 1, length: steps = 1, pitch = 1, step = 1, role = 0 } = lines ?? {};
  return [length, stream, kind, range, least, each, steps, pitch, step, role];
}

/** Largest magnitude of integer inputs, so that products stay below 2^30 even if K allows more. */
const MAX_RANGE = 32_767;

/**
 * How each part of each input of a problem is filled. Throws TypeError for a mode that a storage in
 * blocks does not have.
 */
export function fillsOf(problem: Problem, choice: InputChoice): Fill[] {
  const { seed, seeds = [] } = choice;
  return partsOf(problem, modeOf(problem, choice)).map((part, index) => ({
    ...part,
    stream: streamOf(seeds[index] ?? seed, index),
  }));
}

/** The stream of a part of the inputs, counted through all of them. */
export const streamOf = (seed: number, part: number): number => hash32(hash32(hash32(seed)) + part);

function partsOf(problem: Problem, mode: InputMode): Omit<Fill, 'stream'>[] {
  const op = opOf(problem);
  const { inputs } = storedOf(problem);
  const orders = inputs.map(({ order }) => order);
  const lines = op.verification.norms?.lines(problem.shape, orders);
  return inputs
    .flatMap(({ parts }, input) => parts.map((part) => ({ part, input })))
    .map(({ part, input }) => {
      const role = lines?.findIndex((line) => line.input === input) ?? -1;
      const summed = lines?.[role];
      return {
        item: part.item,
        length: part.length,
        bits: part.item.fractionBits,
        exponent: 0,
        ...(mode === 'scaled' && !summed ? NOTHING : drawnOf(problem, part, mode)),
        lines: summed ? { ...summed, role } : null,
      };
    });
}

/** A bias that is left out. */
const NOTHING = { kind: KINDS.addends, range: 0, least: 0 } as const;

type Drawn = Pick<Fill, 'kind' | 'range' | 'least'> & Partial<Pick<Fill, 'bits' | 'exponent'>>;

/** The values from which the items of a part are drawn. */
function drawnOf(problem: Problem, part: StoragePart, mode: InputMode): Drawn {
  const { item, drawn } = part;
  if (drawn) return drawnInBlock(problem, part, drawn, mode);
  const { isInteger, isSigned, normal } = item;
  const [named, exponent] = partsOfRegime<NamedMode>(mode);
  const kind = named === 'uniform' && isInteger ? 'integers' : named;
  const none = { range: 0, least: 0 };
  const magnitudes = () => {
    const range = exactRange(problem);
    return { range, least: isSigned ? -range : 0 };
  };
  const integers = () => {
    const range = rarity(problem);
    if (range > 1) return { kind: KINDS.rare, range, least: 0 };
    return { ...magnitudes(), ...(isBlocked(problem.dtype) && { kind: KINDS.addends }) };
  };
  const drawnAs: Readonly<Record<NamedMode, () => Omit<Drawn, 'kind'> & Partial<Drawn>>> = {
    uniform: () => none,
    integers,
    scaled: () => scaledOf(problem, part),
    signed: () => signedOf(problem),
    // Biased, as f32 has them.
    bits: () => ({ least: normal[0] + 127, range: normal[1] + 127 }),
    large: () =>
      exponent === undefined ? largeOf(problem, item) : { kind: KINDS.uniform, ...none, exponent },
    outliers: () => ({
      least: 0,
      range: exponent ?? Math.min(OUTLIER, Math.floor(normal[1] / 2) - 1),
    }),
    zeros: () => (isInteger ? magnitudes() : none),
  };
  return { kind: KINDS[kind], ...drawnAs[kind]() };
}

/** Largest exponent of a product, and of a sum of one sign, whose activation rounds. */
const ACTIVATED = 6;

/** Exponents. A bias is one term too many: it is 0. */
function scaledOf(problem: Problem, { item }: StoragePart): Omit<Drawn, 'kind'> & Partial<Drawn> {
  const [least, range] = item.scales;
  if (isExactEpilogue(problem)) return { least, range };
  const most = Math.floor((ACTIVATED - item.fractionBits + 1) / 2);
  return { least: Math.max(most - 4, least), range: most };
}

/** Sums of one sign grow with the number of their terms. */
function signedOf(problem: Problem): Pick<Drawn, 'range' | 'least'> {
  const { exactLimit, isInteger } = DTYPES[problem.dtype];
  const limit = isExactEpilogue(problem) ? exactLimit / (isInteger ? 1 : 2) : 2 ** ACTIVATED;
  const perTerm = limit / termsOf(problem);
  const bits = elementsOf(problem).map((item) => item.fractionBits);
  const range = Math.min(Math.floor(Math.sqrt(perTerm)), MAX_RANGE, 2 ** Math.min(...bits));
  return range > 0 ? { range, least: 0 } : { range: 1, least: -Math.ceil(1 / perTerm) };
}

/** Exponents: of large values, the least of which halves do not have; of outliers among fractions. */
const LARGE = 20;
const OUTLIER = 10;

/**
 * Large values. Sums of halves overflow where a row and a column are positive, in any order: such
 * products reach 2^17 together, and each is more than half the gap between the largest halves. Other
 * sums are of zero mean, and 8 deviations below 2^16.
 */
function largeOf(problem: Problem, { normal }: Item): Omit<Drawn, 'kind'> & Partial<Drawn> {
  const [, most] = normal;
  const isMoved = opOf(problem).flops(problem.shape) === 0;
  if (isMoved || DTYPES[problem.dtype].rounding.store === null) {
    return { kind: KINDS.uniform, range: 0, least: 0, exponent: Math.min(LARGE, most) };
  }
  const half = Math.log2(opOf(problem).terms(problem.shape)) / 2;
  const range = Math.max(4, Math.ceil(9.5 - half));
  return { range, least: Math.floor(Math.min((14.5 - half) / 2, 14 - half - range)) };
}

/** Integers and their scales, which are 1 and -1 where elements are integers. */
function drawnInBlock(
  problem: Problem,
  { weight }: StoragePart,
  drawn: NonNullable<StoragePart['drawn']>,
  mode: InputMode,
): Drawn {
  if (mode === 'scaled' || mode === 'bits') {
    throw new TypeError(`storages in blocks are not drawn as ${WORDS[mode]}`);
  }
  if (mode === 'signed') return signedInBlock(problem, weight, drawn);
  const areIntegers = mode === 'integers' || DTYPES[problem.dtype].isInteger;
  if ('bits' in drawn) {
    return areIntegers
      ? { kind: KINDS.integers, range: 1, least: -1 }
      : { kind: KINDS.uniform, range: 0, least: 0, ...drawn };
  }
  const most = areIntegers ? Math.floor(exactRange(problem) / Math.abs(weight ?? 1)) : Infinity;
  const range = Math.min(drawn.most, most);
  const least = Math.max(drawn.least, -most);
  const hasZeros = mode === 'integers' || weight !== undefined;
  return { kind: hasZeros ? KINDS.addends : KINDS.integers, range, least };
}

/** Positive ones with a scale of 1, near the limits of i8, and zero points of 0. */
function signedInBlock(
  problem: Problem,
  weight: number | undefined,
  drawn: NonNullable<StoragePart['drawn']>,
): Drawn {
  if ('bits' in drawn) return { kind: KINDS.integers, range: 1, least: 0 };
  const { isInteger } = DTYPES[problem.dtype];
  const most = weight === undefined ? Math.min(drawn.most, signedOf(problem).range) : 0;
  return { kind: KINDS.addends, range: most, least: isInteger ? Math.max(most - 15, 0) : 0 };
}

const termsOf = (problem: Problem): number =>
  opOf(problem).terms(problem.shape) + (hasBias(problem) ? 1 : 0);

/**
 * Sums of floats go to both sides of 0 like a random walk: in whatever order they are added up, none is
 * beyond so many deviations, r^2 sqrt(K) at most, but for one of 10^13.
 */
const DEVIATIONS = 8;

/** One product in so many is not 0: the sum of all, of integers as small as they can be, would not be exact. */
function thinning(problem: Problem): number {
  const { exactLimit, isInteger } = DTYPES[problem.dtype];
  return isInteger ? 1 : Math.ceil((DEVIATIONS ** 2 * termsOf(problem)) / exactLimit ** 2);
}

/** One element in so many is not 0: of both factors, but of one alone where the other is in blocks. */
const rarity = (problem: Problem): number =>
  isBlocked(problem.dtype) ? thinning(problem) : Math.ceil(Math.sqrt(thinning(problem)));

/** Largest r for which the op's sums of products of integers up to r are exact in the dtype. */
function exactRange(problem: Problem): number {
  const { exactLimit, isInteger } = DTYPES[problem.dtype];
  const terms = termsOf(problem) / thinning(problem);
  const farthest = isInteger ? terms : Math.min(terms, DEVIATIONS * Math.sqrt(terms));
  const bits = elementsOf(problem).map((item) => item.fractionBits);
  return Math.min(
    Math.floor(Math.sqrt(exactLimit / farthest)),
    MAX_RANGE,
    // What an input has.
    2 ** Math.min(...bits),
    // Larger sums would lie where an activation that rounds is flat.
    isExactEpilogue(problem) ? MAX_RANGE : 1,
  );
}
