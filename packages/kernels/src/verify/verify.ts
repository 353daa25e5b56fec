import type { Kernel } from '../kernel/kernel';
import type { Rows } from '../numbers';
import { DTYPES, type Rounding } from '../problem/dtype';
import { finisherOf, hasBias } from '../problem/epilogue';
import { allocate } from '../problem/op';
import { opOf, storedOf } from '../problem/ops';
import type { Problem } from '../problem/problem';
import type { Tensor } from '../problem/scalar';
import { compareBits, Tally } from './compare';
import { roundingOn } from './fills';
import { boundOf } from './precision';
import type { ElementsInF64, InputLine, OutputCheck, Verdict } from './verification';

/**
 * Verification: is a kernel's output right? Inputs are generated from a seed, with the same bits
 * on host and device (inputs.ts). Outputs are poisoned first, so that unwritten elements are found
 * (poison.ts). Every element is compared with the op's reference (`Op.verification`): on the device
 * (gpu/judge/), or here with one in f64. docs/measure.md derives the bounds.
 */
export interface VerifyOptions {
  /** See `Kernel.computes`. */
  readonly computes?: Kernel['computes'];
  /** See `Kernel.errorGrowth`. */
  readonly errorGrowth?: Kernel['errorGrowth'];
  /** How right elements round; absent: as on the usual inputs. */
  readonly rounding?: Rounding | undefined;
}

/** 32 random bits. */
export const drawSecret = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/**
 * A check of outputs for these inputs, as the op has them, against its reference in f64. It keeps
 * whatever depends on the inputs alone, so that checking several outputs costs less than as many checks.
 * Throws TypeError for another number of inputs or elements.
 */
export function outputCheck(
  problem: Problem,
  inputs: readonly Tensor[],
  options: VerifyOptions = {},
): OutputCheck {
  const { output: outputOf, verification } = opOf(problem);
  const { rows, cols } = outputOf(problem.shape);
  const count = storedOf(problem).inputs.length;
  if (inputs.length !== count) {
    throw new TypeError(`${problem.op} takes ${count} inputs, not ${inputs.length}`);
  }
  const isSum = verification.norms !== undefined && options.computes !== 'copy';
  const compare = (isSum ? compareSums : compareMoved)(problem, inputs, options);
  return (output, part = { first: 0, end: rows }) => {
    if (output.length !== rows * cols) {
      throw new TypeError(`the output must have ${rows * cols} elements, not ${output.length}`);
    }
    return compare(output, part);
  };
}

/** The comparison of some rows of an output of the right size. */
type Compare = (output: Tensor, part: Rows) => Verdict;

/** Elements of a reference that are computed at a time, and the most of one that is kept. */
const AT_ONCE = 2 ** 20;
const KEPT = 2 ** 22;

/** Elements that no arithmetic made, which are compared bit for bit. */
function compareMoved(
  problem: Problem,
  inputs: readonly Tensor[],
  { computes }: VerifyOptions,
): Compare {
  const { rows, cols } = opOf(problem).output(problem.shape);
  const expected = () => {
    const [input] = inputs;
    if (computes === 'copy' && input) return input;
    const out = allocate(DTYPES[problem.dtype], rows * cols);
    const elementsOf = referenceOf(problem, inputs);
    for (const part of partsOf({ first: 0, end: rows }, cols)) {
      out.set(elementsOf(part).values, part.first * cols);
    }
    return out;
  };
  let want: Tensor | undefined;
  return (output) => {
    want ??= expected();
    return { method: 'exact', ...compareBits(output, want, cols) };
  };
}

/** Sums, each within its bound. */
function compareSums(problem: Problem, inputs: readonly Tensor[], options: VerifyOptions): Compare {
  const { errorGrowth } = options;
  const { rounding = roundingOn(problem, { seed: 0 }, { errorGrowth }) } = options;
  const { output: outputOf, terms } = opOf(problem);
  const { rows, cols } = outputOf(problem.shape);
  const precision = { rounding, terms: terms(problem.shape), growth: errorGrowth ?? 1 };
  const bounds = boundOf(precision, rows * cols);
  const isExact = rounding.sumRoundoff === 0;
  const finish = finisherOf(problem);
  const bias = hasBias(problem) ? inputs.at(-1) : undefined;
  const elementsOf = keptOf(referenceOf(problem, inputs), rows * cols);
  return (output, part) => {
    const tally = new Tally(isExact ? null : precision);
    // The largest norms are those of all rows.
    const parts = errorGrowth === undefined ? partsOf(part, cols) : [part];
    for (const { first, end } of parts) {
      const { values, scales } = elementsOf({ first, end });
      const largest = errorGrowth === undefined ? null : Array.from(scales ?? []).reduce(max, 0);
      for (let at = 0; at < (end - first) * cols; at++) {
        const [row, col] = [first + Math.floor(at / cols), at % cols];
        const sum = values[at] ?? Number.NaN;
        const want = finish ? finish(sum, bias?.[col] ?? 0) : sum;
        const scale = largest ?? scales?.[at] ?? 0;
        const bound = bounds.tolerance * scale + bounds.relative * Math.abs(want) + bounds.absolute;
        tally.add(row, col, output[row * cols + col] ?? Number.NaN, want, bound, scale);
      }
    }
    return { method: isExact ? 'exact' : 'whole', ...tally.result() };
  };
}

const max = (a: number, b: number): number => Math.max(a, b);

type ElementsOf = (part: Rows) => ElementsInF64;

/** Rows of the op's reference, of inputs as the op has them. */
function referenceOf(problem: Problem, inputs: readonly Tensor[]): ElementsOf {
  const { output, verification } = opOf(problem);
  const cols = range({ first: 0, end: output(problem.shape).cols });
  const orders = inputs.map(() => 'row-major' as const);
  const line: InputLine = (input, { first, step, length }) => {
    const tensor = inputs[input];
    if (!tensor) throw new RangeError(`${problem.op} has no input ${input}`);
    if (step === 1) return tensor.subarray(first, first + length);
    const out = tensor.slice(0, length);
    for (let i = 0; i < length; i++) out[i] = tensor[first + i * step] as number;
    return out;
  };
  return (part) => verification.elements(problem.shape, line, range(part), cols, orders);
}

/** The same, computed once each if the whole of `length` elements is small. */
function keptOf(elementsOf: ElementsOf, length: number): ElementsOf {
  const kept = new Map<string, ElementsInF64>();
  return (part) => {
    const key = `${part.first} ${part.end}`;
    const elements = kept.get(key) ?? elementsOf(part);
    if (length <= KEPT) kept.set(key, elements);
    return elements;
  };
}

const range = ({ first, end }: Rows): number[] =>
  Array.from({ length: end - first }, (_, at) => first + at);

/** Rows of `cols` elements, some at a time. */
function partsOf({ first, end }: Rows, cols: number): Rows[] {
  const size = Math.max(1, Math.floor(AT_ONCE / cols));
  return Array.from({ length: Math.ceil((end - first) / size) }, (_, at) => ({
    first: first + at * size,
    end: Math.min(first + (at + 1) * size, end),
  }));
}
