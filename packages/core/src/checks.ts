import {
  inputTensors,
  type Kernel,
  type OutputCheck,
  outputCheck,
  type Problem,
  shapeText,
} from '@tilemark/kernels';

/** Seed of every run's inputs: all results of a problem are of the same numbers. */
export const INPUT_SEED = 1;

/** Host memory that the check of a past run may hold, in inputs and references. */
const KEPT_BYTES = 512 * 2 ** 20;

/**
 * Checks of outputs, kept from run to run of one problem: its inputs and what follows
 * from them are the same for every variant, and take longer to make than most kernels
 * to measure. Another problem takes their place.
 */
export class Checks {
  #kept: { readonly key: string; readonly check: OutputCheck } | null = null;

  of(problem: Problem, { computes, errorGrowth }: Kernel): OutputCheck {
    const key = [problem.op, shapeText(problem), problem.dtype, computes, errorGrowth].join(' ');
    if (this.#kept?.key === key) return this.#kept.check;
    // Before the new one is made: the memory is for one of them.
    this.#kept = null;
    const inputs = inputTensors(problem, { seed: INPUT_SEED });
    const check = outputCheck(problem, inputs, { computes, errorGrowth });
    // Twice the inputs: the reference of a transpose is as large as its input.
    const bytes = 2 * inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (bytes <= KEPT_BYTES) this.#kept = { key, check };
    return check;
  }
}
