import type { SampleOptions } from './executor';

/** The buffer sets that a dispatch takes each of its inputs, and its output, from. */
export interface Turn {
  readonly inputs: readonly number[];
  readonly output: number;
}

/** How dispatches rotate through buffer sets. */
export interface Rotation {
  readonly sets: number;
  /** Inputs of the op. */
  readonly inputs: number;
  /** All write to the first set. */
  readonly isHot: boolean;
}

/**
 * The sets of a dispatch, counted from when inputs or outputs were last made. With each lap the last
 * input moves on by one set, so that sets² dispatches have different inputs or outputs, and what an
 * output holds is not what comes next: a kernel that keeps products has no use for them.
 */
export function turnOf(count: number, { sets, inputs, isHot }: Rotation): Turn {
  // A single input over a single output differs from the one before as it is.
  const lap = isHot && inputs === 1 ? 0 : Math.floor(count / sets);
  return {
    inputs: Array.from(
      { length: inputs },
      (_, input) => (count + (input === inputs - 1 ? lap : 0)) % sets,
    ),
    output: isHot ? 0 : count % sets,
  };
}

/** Dispatches of a cold rotation before one finds inputs that an earlier one found together. */
export function newTurns({ sets, inputs }: Omit<Rotation, 'isHot'>): number {
  return inputs === 1 ? sets : sets ** 2;
}

/** How the dispatches of a sample rotate: hot through the fewest sets that give each new inputs. */
export function rotationOf(
  { dispatches, rotate }: SampleOptions,
  { sets, inputs }: Omit<Rotation, 'isHot'>,
): Rotation {
  if (rotate) return { sets, inputs, isHot: false };
  const wanted = inputs === 1 ? Math.min(dispatches, 2) : Math.ceil(Math.sqrt(dispatches));
  return { sets: Math.min(wanted, sets), inputs, isHot: true };
}
