import { InputError } from '../errors';

/** The error that an epilogue may add to those of its sums. */
export interface EpilogueError {
  /** The steepest slope of the activation, by which errors of sums grow at most. */
  readonly slope: number;
  /** Whether a bias is one more term of each sum. */
  readonly hasBias: boolean;
  /** What the activation's own steps add: a part of its value, and so much beside. */
  readonly relative: number;
  readonly absolute: number;
}

/** The error of no epilogue. */
export const NO_EPILOGUE: EpilogueError = { slope: 1, hasBias: false, relative: 0, absolute: 0 };

/** A function that each element of a product is put through. */
interface Activation {
  readonly apply: (x: number) => number;
  readonly slope: number;
  /**
   * The error of its own steps in a type of unit roundoff u, where `tanh` is off by t at most. Null:
   * it is exact.
   */
  readonly error: ((u: number, t: number) => Pick<EpilogueError, 'relative' | 'absolute'>) | null;
  /** Its value for an f32 `x`, by arithmetic that WGSL holds to 2.5 ULP and `exp_of`. */
  readonly wgsl: string;
}

/** The largest error of `tanh` of an f32: WGSL, "Accuracy of Concrete Floating Point Expressions". */
const TANH_ERROR = 1e-5;

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

const GELU = { scale: Math.sqrt(2 / Math.PI), cubic: 0.044715 } as const;

const geluArgument = (x: number) => GELU.scale * (x + GELU.cubic * x ** 3);

/**
 * Errors of gelu and silu are derived from what WGSL allows its functions, twice: once for the kernel,
 * once for the reference, which is more exact than that.
 * - `exp(x)`: 3 + 2|x| ULP. 2|x| of them change silu(x) by 1 ULP of 1 at most, and there are 3.5 of the
 *   sum, the quotient and the product: 14u of silu, and 2u.
 * - `tanh(x)`: t, but for one of 1 or -1 to all digits, from |x| = 5.2 on. It is multiplied by |x| / 2.
 *   Its argument's and the other roundings are some 8u.
 */
const ACTIVATIONS = {
  relu: { apply: (x) => Math.max(x, 0), slope: 1, error: null, wgsl: 'max(x, 0.0)' },
  // The tanh form: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), equal to x sigmoid of twice that
  // argument (D. Hendrycks and K. Gimpel, Gaussian Error Linear Units, arXiv 1606.08415, section 2).
  gelu: {
    apply: (x) => x * sigmoid(2 * geluArgument(x)),
    slope: 1.13,
    error: (u, t) => ({ relative: 16 * u, absolute: 2.6 * t + 16 * u }),
    wgsl: `x / (1.0 + exp_of(${-2 * GELU.scale} * (x + ${GELU.cubic} * x * x * x)))`,
  },
  // x sigmoid(x), in the same paper.
  silu: {
    apply: (x) => x * sigmoid(x),
    slope: 1.1,
    error: (u) => ({ relative: 28 * u, absolute: 4 * u }),
    wgsl: 'x / (1.0 + exp_of(-x))',
  },
} as const satisfies Readonly<Record<string, Activation>>;

interface Facts {
  /** For people: `bias, then gelu`. */
  readonly words: string;
  readonly hasBias: boolean;
  readonly activation: Activation | null;
}

const fused = (words: string, activation: Activation | null, hasBias: boolean): Facts => ({
  words,
  activation,
  hasBias,
});

/**
 * Epilogues: what a product is put through before it is stored, C = f(A B + bias). The bias has an
 * element for each column of C, in C's storage; products of a batch share it. An epilogue is part of
 * the problem; a problem that names none is the product alone.
 */
