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

/** Host memory that checks of past runs may hold, in inputs and references. */
const KEPT_BYTES = 512 * 2 ** 20;

/**
 * Checks of outputs, kept from run to run of one problem: its inputs and what follows
 * from them are the same for every variant, and take longer to make than most kernels
 * to measure. Another problem takes their place.
 */
export class Checks {
  #problem = '';
  #bytes = 0;
  readonly #kept = new Map<number, OutputCheck>();

  /** @param set the buffer set whose inputs the output was computed from */
  of(problem: Problem, computes: Kernel['computes'], set: number): OutputCheck {
    const key = [problem.op, shapeText(problem), problem.dtype, computes].join(' ');
    if (key !== this.#problem) {
      this.#kept.clear();
      this.#bytes = 0;
      this.#problem = key;
    }
    const kept = this.#kept.get(set);
    if (kept) return kept;
    const inputs = inputTensors(problem, { seed: INPUT_SEED, set });
    const check = outputCheck(problem, inputs, computes ? { computes } : {});
    // Twice the inputs: the reference of a transpose is as large as its input.
    const bytes = 2 * inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (this.#bytes + bytes <= KEPT_BYTES) {
      this.#bytes += bytes;
      this.#kept.set(set, check);
    }
    return check;
  }
}
