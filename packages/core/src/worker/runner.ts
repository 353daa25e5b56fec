import {
  DeviceFault,
  InputError,
  isContributed,
  type Problem,
  resolveVariant,
  sourceFor,
  type Variant,
} from '@tilemark/kernels';
import type { RunClaim, RunOutcome, RunSpec } from '../api/run';
import { type Environment, engineOf, type Profile } from '../measure/device';
import {
  afterDuel,
  type DuelOutcome,
  type DuelSide,
  SideEnded,
  type SideInput,
} from '../measure/duel';
import type { Step } from '../measure/measure';
import { POLICIES } from '../measure/policy';
import type { RooflineSurvey } from '../measure/roofline';
import { DeviceOwner, type OwnerChannel, WATCHDOG_MS } from './device-owner';
import type { Compilable, DeviceDescription, Dueling } from './protocol';

/** A run for a runner to measure: of a sweep, or of `tilemark bench`. */
export type MeasureInput = Pick<RunSpec, 'variant' | 'problem' | 'profile' | 'policy' | 'rival'> &
  Partial<Pick<RunClaim, 'seed' | 'occasion'>>;

/** The end of a run on its device. */
export type DeviceReport = Pick<RunOutcome, 'outcome' | 'environment' | 'wgsl'>;

export interface MeasureOptions {
  /** What is compiled under the run's profile while the run is measured. */
  readonly ahead?: readonly Compilable[];
  readonly onStep?: (step: Step) => void;
  readonly signal?: AbortSignal;
}

type OpenOwner = Awaited<ReturnType<typeof DeviceOwner.open>>;

/**
 * Measures runs on one device, each in the process or Web Worker that owns the device under the
 * run's profile. An owner of a GPU serves run after run until it faults; then the next run gets a
 * fresh one. The host's serves a single run: what ran before in a process decides how its loops are
 * compiled, and `cpu-naive` took 36 or 44 ms by the order of runs. The owners of two profiles live
 * side by side, but only one is ever at work. A contributed kernel has an owner to itself, which
 * ends when anything else is to be measured.
 */
export class DeviceRunner {
  readonly #start: (profile: Profile, isForeign: boolean) => OwnerChannel;
  readonly #watchdogMs: number;
  /** By profile and, of contributed kernels, their ids. */
  readonly #open = new Map<string, OpenOwner>();
  #working: DeviceOwner | null = null;
  #occasion: string | undefined;
  #isClosed = false;

  /** @param start starts an owner, which opens the device */
  constructor(
    start: (profile: Profile, isForeign: boolean) => OwnerChannel,
    watchdogMs = WATCHDOG_MS,
  ) {
    this.#start = start;
    this.#watchdogMs = watchdogMs;
  }

  get pid(): number | undefined {
    return this.#working?.pid;
  }

