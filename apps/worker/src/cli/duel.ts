import {
  type Contrast,
  type Duel,
  type Environment,
  outcomeReason,
  type Profile,
} from '@tilemark/core';
import {
  bareVariant,
  InputError,
  type Problem,
  parseVariant,
  type ResolvedVariant,
  rateOf,
  shortAddress,
} from '@tilemark/kernels';
import { type ProblemFlags, problemOf } from './flags';
import type { GridOptions } from './grid/client';
import { addressIn } from './kernel/file';
import { onDevice } from './on-device';
import { ResultFile } from './result-file';
import { percentText, problemText, rateText, table, timeText } from './table';

export interface DuelFlags extends ProblemFlags, Partial<GridOptions> {
  readonly device: string;
  readonly profile: Profile;
  readonly json?: string;
}

/** A file of `duel --json`. */
interface DuelFile {
  readonly version: 1;
  readonly environment: Environment;
  readonly problem: Problem;
  readonly a: string;
  readonly b: string;
  readonly duel: Duel;
}

/**
 * Lets two variants take turns on one device and prints the ratio of their speeds with its interval.
 * Returns the exit code: 1 if one of them could not be measured. Throws InputError.
 */
export async function duel(
  addresses: readonly [a: string, b: string],
  options: DuelFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const [a, b] = [
    await variantOf(addresses[0], options, 'A'),
    await variantOf(addresses[1], options, 'B'),
  ];
  const { op, runsOn } = a.definition;
  if (b.definition.op !== op) {
    throw new InputError(`${b.kernel} computes ${b.definition.op}, not ${op} as A does`, 'B');
  }
  const problem = problemOf(op, options, [a.definition, b.definition]);
  const { profile } = options;
  const json = options.json === undefined ? null : await ResultFile.at(options.json, '--json');
  const onCpu = runsOn === 'cpu';
  if (onCpu !== (b.definition.runsOn === 'cpu')) {
    throw new InputError('one runs on the host and the other on a GPU', 'B');
  }
  const wanted = options.device === 'auto' && onCpu ? 'cpu' : options.device;
  return onDevice(wanted, childEntry, print, async (runner, alone) => {
    const { environment } = await runner.open(profile);
    const dueling = { a: bareVariant(a), b: bareVariant(b), problem };
    const outcome = await alone(() => runner.duel(profile, dueling));
    print(
      `${environment.device.device}, profile ${profile}, ${problem.op} ${problemText(problem)}`,
    );
    if (outcome.kind === 'ended') {
      const side = outcome.side.toUpperCase();
      print(`${side} ended ${outcome.outcome.kind}: ${outcomeReason(outcome.outcome)}`);
      return 1;
    }
    print(duelText(a, b, problem, outcome.duel));
    const file: DuelFile = {
      version: 1,
      environment,
      problem,
      a: a.address,
      b: b.address,
      duel: outcome.duel,
    };
    await json?.write(`${JSON.stringify(file, null, 1)}\n`);
    return 0;
  });
}

/** The variant that an argument names, which may be a file's or a grid's. Throws InputError. */
export async function variantOf(
  text: string,
  grid: Partial<GridOptions>,
  field: string,
): Promise<ResolvedVariant> {
  const address = await addressIn(text, grid, field);
  try {
    return parseVariant(address);
  } catch (error) {
    if (error instanceof InputError) throw new InputError(error.message, field);
    throw error;
  }
}

/** What of a duel is printed: no verdict where the times of one side are not believed. */
export function duelText(
  a: ResolvedVariant,
  b: ResolvedVariant,
  problem: Problem,
  duel: Duel,
): string {
  const disbelieved = duel.a.implausible ?? duel.b.implausible;
  const rows = (
    [
      ['A', a, duel.a],
      ['B', b, duel.b],
    ] as const
  ).map(([name, { address }, { medianNs, cv, implausible }]) => [
    `${name}: ${shortAddress(address)}`,
    timeText(medianNs),
    percentText(cv),
    rateText(rateOf(problem, medianNs)),
    implausible ?? '',
  ]);
  return [
    table(['variant', 'median', 'CV', 'rate', 'remark'], rows, [
      ...(['left', 'right', 'right', 'right', 'left'] as const),
    ]),
    disbelieved
      ? 'No verdict, because a side is not believed (see its remark),'
      : `A is ${ratioText(duel)},`,
    `in ${duel.rounds} rounds of four turns in one process.`,
    ...(duel.verdict === 'UNDECIDED' && !disbelieved
      ? [toDecideText(a.address === b.address, duel.wouldTake)]
      : []),
  ].join('\n');
}

/** More rounds than this are not worth their time. */
const MOST_TIMES = 10;

/** Advice about an undecided duel. */
export function toDecideText(isSelf: boolean, wouldTake: number | null): string {
  if (isSelf) {
    return 'A and B are one variant: the interval is what this machine cannot tell apart now.';
  }
  if (wouldTake === null) {
    return 'The ratio is too close to the margin of 0.5% for more rounds to decide.';
  }
  return wouldTake > MOST_TIMES
    ? 'More rounds would hardly decide: this machine is too restless for that difference now.'
    : `About ${Math.ceil(wouldTake)} times as many rounds would decide; a quieter machine needs fewer.`;
}

/** `FAST: 1.021 times as fast as B (95%: 1.019 to 1.023)`. */
export const ratioText = (
  { verdict, ratio, low, high }: Omit<Contrast, 'wouldTake'>,
  other = 'B',
) =>
  `${verdict}: ${ratio.toFixed(4)} times as fast as ${other} (95%: ${low.toFixed(4)} to ${high.toFixed(4)})`;
