import type { Rounding } from '../dtype';
import { finisherOf } from '../epilogue';
import type { Kernel } from '../kernel';
import { opOf, storedOf } from '../ops';
import type { Problem } from '../problem';
import type { Tensor } from '../scalar';
import { compareBits } from './compare';
import { roundingOn } from './fills';
import type { CheckOptions, OutputCheck } from './verification';

/**
 * Verification: is a kernel's output right? Inputs are generated from a seed, with the same bits
 * on host and device (inputs.ts). Outputs are poisoned first, so that unwritten elements are found
 * (poison.ts). Each op compares an output with an f64 reference (`Op.verification`): bit by bit,
 * element by element or, if that would take minutes, with Freivalds' check (freivalds.ts).
 * docs/measure.md derives the bounds.
 */
export interface VerifyOptions {
  /** See `Kernel.computes`. */
  readonly computes?: Kernel['computes'];
  /** See `Kernel.errorGrowth`. */
  readonly errorGrowth?: Kernel['errorGrowth'];
  /**
   * Decides which vectors, rows and columns are looked at where the whole reference takes too long;
   * absent: drawn at random. A kernel must not know it.
   */
  readonly secret?: number;
  /** Look at secret places where the whole reference would take more than a few milliseconds. */
  readonly sampled?: boolean;
  /** How right elements round; absent: as on the usual inputs. */
  readonly rounding?: Rounding | undefined;
}

/** 32 random bits. */
export const drawSecret = (): number => crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/**
 * A check of outputs for these inputs against the op's reference. It keeps whatever depends on the
 * inputs alone, so that checking several outputs costs less than as many checks.
 */
export function outputCheck(
  problem: Problem,
  inputs: readonly Tensor[],
  options: VerifyOptions = {},
): OutputCheck {
  const { shape } = problem;
  const op = opOf(problem);
  const [first] = inputs;
  const count = storedOf(problem).inputs.length;
  if (!first || inputs.length !== count) {
    throw new TypeError(`${problem.op} takes ${count} inputs, not ${inputs.length}`);
  }
  if (options.computes === 'copy') {
    const { cols } = op.output(shape);
    return sized(problem, (output) => ({ method: 'exact', ...compareBits(output, first, cols) }));
  }
  return sized(problem, op.verification.check(shape, inputs, checkOptions(problem, options)));
}

/** Adds a check of the output's size, which throws TypeError. */
function sized(problem: Problem, compare: OutputCheck): OutputCheck {
  const { rows, cols } = opOf(problem).output(problem.shape);
  return (output) => {
    if (output.length !== rows * cols) {
      throw new TypeError(`the output must have ${rows * cols} elements, not ${output.length}`);
    }
    return compare(output);
  };
}

function checkOptions(problem: Problem, { errorGrowth, ...options }: VerifyOptions): CheckOptions {
  const { sampled = false, secret = drawSecret() } = options;
  const { rounding = roundingOn(problem, { seed: 0 }, { errorGrowth }) } = options;
  return { rounding, errorGrowth, sampled, secret, finish: finisherOf(problem) };
}
