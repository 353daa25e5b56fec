import { type Outcome, outcomeReason, type Verdict, verdictOn } from '@tilemark/core';
import {
  InputError,
  type Problem,
  parseShape,
  particularsText,
  type Regime,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { NO_ADAPTER } from '../../device/select';
import { list, tunablesFor } from '../flags';
import { onDevice } from '../on-device';
import { type Checked, checkedTable, measureOn, precisionCells, proofExit, prove } from './check';
import { admitFile } from './file';
import { CHECK_EXIT, exitOf, findingOf, reasonIn, worstExit } from './finding';
import { resultsOf, type SubmitFlags, submitFile, submitProof, UNSERVED } from './submit';

export interface BaselineFlags extends Partial<Omit<SubmitFlags, 'devices' | 'shapes'>> {
  readonly baseline: string;
  readonly device: string;
  readonly shape: string;
  readonly devices?: string;
  /** How much slower is slower: 0.02 is 2%. */
  readonly tolerance: number;
  /** Of all inputs; absent: as usual. */
  readonly regime?: Regime;
}

/** A kernel against its baseline on one problem of one device. */
interface Compared {
  readonly device: string;
  readonly problem: Problem;
  /** Times that it is as fast; null if one of the two was not measured. */
  readonly ratio: { readonly ratio: number; readonly low: number; readonly high: number } | null;
  /** Of the kernel itself. */
  readonly outcome: Outcome | null;
  /** Why there is no ratio although the kernel was measured. */
  readonly why: string;
}

interface Comparison {
  /** Over the shapes that kernels get wrong. */
  readonly proof: readonly Checked[];
  readonly compared: readonly Compared[];
  /** Devices that no worker serves: they are not waited for. */
  readonly unserved: readonly string[];
}

/**
 * `tilemark check --baseline`: a kernel is proved as by `check`, then takes turns with an earlier one,
 * on the devices of a grid or, without `--server`, on one of this machine. Prints a Markdown table.
 * Returns the exit code, see `CHECK_EXIT`: what was not compared does not pass.
 */
export async function checkAgainst(
  path: string,
  flags: BaselineFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const comparison = flags.server
    ? await onGrid(path, flags as BaselineFlags & SubmitFlags)
    : await here(path, flags, childEntry);
  const { compared, proof, unserved } = comparison;
  const proved = proofExit(proof);
  if (proved !== CHECK_EXIT.right) print(`${checkedTable(proof, path)}\n`);
  if (compared.length === 0) return proved;
  const verdicts = compared.map((pair) => verdictOf(pair, flags.tolerance, path));
  print(markdownOf(compared, verdicts));
  for (const device of unserved) print(`${device}: ${UNSERVED}`);
  return worstExit([proved, ...verdicts.map(({ exit }) => exit)]);
}

async function here(path: string, flags: BaselineFlags, childEntry: URL): Promise<Comparison> {
  const contributed = await admitFile(path, 'file');
  const { kernel } = contributed;
  const { kernel: base } = await admitFile(flags.baseline, '--baseline');
  const [asked] = tunablesFor([kernel], flags.tunable);
  const only = asked?.tunables ?? {};
  const chosen = Object.entries(only).flatMap(([name, [value]]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const a: Variant = { kernel: kernel.id, tunables: Object.fromEntries(chosen) };
  const b: Variant = { kernel: base.id, tunables: {} };
  return onDevice(flags.device, childEntry, warn, async (runner, alone) => {
    const measure = measureOn(runner, alone, { regime: flags.regime, epilogue: kernel.epilogue });
    const { environment } = await runner.open('default');
    if (environment.device.class === 'cpu') throw new InputError(NO_ADAPTER, '--device');
    const proof = await prove(contributed, only, environment.capabilities, measure);
    const compared: Compared[] = [];
    if (proofExit(proof) !== CHECK_EXIT.right) return { proof, compared, unserved: [] };
    for (const text of list(flags.shape)) {
      const shape = parseShape(kernel.op, text, '--shape');
      const asked = { op: kernel.op, shape, dtype: kernel.dtypes[0] } as Problem;
      const { outcome, problem } = await measure(a, asked, 'smoke');
      const isMeasured = outcome.kind === 'measured';
      const ended = isMeasured
        ? await alone(() => runner.duel('default', { a, b, problem, tolerance: flags.tolerance }))
        : null;
      const isOwn = ended?.kind === 'ended' && ended.side === 'a';
      compared.push({
        device: environment.device.device,
        problem,
        ratio: ended?.kind === 'dueled' ? ended.duel : null,
        outcome: isOwn ? ended.outcome : outcome,
        why: ended?.kind === 'ended' ? `baseline: ${outcomeReason(ended.outcome)}` : '',
      });
    }
    return { proof, compared, unserved: [] };
  });
}

/** What is not part of the table. */
const warn = (text: string) => void process.stderr.write(`${text}\n`);

/** Each run of the sweep is measured and then takes turns with the baseline. */
async function onGrid(path: string, flags: BaselineFlags & SubmitFlags): Promise<Comparison> {
  const { baseline, devices = 'all', shape } = flags;
  const { kernel } = await admitFile(path, 'file');
  const submitted = await submitFile(path, { ...flags, devices, shapes: shape }, baseline);
  const proof = await resultsOf(await submitProof(path, submitted, flags.regime), warn);
  const results = await resultsOf(submitted, warn);
  const compared = results.map(({ device, outcome, problem }): Compared => {
    const { duel } = outcome?.kind === 'measured' ? outcome.measurement : {};
    return {
      device: device.name,
      problem,
      ratio: duel?.duel ?? null,
      outcome,
      why: duel ? `baseline: ${duel.why}` : 'its worker is of an older version, without duels',
    };
  });
  const notRun: Outcome = { kind: 'failed', stage: 'prepare', message: 'it was not run' };
  return {
    // By the name that it has here: this process does not know the grid's.
    proof: proof.map(({ outcome, problem, variant: { tunables } }) => ({
      problem,
      outcome: outcome ?? notRun,
      variant: { kernel: kernel.id, tunables },
    })),
    compared,
    unserved: submitted.unserved.map(({ name }) => name),
  };
}

function verdictOf({ outcome, ratio, why }: Compared, tolerance: number, path: string) {
  const finding = findingOf(outcome);
  if (finding !== 'right') {
    return { text: `**${finding}**: ${reasonIn(outcome, path)}`, exit: exitOf(finding) };
  }
  if (!ratio) return { text: `**not compared**: ${why}`, exit: CHECK_EXIT.unchecked };
  const { verdict } = verdictOn(ratio.ratio, ratio.low, ratio.high);
  const isSlower = ratio.high < 1 - tolerance;
  return {
    text: isSlower ? '**slower**' : WORDS[verdict],
    exit: isSlower ? CHECK_EXIT.slower : CHECK_EXIT.right,
  };
}

const WORDS: Readonly<Record<Verdict, string>> = {
  FAST: 'faster',
  SLOW: 'slower, as tolerated',
  SAME: 'the same',
  UNDECIDED: 'undecided',
};

function markdownOf(
  compared: readonly Compared[],
  verdicts: readonly { readonly text: string }[],
): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  const rows = compared.map(({ device, outcome, problem, ratio }, at) => {
    const times = (value: number) => value.toFixed(3);
    return [
      device,
      `${shapeText(problem)} ${problem.dtype}${particularsText(problem)}`,
      ratio ? `${times(ratio.ratio)} (${times(ratio.low)} to ${times(ratio.high)})` : '',
      verdicts[at]?.text ?? '',
      ...precisionCells(problem, outcome),
    ];
  });
  return [
    ['device', 'problem', 'times as fast (95%)', 'verdict', 'RMS error', 'repeatable'],
    ['---', '---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}
