import {
  type DeviceDescription,
  drive,
  expectationOf,
  type Family,
  STOPS,
  searchProblem,
  spacesOf,
  type Trial,
  type Tuned,
  type TuningSpace,
} from '@tilemark/core';
import {
  feasible,
  opOf,
  type Problem,
  parseVariant,
  refuseIf,
  shortAddress,
} from '@tilemark/kernels';
import { ratioText } from '../duel';
import type { GridOptions } from '../grid/client';
import { kernelsNamed } from '../kernel/file';
import { problemText, wrapped } from '../table';
import { TuneBench } from './bench';
import { tuneProgress } from './progress';
import { commandLine, type TuneFlags, type TuneRequest, tuneRequest } from './request';
import { saveWinner } from './save';
import { tuneSuite } from './suite';
import { tunedTable } from './table';

export interface TuneOptions extends TuneFlags, Partial<GridOptions> {
  readonly device: string;
  readonly json?: string;
  readonly save?: string;
  readonly suite?: Family;
}

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
  if (options.suite !== undefined) {
    refuseIf(options.epilogue !== undefined, 'the selector knows products alone', '--epilogue');
    const { suite, dtype = 'f32' } = options;
    const request = { ...options, suite, dtype };
    return tuneSuite(request, childEntry, (text) => print(wrapped(text)));
  }
  const kernel = await kernelsNamed(options);
  const request = tuneRequest({ ...options, ...(kernel && { kernel }) });
  const { problem } = request;
  const { budget: budgetNs, seed } = options;
  const progress = tuneProgress(problem, budgetNs, process.stderr);
  return TuneBench.with(options, childEntry, progress.wait, async (bench) => {
    const { description, driver } = bench;
    const { nowNs } = driver;
    const spaces = spacesFor(request, description);
    progress.begin();
    const beganNs = nowNs();
    const search = searchProblem({
      ...{ problem, spaces, seed, budgetNs, nowNs },
      expected: expectationOf(problem, options.profile, description.identity),
      onTrial: (trial, best) => progress.trial(trial, best, nowNs() - beganNs),
    });
    const tuned = await drive(search, driver.answer).finally(progress.end);
    print(summary(tuned, spaces, problem));
    const { screened, winner } = tuned;
    if (!winner) return 1;
    if (options.save === undefined) return 0;
    const whyNot = await saveWinner(
      options.save,
      bench.resultOf(winner.outcome),
      description.environment,
      { command: commandLine(options), tried: screened.length },
      async (before) => {
        const sides = { a: winner.point, b: parseVariant(before) };
        const contrast = await bench.contrastOf(sides, problem, 'default');
        return contrast && contrast.verdict === 'FAST';
      },
    );
    if (whyNot !== null) print(whyNot);
    return 0;
  });
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
  const countOf = (kind: Trial['outcome']['kind']) =>
    screened.filter(({ outcome }) => outcome.kind === kind).length;
  const combinations = spaces.reduce((sum, space) => sum + space.combinations, 0);
  const bad = (['incorrect', 'failed'] as const).map((kind) => `${countOf(kind)} ${kind}`);
  return [
    `${opOf(problem).title} ${problemText(problem)}: ${screened.length} variants screened of ${combinations} combinations (${bad.join(', ')}).`,
    `Screening ended because ${STOPS[stop]}.`,
    tunedTable(finals, problem),
    ...duels.map(
      ({ a, b, contrast }) =>
        `Duel: A is ${ratioText(contrast)}\n  A: ${shortAddress(a.address)}\n  B: ${shortAddress(b.address)}`,
    ),
    winner
      ? `Winner: ${winner.point.address}`
      : 'No winner: nothing that was measured is plausible.',
  ].join('\n');
}
