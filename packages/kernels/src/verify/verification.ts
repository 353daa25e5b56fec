import type { Rows } from '../numbers';
import type { Order } from '../problem/dtype';
import type { Tensor } from '../problem/scalar';
import type { Comparison } from './compare';

/** How every element of an output was checked; `device`: there (gpu/judge/); `exact`: with ==. */
export type VerifyMethod = 'device' | 'whole' | 'exact';

export interface Verdict extends Comparison {
  readonly method: VerifyMethod;
}

/** Checks an output of a problem, or some of its rows; `worst` of the verdict is null if it is right. */
export type OutputCheck = (output: Tensor, part?: Rows) => Verdict;

/** One verdict on several outputs: wrong if one is; its worst element is that of the worst. */
export function merged(verdicts: readonly Verdict[]): Verdict {
  const [first, ...others] = verdicts;
  if (!first) throw new RangeError('no verdicts to merge');
  return others.reduce((all, other) => {
    const isWorse =
      (all.worst === null) === (other.worst === null)
        ? other.worstRatio > all.worstRatio
        : other.worst !== null;
    const { worst, reason, worstRatio } = isWorse ? other : all;
    const squares = all.checked * all.rms ** 2 + other.checked * other.rms ** 2;
    return {
      method: all.method,
      checked: all.checked + other.checked,
      beyond: all.beyond + other.beyond,
      infinite: all.infinite + other.infinite,
      rms: Math.sqrt(squares / (all.checked + other.checked)),
      worstRatio,
      worst,
      reason,
    };
  }, first);
}

/**
 * How outputs of an op are verified. Its reference is computed on a device, by shaders of ours that
 * serve nothing else, and in f64 on the host, which so audits those, and checks host kernels.
 */
export interface Verification<Shape> {
  /**
   * Writes `want` from the inputs; bound to them, to `want` and to a chunk of the work: the first
   * row and column of the output, the first step and the end of the steps, then the shape's sides,
   * the first problem of a batch, and the elements of the output before those of `want`. A workgroup
   * writes 64 x 64 elements of the problem that its z counts from there. The header declares the
   * inputs, `load_A(i)` and `load4_A(i)` for each, A_TRANSPOSED: it is stored so, S: the type of sums,
   * VECTORS: see `vectors`, INPUTS: the binding of `want`, and finished(sum, col): what is stored of a sum.
   */
  readonly reference: string;
  /**
   * Whether `load4_A(i)`, elements i to i + 3, is only asked for multiples of four; absent: no.
   * `orders` are those of the inputs.
   */
  vectors?(shape: Shape, orders: readonly Order[]): boolean;
  /** Products summed into each element, which several dispatches may share; 1: no sums. */
  steps(shape: Shape): number;
  /** Elements of the output in f64; `orders` are those of the inputs. */
  elements(
    shape: Shape,
    line: InputLine,
    rows: readonly number[],
    cols: readonly number[],
    orders: readonly Order[],
  ): ElementsInF64;
  /**
   * The 2-norms that bound an element's error: those of lines of two inputs, by row and by column
   * of the output. Absent: the op does not round, in any dtype.
   */
  readonly norms?: {
    readonly wgsl: string;
    lines(shape: Shape, orders: readonly Order[]): readonly [Lines, Lines];
  };
}

/**
 * Rows or columns of an input, of which `each` are in a problem of a batch; elements of a line lie
 * `step` apart, lines `pitch`.
 */
export interface Lines {
  readonly input: number;
  readonly count: number;
  readonly each: number;
  readonly length: number;
  readonly pitch: number;
  readonly step: number;
}

/** Elements where some rows and columns of an output meet, row-major. */
export interface ElementsInF64 {
  readonly values: ArrayLike<number>;
  /** The product of the 2-norms that bounds the error of each; null where nothing rounds. */
  readonly scales: ArrayLike<number> | null;
}

/** Elements of a generated input that lie `step` apart. */
export type InputLine = (
  input: number,
  line: Pick<Lines, 'step' | 'length'> & { readonly first: number },
) => Tensor;
