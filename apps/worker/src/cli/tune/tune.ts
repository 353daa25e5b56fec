import type { DeviceDescription } from '@tilemark/core';
import {
  type BenchFile,
  Climb,
  type Contrast,
  deviceKey,
  drawSeed,
  drive,
  type Family,
  type Point,
  proved,
  resultOf,
  searchProblem,
  spacesOf,
  type Trial,
  type Tuned,
  type TuningSpace,
} from '@tilemark/core';
import {
  bareVariant,
  feasible,
  opOf,
  type Problem,
  parseVariant,
  shortAddress,
  type Variant,
} from '@tilemark/kernels';
import { type RunInput, Runner } from '../../child/runner';
import { MachineTurn } from '../../run/machine-lock';
import { ratioText } from '../duel';
import type { GridOptions } from '../grid/client';
import { kernelsNamed } from '../kernel/file';
import { toldApart } from '../on-device';
import { ResultFile } from '../result-file';
import { problemText, timeText, wrapped } from '../table';
import { type KnownTrial, openCache } from './cache';
import { tuneProgress } from './progress';
import { commandLine, type TuneFlags, type TuneRequest, tuneRequest } from './request';
import { saveTuned } from './save';
import { tuneSuite } from './suite';
import { tunedTable } from './table';

export interface TuneOptions extends TuneFlags, Partial<GridOptions> {
  readonly device: string;
  readonly cache?: string;
  readonly json?: string;
  readonly save?: string;
  readonly suite?: Family;
}

/** A trial may hang the device: its process is killed after this long without an answer, ms. */
const WATCHDOG_MS = 60_000;

/** A duel of the finals ends after this long, ns. */
const LONGEST_DUEL_NS = 10e9;

/**
 * Searches kernels for their fastest variant on a device of this machine: screens with few
 * samples, then measures the leaders by the full protocol, verifying all. Returns the exit
 * code: 1 if nothing could be measured. Throws InputError.
 */
