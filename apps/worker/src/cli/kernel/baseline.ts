import { isBad, outcomeReason, type Verdict, verdictOn } from '@tilemark/core';
import { type Problem, parseShape, shapeText, type Variant } from '@tilemark/kernels';
import { list, tunablesFor } from '../flags';
import { onDevice } from '../on-device';
import { significant } from '../table';
import { admitFile } from './file';
import { resultsOf, type SubmitFlags, submitFile, UNSERVED } from './submit';

export interface BaselineFlags extends Partial<Omit<SubmitFlags, 'devices' | 'shapes'>> {
  readonly baseline: string;
  readonly device: string;
  readonly shape: string;
  readonly devices?: string;
  /** How much slower is slower: 0.02 is 2%. */
  readonly tolerance: number;
}

/** A kernel against its baseline on one problem of one device. */
interface Compared {
  readonly device: string;
  /** Null: of all. */
  readonly problem: Problem | null;
  /** Times that it is as fast; null if one of the two was not measured. */
  readonly ratio: { readonly ratio: number; readonly low: number; readonly high: number } | null;
  readonly isWrong: boolean;
  /** Why there is no ratio. */
  readonly why: string;
  readonly rms: number | null;
}

/**
 * `tilemark check --baseline`: a kernel takes turns with an earlier one, on the devices of a grid or,
 * without `--server`, on one of this machine. Prints a Markdown table. Returns the exit
 * code: 1 if it is wrong, or slower than the tolerance allows.
 */
export async function checkAgainst(
  path: string,
  flags: BaselineFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const compared = flags.server
    ? await onGrid(path, flags as BaselineFlags & SubmitFlags)
    : await here(path, flags, childEntry);
  print(markdownOf(compared, flags.tolerance));
  return compared.some((each) => verdictOf(each, flags.tolerance).isBad) ? 1 : 0;
}

async function here(path: string, flags: BaselineFlags, childEntry: URL): Promise<Compared[]> {
  const own = (await admitFile(path, 'file')).kernel;
  const { kernel: base } = await admitFile(flags.baseline, '--baseline');
  const [asked] = tunablesFor([own], flags.tunable);
  const chosen = Object.entries(asked?.tunables ?? {}).flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const a: Variant = { kernel: own.id, tunables: Object.fromEntries(chosen) };
  const b: Variant = { kernel: base.id, tunables: {} };
  return onDevice(flags.device, childEntry, warn, async (runner, alone) => {
    const compared: Compared[] = [];
    const { environment } = await runner.open('default');
    for (const text of list(flags.shape)) {
      const shape = parseShape(own.op, text, '--shape');
      const problem = { op: own.op, shape, dtype: own.dtypes[0] } as Problem;
      const ended = await alone(() => runner.duel('default', { a, b, problem }));
      const isOwn = ended.kind === 'ended' && ended.side === 'a';
      compared.push({
        device: environment.device.device,
        problem,
        ratio: ended.kind === 'dueled' ? ended.duel : null,
        isWrong: isOwn && isBad(ended.outcome.kind),
        why:
          ended.kind === 'ended'
            ? `${isOwn ? '' : 'baseline: '}${outcomeReason(ended.outcome)}`
            : '',
        rms: null,
      });
    }
    return compared;
  });
}

/** What is not part of the table. */
const warn = (text: string) => void process.stderr.write(`${text}\n`);

/** Each run of the sweep is measured and then takes turns with the baseline. */
async function onGrid(path: string, flags: BaselineFlags & SubmitFlags): Promise<Compared[]> {
  const { baseline, devices = 'all', shape } = flags;
  const submitted = await submitFile(path, { ...flags, devices, shapes: shape }, baseline);
  const results = await resultsOf(submitted, warn);
  const dueled = results.map(({ device, outcome, problem }): Compared => {
    const { duel, verification } = outcome?.kind === 'measured' ? outcome.measurement : {};
    const noDuel = 'its worker is of an older version, without duels';
    return {
      device: device.name,
      problem,
      ratio: duel?.duel ?? null,
      isWrong: isBad(outcome?.kind),
      why:
        outcome?.kind === 'measured'
          ? duel
            ? `baseline: ${duel.why}`
            : noDuel
          : (outcomeReason(outcome) ?? 'not run'),
      rms: verification?.rms ?? null,
    };
  });
  const idle = submitted.unserved.map(({ name }): Compared => {
    return { device: name, problem: null, ratio: null, isWrong: false, why: UNSERVED, rms: null };
  });
  return [...dueled, ...idle];
}

function verdictOf({ isWrong, ratio, why }: Compared, tolerance: number) {
  if (isWrong) return { text: `**wrong**: ${why}`, isBad: true };
  if (!ratio) return { text: why, isBad: false };
  const { verdict } = verdictOn(ratio.ratio, ratio.low, ratio.high);
  const isSlower = ratio.high < 1 - tolerance;
  return { text: isSlower ? '**slower**' : WORDS[verdict], isBad: isSlower };
}

const WORDS: Readonly<Record<Verdict, string>> = {
  FAST: 'faster',
  SLOW: 'slower, as tolerated',
  SAME: 'the same',
  UNDECIDED: 'undecided',
};

function markdownOf(compared: readonly Compared[], tolerance: number): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = compared.map((each) => {
    const { device, problem, ratio, rms } = each;
    const times = (value: number) => `${value.toFixed(3)}`;
    return [
      device,
      problem ? `${shapeText(problem)} ${problem.dtype}` : '',
      ratio ? `${times(ratio.ratio)} (${times(ratio.low)} to ${times(ratio.high)})` : '',
      verdictOf(each, tolerance).text,
      rms === null ? '' : `${significant(rms)} roundoffs`,
    ];
  });
  return [
    ['device', 'problem', 'times as fast (95%)', 'verdict', 'RMS error'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}
