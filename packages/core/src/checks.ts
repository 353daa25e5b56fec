import {
  elements,
  generatedCheck,
  type HostPool,
  type Kernel,
  type OutputCheck,
  opOf,
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
  readonly #pool: HostPool | null;
  #kept: { readonly key: string; readonly check: OutputCheck } | null = null;

  /** @param pool shares what takes long to make; null: the calling thread does all of it */
  constructor(pool: HostPool | null = null) {
    this.#pool = pool;
  }

  async of(problem: Problem, { computes, errorGrowth }: Kernel): Promise<OutputCheck> {
    const key = [problem.op, shapeText(problem), problem.dtype, computes, errorGrowth].join(' ');
    if (this.#kept?.key === key) return this.#kept.check;
    // Before the new one is made: the memory is for one of them.
    this.#kept = null;
    const choice = { seed: INPUT_SEED };
    const options = { computes, errorGrowth };
    const { check, holdsInputs } = await generatedCheck(problem, choice, options, this.#pool);
    if (!holdsInputs || keptBytes(problem) <= KEPT_BYTES) this.#kept = { key, check };
    return check;
  }
}

/** Four bytes an element, and twice the inputs: the reference of a transpose is as large as its input. */
function keptBytes(problem: Problem): number {
  const inputs = opOf(problem).inputs(problem.shape);
  return 2 * inputs.reduce((sum, dims) => sum + 4 * elements(dims), 0);
}
