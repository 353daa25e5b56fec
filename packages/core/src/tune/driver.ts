import type { DeviceDescription } from '../worker/protocol';
import type { Answer, RunRequest, TrialOutcome, WantedSpec } from './protocol';

/** Variants that are compiled while another is measured, at most. */
const MOST_AHEAD = 16;

/** The answer of a run that was measured before, and the time that this took, ns: the search's clock goes on by it. */
export interface PastAnswer<O extends TrialOutcome> extends Answer<O> {
  readonly spentNs: number;
}

/** What a search is driven with. */
export interface Bench<O extends TrialOutcome> {
  readonly device: TimedDevice;
  /** The answer of a run that was measured before; null: it is to be measured. */
  readonly find: (run: WantedSpec) => PastAnswer<O> | null;
  /** Measures a run, or lets it duel, and keeps the answer. */
  readonly measure: (run: WantedSpec, ahead: readonly WantedSpec[]) => Promise<Answer<O>>;
  /** Does work while nothing else on this machine measures. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

const clockNs = () => performance.now() * 1e6;

/**
 * Drives a search, of a problem or of a family, on a device at hand: a run that it asks for is known,
 * or measured while nothing else here is. A command does so, and a worker whose grid was asked to search.
 */
export class SearchDriver<O extends TrialOutcome> {
  readonly #bench: Bench<O>;
  /** Addresses by dtype that were asked to compile. */
  readonly #compiled = new Set<string>();
  #waitedNs = 0;

  constructor(bench: Bench<O>) {
    this.#bench = bench;
  }

  /** A monotonic clock that stands still while others on this machine measure, ns. */
  readonly nowNs = (): number => clockNs() - this.#waitedNs;

  /** The answer of a run that a search requests. */
  readonly answer = async ({ following, run }: RunRequest): Promise<Answer<O>> => {
    const { find, measure } = this.#bench;
    const past = find(run);
    if (!past) return measure(run, this.#toCompile(following()));
    this.#waitedNs -= past.spentNs;
    return past;
  };

  alone<T>(work: () => Promise<T>): Promise<T> {
    const askedNs = clockNs();
    return this.#bench.alone(() => {
      this.#waitedNs += clockNs() - askedNs;
      return work();
    });
  }

  /** What is worth compiling meanwhile: each variant once, unless its run is known. */
  #toCompile(following: readonly WantedSpec[]): readonly WantedSpec[] {
    const { device, find } = this.#bench;
    if (!compilesAhead(device)) return [];
    const fresh = following.filter((run) => {
      const key = `${run.address} ${run.problem.dtype}`;
      return !this.#compiled.has(key) && !find(run);
    });
    const ahead = fresh.slice(0, MOST_AHEAD);
    for (const { address, problem } of ahead) this.#compiled.add(`${address} ${problem.dtype}`);
    return ahead;
  }
}

interface TimedDevice {
  readonly identity: Pick<DeviceDescription['identity'], 'class'>;
  readonly capabilities: Pick<DeviceDescription['capabilities'], 'features'>;
}

/**
 * Whether variants may compile while another is measured: on a GPU that keeps its own time.
 * Elsewhere the host's work would show in the samples.
 */
export const compilesAhead = ({ capabilities, identity }: TimedDevice): boolean =>
  identity.class === 'gpu' && capabilities.features.includes('timestamp-query');
