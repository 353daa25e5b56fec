import type { SampleOptions } from './executor';
import { type InputChoice, seedOfSet } from './verify/fills';

/** The buffer sets that a dispatch takes each of its inputs, and its output, from. */
export interface Turn {
  readonly inputs: readonly number[];
  readonly output: number;
}

/** How dispatches rotate through buffer sets. */
interface Rotation {
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

/** How the dispatches of a sample rotate: hot through the fewest sets that give each new inputs. */
export function rotationOf(
  { dispatches, rotate }: SampleOptions,
  { sets, inputs }: Omit<Rotation, 'isHot'>,
): Rotation {
  if (rotate) return { sets, inputs, isHot: false };
  const wanted = inputs === 1 ? Math.min(dispatches, 2) : Math.ceil(Math.sqrt(dispatches));
  return { sets: Math.min(wanted, sets), inputs, isHot: true };
}

/** The turns of a prepared variant's dispatches: from which sets each was computed, and by which seeds. */
export class Turns {
  readonly #shape: Omit<Rotation, 'isHot'>;
  /** Of the inputs of each set. */
  readonly #seeds: number[];
  /** The sets of the inputs that each output was last computed from; absent: its own. */
  readonly #computedFrom = new Map<number, readonly number[]>();
  /** Dispatches since inputs or outputs were last made. */
  #count = 0;
  #last = 0;

  /** @param seed of the inputs, of which each set derives its own */
  constructor(shape: Omit<Rotation, 'isHot'>, seed: number) {
    this.#shape = shape;
    this.#seeds = Array.from({ length: shape.sets }, (_, set) => seedOfSet(seed, set));
  }

  /** Dispatches of a cold rotation before one finds inputs that an earlier one found together. */
  get newTurns(): number {
    const { inputs, sets } = this.#shape;
    return inputs === 1 ? sets : sets ** 2;
  }

  /** The buffer set of the last dispatch; 0 before the first. */
  get lastSet(): number {
    return this.#last;
  }

  /** Outputs are made again: the next dispatch is the first of the rotation. */
  restart(): void {
    this.#count = 0;
    this.#computedFrom.clear();
  }

  /** The same with inputs of another seed. Returns of how many sets: all, or those that `next` takes. */
  reseed(seed: number, next?: SampleOptions): number {
    const { sets } = next ? rotationOf(next, this.#shape) : this.#shape;
    for (let set = 0; set < sets; set++) this.#seeds[set] = seedOfSet(seed, set);
    this.restart();
    return sets;
  }

  /** The turns of a sample's dispatches, which take place. */
  *take(options: SampleOptions): Generator<Turn, void> {
    const rotation = rotationOf(options, this.#shape);
    for (let dispatch = 0; dispatch < options.dispatches; dispatch++) {
      const turn = turnOf(this.#count++, rotation);
      this.#last = turn.output;
      this.#computedFrom.set(turn.output, turn.inputs);
      yield turn;
    }
  }

  /** The sets of the inputs that the output of a set was computed from. */
  inputsOf(output: number): readonly number[] {
    return (
      this.#computedFrom.get(output) ?? Array.from({ length: this.#shape.inputs }, () => output)
    );
  }

  /** How those inputs were drawn. */
  choiceOf(output: number): InputChoice {
    const seeds = this.inputsOf(output).map((set) => this.#seeds[set] ?? 0);
    return { seed: seeds[0] ?? 0, seeds };
  }
}
