import type { SampleOptions } from './executor';
import { storedOf } from './problem/ops';
import type { Problem } from './problem/problem';
import { type InputChoice, seedOfSet } from './verify/fills';

/** The buffer sets that a dispatch takes each of its inputs, and its output, from. */
export interface Turn {
  readonly inputs: readonly number[];
  readonly output: number;
}

/** How dispatches rotate through buffer sets. */
interface Rotation {
  readonly sets: number;
  /** The tensor that each input buffer is a part of: 0 is A, 1 is B with its scales, 2 the bias. */
  readonly tensors: readonly number[];
  /** All write to the first set. */
  readonly isHot: boolean;
}

/** The tensors of a problem's input buffers, in order. */
export const tensorsOf = (problem: Problem): number[] =>
  storedOf(problem).inputs.flatMap(({ parts }, tensor) => parts.map(() => tensor));

/** Whether there is no B. */
const isSingle = ({ tensors }: Pick<Rotation, 'tensors'>): boolean => !tensors.includes(1);

/**
 * The sets of a dispatch, counted from when inputs or outputs were last made. With each lap B moves on
 * by one set, all of its parts together, so that no A meets a B twice in sets² dispatches, and what an
 * output holds is not what comes next: a kernel that keeps products, or parts of them, has no use for
 * them. A single input meets another output instead.
 */
export function turnOf(count: number, { sets, tensors, isHot }: Rotation): Turn {
  const moving = isSingle({ tensors }) ? 0 : 1;
  // A single input over a single output differs from the one before as it is.
  const lap = isHot && moving === 0 ? 0 : Math.floor(count / sets);
  return {
    inputs: tensors.map((tensor) => (count + (tensor === moving ? lap : 0)) % sets),
    output: isHot ? 0 : count % sets,
  };
}

/** How the dispatches of a sample rotate: hot through the fewest sets that give each new inputs. */
export function rotationOf(
  { dispatches, rotate }: SampleOptions,
  { sets, tensors }: Omit<Rotation, 'isHot'>,
): Rotation {
  if (rotate) return { sets, tensors, isHot: false };
  const wanted = isSingle({ tensors }) ? Math.min(dispatches, 2) : Math.ceil(Math.sqrt(dispatches));
  return { sets: Math.min(wanted, sets), tensors, isHot: true };
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

  /** Dispatches of a rotation before one repeats what an earlier one did. */
  get newTurns(): number {
    return this.#shape.sets ** 2;
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
    const taken = Math.min(sets, next?.dispatches ?? sets);
    for (let set = 0; set < taken; set++) this.#seeds[set] = seedOfSet(seed, set);
    this.restart();
    return taken;
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
    return this.#computedFrom.get(output) ?? this.#shape.tensors.map(() => output);
  }

  /** How those inputs were drawn. */
  choiceOf(output: number): InputChoice {
    const seeds = this.inputsOf(output).map((set) => this.#seeds[set] ?? 0);
    return { seed: seeds[0] ?? 0, seeds };
  }
}