export const EPILOGUES = {
  bias: fused('bias', null, true),
  relu: fused('relu', ACTIVATIONS.relu, false),
  gelu: fused('gelu', ACTIVATIONS.gelu, false),
  silu: fused('silu', ACTIVATIONS.silu, false),
  'bias-relu': fused('bias, then relu', ACTIVATIONS.relu, true),
  'bias-gelu': fused('bias, then gelu', ACTIVATIONS.gelu, true),
  'bias-silu': fused('bias, then silu', ACTIVATIONS.silu, true),
} as const satisfies Readonly<Record<string, Facts>>;

export type Epilogue = keyof typeof EPILOGUES;

/** A problem's epilogue, or a kernel's; absent: none. */
interface Has {
  readonly epilogue?: Epilogue | undefined;
}

const factsOf = ({ epilogue }: Has): Facts | null =>
  epilogue === undefined ? null : EPILOGUES[epilogue];

export const hasBias = (problem: Has): boolean => factsOf(problem)?.hasBias ?? false;

/** Whether what it makes of an exact sum is exact; a bias is part of the sum. */
export const isExactEpilogue = (problem: Has): boolean => !factsOf(problem)?.activation?.error;

/** How it is written behind a problem: `, bias, then gelu`; nothing if there is none. */
export const epilogueText = (problem: Has): string => {
  const facts = factsOf(problem);
  return facts ? `, ${facts.words}` : '';
};

/**
 * The epilogue of a sum with its bias, in f64; null: there is none.
 *
 * @param bias of the element's column, or 0
 */
export function finisherOf(problem: Has): ((sum: number, bias: number) => number) | null {
  const facts = factsOf(problem);
  if (!facts) return null;
  const { activation } = facts;
  return activation ? (sum, bias) => activation.apply(sum + bias) : (sum, bias) => sum + bias;
}

/**
 * The error that an epilogue may add to sums that round by `u`; undefined: there is no epilogue.
 *
 * @param tanhError of what it is compared with, where that is no kernel
 */
export function epilogueError(
  problem: Has,
  u: number,
  tanhError = Math.max(TANH_ERROR, 8 * u),
): EpilogueError | undefined {
  const facts = factsOf(problem);
  if (!facts) return undefined;
  const { activation, hasBias: isOneMore } = facts;
  const { relative, absolute } = activation?.error?.(u, tanhError) ?? { relative: 0, absolute: 0 };
  return { slope: activation?.slope ?? 1, hasBias: isOneMore, relative, absolute };
}

/**
 * `finished(sum, col)` in WGSL, of an element of the reference. It has an exponential of its own, from
 * sums, products and bits alone, since `exp` and `tanh` of a device may be off by more than kernels are.
 *
 * @param exponential WGSL of another `exp_of`
 */
export function finishedWgsl(problem: Has, exponential = EXP): string {
  const facts = factsOf(problem);
  if (!facts) return 'fn finished(sum: S, col: u32) -> S { return sum; }';
  const { activation, hasBias: isAdded } = facts;
  return [
    activation?.error ? exponential : '',
    `fn activated(x: f32) -> f32 { return ${activation?.wgsl ?? 'x'}; }`,
    `fn finished(sum: f32, col: u32) -> f32 { return activated(sum${isAdded ? ' + load_bias(col)' : ''}); }`,
  ].join('\n');
}

/** e^x = 2^n e^r with |r| below 0.35, e^r by its series; ln 2 in two parts, n times the first exact. */
const EXP = `fn exp_of(x: f32) -> f32 {
  let within = clamp(x, -87.0, 87.0);
  let n = round(within * 1.44269504);
  let r = (within - n * 0.693359375) + n * 2.12194440e-4;
  let series = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0
    + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r / 5040.0))))));
  return series * bitcast<f32>(u32(i32(n) + 127) << 23u);
}`;

/** Throws InputError. */
export function parseEpilogue(text: string, field = 'epilogue'): Epilogue {
  if (Object.hasOwn(EPILOGUES, text)) return text as Epilogue;
  const names = Object.keys(EPILOGUES).join(', ');
  throw new InputError(`There is no epilogue '${text}'. Epilogues: ${names}.`, field);
}