  /**
   * Opens the device under a profile unless it is open. Throws InputError if there
   * is no such device, DeviceFault if it does not open.
   */
  async open(profile: Profile): Promise<DeviceDescription> {
    return (await this.#owner(profile, profile)).description;
  }

  /**
   * Measures one run. A device fault is an outcome, `failed` at stage `device`, as is a
   * profile under which the device does not open. Throws DeviceFault if it does not open
   * under `default` either: it is gone. An abort ends the owner and throws the signal's
   * reason. A run that faults while others compile is measured again without.
   */
  async run(input: MeasureInput, options: MeasureOptions = {}): Promise<DeviceReport> {
    const { variant, problem, profile, policy, rival, seed } = input;
    const { onStep, signal } = options;
    const { longestDuelNs: longestNs } = POLICIES[policy];
    const key = keyOf(profile, variant, ...(rival ? [rival.variant] : []));
    // A contributed kernel is compiled where it runs.
    const ahead = (options.ahead ?? []).filter((next) => keyOf(profile, next.variant) === key);
    let described = null as Environment | null;
    const measure = async ({ description, owner }: OpenOwner): Promise<DeviceReport> => {
      const { environment } = description;
      described = environment;
      const alone = await owner.run({ variant, problem, policy, seed }, ahead, onStep);
      const outcome =
        rival && alone.kind === 'measured'
          ? afterDuel(
              alone,
              rival.variant,
              await owner.duel({ a: variant, b: rival.variant, problem, longestNs }, onStep),
            )
          : alone;
      // A skipped run has no source: its tunables may contradict each other.
      const wgsl = outcome.kind === 'skipped' ? null : sourceOf(variant, problem, environment);
      return { outcome, environment, wgsl };
    };
    await this.#beginOccasion(input.occasion);
    try {
      return await this.#atWork(profile, key, measure, signal);
    } catch (error) {
      if (!(error instanceof DeviceFault)) throw error;
      // One that may have died of what it was compiling says nothing about the kernel.
      if (ahead.length > 0 && !this.#isClosed) {
        return await this.run(input, { ...options, ahead: [] });
      }
      const environment = described ?? { ...(await this.open('default')).environment, profile };
      return {
        outcome: { kind: 'failed', stage: 'device', message: error.message },
        environment,
        wgsl: sourceOf(variant, problem, environment),
      };
    }
  }

  /** Lets two variants take turns with one owner. Throws DeviceFault. */
  duel(profile: Profile, duel: Dueling, onStep?: (step: Step) => void): Promise<DuelOutcome> {
    const key = keyOf(profile, duel.a, duel.b);
    return this.#atWork(profile, key, ({ owner }) => owner.duel(duel, onStep));
  }

  /**
   * Opens one side of a duel whose other side another runner has. Its end, or a fault of its device,
   * is a SideEnded.
   */
  async side(profile: Profile, input: SideInput): Promise<DuelSide> {
    const key = keyOf(profile, input.variant);
    const ending = async <T>(act: () => Promise<T>): Promise<T> => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof DeviceFault)) throw error;
        await this.#end(key);
        throw new SideEnded({ kind: 'failed', stage: 'device', message: error.message });
      }
    };
    const side = await ending(async () => (await this.#owner(profile, key)).owner.side(input));
    return { turn: () => ending(side.turn), end: () => ending(side.end) };
  }

  /**
   * The device's measured peaks under a profile; null if it has no probes. Throws
   * DeviceFault; a fresh owner then serves what comes next. An abort ends the owner
   * and throws the signal's reason.
   */
  survey(profile: Profile, signal: AbortSignal): Promise<RooflineSurvey | null> {
    return this.#atWork(profile, profile, ({ owner }) => owner.survey(), signal);
  }

  /** An owner at work: it ends with a fault, with an abort, whose reason is thrown, and on the host. */
  async #atWork<T>(
    profile: Profile,
    key: string,
    work: (open: OpenOwner) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const abandon = () => void this.#end(key);
    try {
      const open = await this.#owner(profile, key);
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abandon);
      this.#working = open.owner;
      const done = await work(open);
      if (open.description.identity.class === 'cpu') await this.#end(key);
      return done;
    } catch (error) {
      if (error instanceof DeviceFault) await this.#end(key);
      // An owner that we ended says nothing about the kernel.
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abandon);
      this.#working = null;
    }
  }

  /** Ends the owners, even in the middle of a run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.keys()].map((key) => this.#end(key)));
  }

  /** The first run of an occasion gets owners that have run nothing. */
  async #beginOccasion(occasion: string | undefined): Promise<void> {
    if (occasion === undefined || occasion === this.#occasion) return;
    this.#occasion = occasion;
    await Promise.all([...this.#open.keys()].map((key) => this.#end(key)));
  }

  async #owner(profile: Profile, key: string): Promise<OpenOwner> {
    const foreign = [...this.#open.keys()].filter((other) => other !== key && isContributed(other));
    for (const other of foreign) await this.#end(other);
    const open = this.#open.get(key);
    if (open && !open.owner.hasEnded) return open;
    const channel = this.#start(profile, isContributed(key));
    const started = await DeviceOwner.open(channel, this.#watchdogMs);
    this.#open.set(key, started);
    return started;
  }

  async #end(key: string): Promise<void> {
    const open = this.#open.get(key);
    this.#open.delete(key);
    await open?.owner.kill();
  }
}

/** The key of the owner that measures these variants. Throws InputError for a profile that is not theirs. */
function keyOf(profile: Profile, ...variants: readonly Variant[]): string {
  const foreign = variants.map(({ kernel }) => kernel).filter(isContributed);
  if (foreign.length > 0 && profile !== 'default') {
    throw new InputError('contributed kernels run in profile default only', '--profile');
  }
  return [profile, ...new Set(foreign)].join(' ');
}

function sourceOf(variant: Variant, problem: Problem, { device }: Environment): string | null {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const engine = engineOf(device.runtime) ?? 'tint';
  return definition.runsOn === 'gpu' ? sourceFor(definition, tunables, problem, engine) : null;
}