export async function tune(
  options: TuneOptions,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const { profile, budget: budgetNs } = options;
  if (options.suite !== undefined) {
    const request = { ...options, suite: options.suite };
    return tuneSuite(request, childEntry, (text) => print(wrapped(text)));
  }
  const kernel = await kernelsNamed(options);
  const request = tuneRequest({ ...options, ...(kernel && { kernel }) });
  const { problem } = request;
  // Found out now, and not after the search.
  const json = options.json === undefined ? null : await ResultFile.at(options.json, '--json');
  // The same for all trials, so that the references of the first serve the rest.
  const ofInputs = drawSeed();
  const device = await toldApart(options.device, childEntry);
  const runner = new Runner({ entry: childEntry, device, watchdogMs: WATCHDOG_MS });
  const warn = (text: string) => void process.stderr.write(`${text}\n`);
  const turn = new MachineTurn();
  const clockNs = () => Number(process.hrtime.bigint());
  // Waiting for others on this machine does not count against the budget.
  let waitedNs = 0;
  const nowNs = () => clockNs() - waitedNs;
  try {
    const description = await runner.open(profile);
    const isAhead = compilesAhead(description);
    const spaces = spacesFor(request, description);
    const scope = { deviceKey: deviceKey(description.identity), problem, ...description };
    const cache = await openCache(options.cache, scope, warn);
    const ended = new Map<Trial['outcome'], KnownTrial>();
    const progress = tuneProgress(problem, budgetNs, process.stderr);
    const beganNs = nowNs();
    let wasCached = false;
    const measured = async (run: RunInput, next: Point | null) => {
      const askedNs = clockNs();
      const work = () => {
        waitedNs += clockNs() - askedNs;
        return runner.run(run, { next: next && { variant: next, problem } });
      };
      return (await turn.take(work, { onWait: progress.wait })).outcome;
    };
    const contrastOf = async (a: Variant, b: Variant): Promise<Contrast | null> => {
      const dueling = { a: bareVariant(a), b: bareVariant(b), problem, longestNs: LONGEST_DUEL_NS };
      const outcome = await turn.take(() => runner.duel(profile, dueling), {
        onWait: progress.wait,
      });
      return outcome.kind === 'dueled' ? proved(outcome.duel) : null;
    };
    const search = searchProblem({
      ...{ problem, climb: new Climb(spaces, options.seed), budgetNs, nowNs },
      defaults: spaces.flatMap((space) => space.initial() ?? []),
      onTrial: (trial, best) => progress.trial(trial, best, nowNs() - beganNs, wasCached),
    });
    const tuned = await drive(search, async ({ following, run }) => {
      const { address, policy, rival, variant } = run;
      if (rival) return { outcome: null, contrast: await contrastOf(variant, rival.variant) };
      const point = { ...variant, address };
      const known = cache.find(point, policy);
      wasCached = known !== null;
      const [next] = following().map((each) => ({ ...each.variant, address: each.address }));
      const ahead = next && isAhead && !cache.find(next, policy) ? next : null;
      const input = { variant: point, problem, profile, policy, seed: ofInputs };
      const outcome = known?.outcome ?? (await measured(input, ahead));
      ended.set(outcome, known ?? (await cache.add(point, policy, outcome)));
      return { outcome, contrast: null };
    }).finally(progress.end);

    print(summary(tuned, spaces, problem));
    const trialResult = ({ point, policy, outcome }: Trial) =>
      resultOf(
        { variant: bareVariant(point), address: point.address, problem, profile, policy },
        description.identity,
        outcome,
        ended.get(outcome),
      );
    if (json) {
      const results = [...tuned.finals, ...tuned.screened].map(trialResult);
      const file: BenchFile = {
        version: 1,
        environment: description.environment,
        environments: [],
        results,
      };
      await json.write(`${JSON.stringify(file, null, 1)}\n`);
    }
    const { winner } = tuned;
    if (!winner) return 1;
    if (options.save !== undefined) {
      const stays = await saveTuned(
        options.save,
        trialResult(winner),
        description.environment,
        {
          command: commandLine(options),
          tried: tuned.screened.length,
        },
        async (before) => {
          const duel = await contrastOf(winner.point, parseVariant(before));
          return duel && duel.verdict === 'FAST';
        },
      );
      if (stays) {
        print(
          `${options.save} already has a better variant: ${timeText(stays.medianNs)}, ${stays.address}`,
        );
      }
    }
    return 0;
  } finally {
    await turn.end();
    await runner.close();
  }
}

/**
 * Whether a variant may compile while another is measured: on a GPU that keeps its own time.
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

/** Throws InputError if none of the kernels runs on the device. */
const spacesFor = (
  { kernels, problem }: TuneRequest,
  { identity, capabilities }: DeviceDescription,
): TuningSpace[] =>
  spacesOf(
    kernels,
    problem,
    identity,
    (variant) => {
      const fit = feasible(variant, problem, capabilities);
      return fit.ok ? null : fit.why;
    },
    '--kernel',
  );

function summary(
  { screened, finals, stop, winner, duels }: Tuned,
  spaces: readonly TuningSpace[],
  problem: Problem,
) {
  const of = (kind: Trial['outcome']['kind']) =>
    screened.filter(({ outcome }) => outcome.kind === kind).length;
  const combinations = spaces.reduce((sum, space) => sum + space.combinations, 0);
  const bad = [...(['incorrect', 'failed'] as const)].map((kind) => `${of(kind)} ${kind}`);
  const why = stop === 'budget' ? 'the budget was used up' : 'nothing was left to try';
  return [
    `${opOf(problem).title} ${problemText(problem)}: ${screened.length} variants screened of ${combinations} combinations (${bad.join(', ')}).`,
    `Screening ended because ${why}.`,
    tunedTable(finals, screened, problem),
    ...duels.map(
      ({ a, b, contrast }) =>
        `Duel: A is ${ratioText(contrast)}\n  A: ${shortAddress(a.address)}\n  B: ${shortAddress(b.address)}`,
    ),
    winner
      ? `Winner: ${winner.point.address}`
      : 'No winner: nothing that was measured is plausible.',
  ].join('\n');
}
