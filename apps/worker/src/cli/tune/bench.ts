import {
  type Answer,
  type BenchFile,
  type Contrast,
  contrastOfDuel,
  type DeviceDescription,
  drawSeed,
  type Outcome,
  outcomeReason,
  POLICIES,
  type Profile,
  type Result,
  type RooflineSurvey,
  resultOf,
  SearchDriver,
  type WantedSpec,
} from '@tilemark/core';
import { bareVariant, type Problem, shapeText, type Variant } from '@tilemark/kernels';
import type { Runner } from '../../child/runner';
import { type Alone, onDevice } from '../on-device';
import { ResultFile } from '../result-file';

export interface BenchOptions {
  readonly device: string;
  readonly profile: Profile;
  readonly json?: string;
}

const warn = (text: string) => void process.stderr.write(`${text}\n`);

/** The bench of a search by a command: a device of this machine, and what was measured there. */
export class TuneBench {
  readonly description: DeviceDescription;
  readonly driver: SearchDriver<Outcome>;
  readonly #runner: Runner;
  readonly #profile: Profile;
  /** The same for all runs, so that the references of the first serve the rest. */
  readonly #seed = drawSeed();
  readonly #results = new Map<Outcome, Result>();

  private constructor(
    runner: Runner,
    profile: Profile,
    description: DeviceDescription,
    alone: Alone,
  ) {
    this.#runner = runner;
    this.#profile = profile;
    this.description = description;
    this.driver = new SearchDriver({
      device: description,
      find: () => null,
      measure: (run, ahead) => this.#measure(run, ahead),
      alone,
    });
  }

  /**
   * Opens the device for a command, then writes all measurements to the file of `--json`. Throws
   * InputError, for a file that cannot be written before anything is measured.
   *
   * @param onWait called when something else on this machine is measuring
   */
  static async with<T>(
    { device, json, profile }: BenchOptions,
    childEntry: URL,
    onWait: (text: string) => void,
    command: (bench: TuneBench) => Promise<T>,
  ): Promise<T> {
    const file = json === undefined ? null : await ResultFile.at(json, '--json');
    return onDevice(device, childEntry, onWait, async (runner, alone) => {
      const description = await runner.open(profile);
      const bench = new TuneBench(runner, profile, description, alone);
      const ended = await command(bench);
      const results = [...bench.#results.values()];
      const { environment } = description;
      const content: BenchFile = { version: 1, environment, environments: [], results };
      await file?.write(`${JSON.stringify(content, null, 1)}\n`);
      return ended;
    });
  }

  /** What is kept of an outcome that was answered. */
  resultOf(outcome: Outcome): Result {
    const result = this.#results.get(outcome);
    if (!result) throw new RangeError('an outcome that was not answered');
    return result;
  }

  /** How `a` does against `b` in turns; null where that proves nothing, which is said on stderr. */
  async contrastOf(
    { a, b }: { readonly a: Variant; readonly b: Variant },
    problem: Problem,
    policy: WantedSpec['policy'],
  ): Promise<Contrast | null> {
    const { longestDuelNs: longestNs } = POLICIES[policy];
    const dueling = { a: bareVariant(a), b: bareVariant(b), problem, longestNs };
    const ended = await this.driver.alone(() => this.#runner.duel(this.#profile, dueling));
    if (ended.kind === 'dueled') return contrastOfDuel(ended.duel);
    warn(`${shapeText(problem)}: no duel: ${outcomeReason(ended.outcome)?.split('\n')[0]}`);
    return null;
  }

  /** What the device can do at most; null if it has no probes. */
  survey(): Promise<RooflineSurvey | null> {
    // Never aborted: an interrupt ends this process and its child.
    const { signal } = new AbortController();
    return this.driver.alone(() => this.#runner.survey(this.#profile, signal));
  }

  async #measure(run: WantedSpec, ahead: readonly WantedSpec[]): Promise<Answer<Outcome>> {
    const { policy, problem, rival, variant } = run;
    if (rival) {
      const contrast = await this.contrastOf({ a: variant, b: rival.variant }, problem, policy);
      return { outcome: null, contrast };
    }
    const input = { variant, problem, policy, profile: this.#profile, seed: this.#seed };
    const { outcome } = await this.driver.alone(() => this.#runner.run(input, { ahead }));
    const planned = { ...run, profile: this.#profile };
    this.#results.set(outcome, resultOf(planned, this.description.identity, outcome));
    return { outcome, contrast: null };
  }
}
