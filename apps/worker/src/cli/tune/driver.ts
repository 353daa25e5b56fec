import {
  type Answer,
  type Ask,
  type BenchFile,
  type Contrast,
  type DeviceDescription,
  deviceKey,
  drawSeed,
  type Outcome,
  outcomeReason,
  POLICIES,
  type Profile,
  proved,
  type RooflineSurvey,
  type RunResult,
  resultOf,
  type WantedRun,
} from '@tilemark/core';
import { bareVariant, type Problem, shapeText, type Variant } from '@tilemark/kernels';
import { Runner } from '../../child/runner';
import { MachineTurn } from '../../run/machine-lock';
import { toldApart } from '../on-device';
import { ResultFile } from '../result-file';
import { openCache, type TrialCache } from './cache';

/** A run may hang the device: its process is killed after this long without an answer, ms. */
const WATCHDOG_MS = 60_000;

/** Variants that are compiled while another is measured, at most. */
const MOST_AHEAD = 16;

export interface DriverOptions {
  readonly device: string;
  readonly profile: Profile;
  readonly cache?: string;
  readonly json?: string;
}

const clockNs = () => Number(process.hrtime.bigint());
const warn = (text: string) => void process.stderr.write(`${text}\n`);

/**
 * What a search, of a problem or of a family, is driven by on this machine: a run that it asks for is
 * taken from the cache, or measured while nothing else here is.
 */
export class SearchDriver {
  readonly description: DeviceDescription;
  /** Called when something else on this machine is measuring. */
  onWait = () => {};
  /** Whether the last answer came from the cache. */
  wasCached = false;
  readonly #runner: Runner;
  readonly #profile: Profile;
  readonly #cache: TrialCache;
  readonly #turn = new MachineTurn();
  /** The same for all runs, so that the references of the first serve the rest. */
  readonly #seed = drawSeed();
  readonly #results = new Map<Outcome, RunResult>();
  /** Addresses by dtype that the device's process was asked to compile. */
  readonly #compiled = new Set<string>();
  #waitedNs = 0;

  private constructor(
    runner: Runner,
    profile: Profile,
    description: DeviceDescription,
    cache: TrialCache,
  ) {
    this.#runner = runner;
    this.#profile = profile;
    this.description = description;
    this.#cache = cache;
  }

  /**
   * Opens the device for a command, then writes all measurements to the file of `--json`. Throws
   * InputError, for a file that cannot be written before anything is measured.
   */
  static async with<T>(
    { cache, device, json, profile }: DriverOptions,
    childEntry: URL,
    command: (driver: SearchDriver) => Promise<T>,
  ): Promise<T> {
    const file = json === undefined ? null : await ResultFile.at(json, '--json');
    const runner = new Runner({
      entry: childEntry,
      device: await toldApart(device, childEntry),
      watchdogMs: WATCHDOG_MS,
    });
    try {
      const description = await runner.open(profile);
      const { environment, identity } = description;
      const scope = { deviceKey: deviceKey(identity), environment };
      const trials = await openCache(cache, scope, warn);
      const driver = new SearchDriver(runner, profile, description, trials);
      const ended = await command(driver).finally(() => driver.#turn.end());
      const results = [...driver.#results.values()];
      const content: BenchFile = { version: 1, environment, environments: [], results };
      await file?.write(`${JSON.stringify(content, null, 1)}\n`);
      return ended;
    } finally {
      await runner.close();
    }
  }

  /** A monotonic clock that stands still while others on this machine measure, ns. */
  readonly nowNs = (): number => clockNs() - this.#waitedNs;

  /** The outcome of a run that a search asked for. */
  readonly answer = async ({ following, run }: Ask): Promise<Answer<Outcome>> => {
    const { address, policy, problem, rival, variant } = run;
    if (rival) {
      const contrast = await this.contrastOf({ a: variant, b: rival.variant }, problem, policy);
      return { outcome: null, contrast };
    }
    const known = this.#cache.find(run);
    this.wasCached = known !== null;
    const outcome = known?.outcome ?? (await this.#measure(run, this.#toCompile(following())));
    const ended = known ?? (await this.#cache.add(run, outcome));
    const planned = { variant, address, problem, profile: this.#profile, policy };
    const result = resultOf(planned, this.description.identity, outcome, ended);
    this.#results.set(outcome, result);
    return { outcome, contrast: null };
  };

  /** What is kept of an outcome that was answered. */
  resultOf(outcome: Outcome): RunResult {
    const result = this.#results.get(outcome);
    if (!result) throw new RangeError('an outcome that was not answered');
    return result;
  }

  /** How `a` does against `b` in turns; null where that proves nothing, which is said on stderr. */
  async contrastOf(
    { a, b }: { readonly a: Variant; readonly b: Variant },
    problem: Problem,
    policy: WantedRun['policy'],
  ): Promise<Contrast | null> {
    const { longestDuelNs: longestNs } = POLICIES[policy];
    const dueling = { a: bareVariant(a), b: bareVariant(b), problem, longestNs };
    const ended = await this.#alone(() => this.#runner.duel(this.#profile, dueling));
    if (ended.kind === 'dueled') return proved(ended.duel);
    warn(`${shapeText(problem)}: no duel: ${outcomeReason(ended.outcome)?.split('\n')[0]}`);
    return null;
  }

  /** What the device can do at most; null if it has no probes. */
  survey(): Promise<RooflineSurvey | null> {
    // Never aborted: an interrupt ends this process and its child.
    const { signal } = new AbortController();
    return this.#alone(() => this.#runner.survey(this.#profile, signal));
  }

  async #measure(
    { policy, problem, variant }: WantedRun,
    ahead: readonly WantedRun[],
  ): Promise<Outcome> {
    const input = { variant, problem, policy, profile: this.#profile, seed: this.#seed };
    const { outcome } = await this.#alone(() => this.#runner.run(input, { ahead }));
    return outcome;
  }

  /** What is worth compiling meanwhile: each variant once, unless the cache has its run. */
  #toCompile(following: readonly WantedRun[]): readonly WantedRun[] {
    if (!compilesAhead(this.description)) return [];
    const fresh = following.filter((run) => {
      const key = `${run.address} ${run.problem.dtype}`;
      return !this.#compiled.has(key) && this.#cache.find(run) === null;
    });
    const ahead = fresh.slice(0, MOST_AHEAD);
    for (const { address, problem } of ahead) this.#compiled.add(`${address} ${problem.dtype}`);
    return ahead;
  }

  #alone<T>(work: () => Promise<T>): Promise<T> {
    const askedNs = clockNs();
    const begun = () => {
      this.#waitedNs += clockNs() - askedNs;
      return work();
    };
    return this.#turn.take(begun, { onWait: this.onWait });
  }
}

/**
 * Whether variants may compile while another is measured: on a GPU that keeps its own time.
 * Elsewhere the host's work would show in the samples.
 */
export function compilesAhead({
  identity,
  capabilities,
}: {
  readonly identity: Pick<DeviceDescription['identity'], 'class'>;
  readonly capabilities: Pick<DeviceDescription['capabilities'], 'features'>;
}): boolean {
  return identity.class === 'gpu' && capabilities.features.includes('timestamp-query');
}
