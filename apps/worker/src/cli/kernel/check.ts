import { engineOf, type Interval, type Outcome, parseShapes } from '@tilemark/core';
import {
  admitKernel,
  batteryFinding,
  type Checked,
  type Contributed,
  findingOf,
  isRight,
  type Measure,
  requirementsOfShape,
  runBattery,
  scalesOf,
  takenShape,
  withLanes,
} from '@tilemark/core/contributed';
import {
  bytesText,
  type Dtype,
  defaultsOf,
  InputError,
  opOf,
  type Problem,
  particularsText,
  type Regime,
  rateOf,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { Runner } from '../../child/runner';
import { NO_ADAPTER } from '../../device/select';
import { tunablesFor } from '../flags';
import { type Alone, onDevice } from '../on-device';
import { rateText, table, timeText } from '../table';
import { compareWith } from './baseline';
import { enginesText, ranSays } from './engines';
import { admitFile, duelLine } from './file';
import { CHECK_EXIT, exitOf, precisionCells, reasonIn, remarksIn, worstExit } from './finding';
import { hintsOf } from './hint';

export interface CheckFlags {
  readonly device: string;
  /** To measure. */
  readonly shape: string;
  /** The only values to try of some tunables; the first is their default. */
  readonly tunable?: readonly string[];
  /** Of all inputs; absent: as usual. */
  readonly regime?: Regime;
  /** The file of a kernel to compare with; absent: naive, briefly. */
  readonly baseline?: string;
  /** How much slower is slower: 0.02 is 2%. */
  readonly tolerance: number;
}

/**
 * `tilemark check`: compiles a kernel, verifies it over shapes that kernels get wrong, with every
 * value of its tunables, and measures it briefly beside naive; with a baseline the two take turns, and
 * of a kernel that is right a Markdown table is printed alone. Returns the exit code, see `CHECK_EXIT`. Throws InputError.
 */
export async function check(
  path: string,
  { baseline, device, regime, shape, tolerance, tunable }: CheckFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const contributed = await admitFile(path, 'file');
  const { kernel } = contributed;
  const base = baseline === undefined ? null : await admitFile(baseline, '--baseline');
  const [asked] = tunablesFor([kernel], tunable);
  const given = parseShapes(kernel.op, shape, '--shape');
  const report: string[] = [];
  const tell = base ? (text: string) => void report.push(text) : print;
  return onDevice(device, childEntry, warn, async (runner, alone) => {
    const particulars = { regime, epilogue: kernel.epilogue };
    const measure = measureOn(runner, alone, particulars);
    const { capabilities, environment } = await runner.open('default');
    const { class: deviceClass, device: name } = environment.device;
    if (deviceClass === 'cpu') throw new InputError(NO_ADAPTER, '--device');
    tell(`${kernel.id} on ${name}, profile default${particularsText(particulars)}`);
    const only = asked?.tunables ?? {};
    const checked = await runBattery(contributed, only, measure);
    tell(checkedTable(checked, path));
    const runWith = (sized: Contributed) => runBattery(sized, only, measure);
    const sized = await runSizes(contributed, checked, capabilities.features, runWith);
    for (const each of sized) tell(lanesText(each, path));
    const engine = engineOf(environment.device.runtime) ?? 'tint';
    tell(await enginesText(contributed, ranSays(engine, checked), path));
    for (const remark of remarksIn(
      checked.map(({ outcome }) => outcome),
      path,
    ))
      tell(remark);
    const exit = worstExit([checked, ...sized.map((each) => each.checked)].map(batteryExit));
    if (exit !== CHECK_EXIT.right) {
      for (const text of report) print(text);
      print(`${path} ${EXIT_WORDS[exit]}: see above.`);
      for (const hint of await hintsOf(checked, contributed, measure)) print(`Hint: ${hint}`);
      return exit;
    }
    const { variant } = checked.find(isRight) ?? { variant: { kernel: kernel.id, tunables: {} } };
    const problemsIn = (dtypes: readonly Dtype[]) =>
      dtypes.flatMap((dtype) =>
        given.map((wanted) => {
          const taken = takenShape(contributed, defaultsOf(kernel.tunables), dtype, wanted);
          return { op: kernel.op, shape: taken, dtype } as Problem;
        }),
      );
    if (base) {
      const b = { kernel: base.kernel.id, tunables: {} };
      const turns = (problem: Problem) =>
        alone(() => runner.duel('default', { a: variant, b, problem, tolerance }));
      const own = (problem: Problem) => measure(variant, problem, 'smoke');
      const problems = problemsIn(kernel.dtypes.slice(0, 1));
      return compareWith(problems, own, turns, { device: name, path, print, tolerance });
    }
    const brief = (problem: Problem, of: Variant) => measure(of, problem, 'screen');
    const worst = await besideNaive(variant, problemsIn(kernel.dtypes), brief, path, print);
    if (worst !== CHECK_EXIT.right) {
      print(`${path} ${EXIT_WORDS[worst]} at ${shape}: see above.`);
      return worst;
    }
    for (const dtype of regime ? [] : kernel.dtypes) {
      for (const { problem, words } of await scalesOf(contributed, variant, dtype, measure))
        print(`${shapeText(problem)} ${dtype}: ${words}`);
    }
    const where = requirementsText(contributed);
    print(
      `${path} is right on this device${particularsText(particulars)}${where && `, where ${where}`}. Next: ${duelLine(path, kernel, shape)}`,
    );
    return CHECK_EXIT.right;
  });
}

/** Measures a kernel briefly, and naive beside it; the exit code. */
async function besideNaive(
  variant: Variant,
  problems: readonly Problem[],
  brief: (problem: Problem, of: Variant) => Promise<Checked>,
  path: string,
  print: (text: string) => void,
): Promise<ReturnType<typeof worstExit>> {
  const exits: ReturnType<typeof exitOf>[] = [];
  for (const problem of problems) {
    const own = await brief(problem, variant);
    const naive = `${problem.op}/naive`;
    const { outcome } = await brief(problem, { kernel: naive, tunables: {} });
    print(speedText(own, outcome, naive, path));
    exits.push(exitOf(findingOf(own.outcome)));
  }
  return worstExit(exits);
}

/** Prints what is not part of a report. */
const warn = (text: string) => void process.stderr.write(`${text}\n`);

/** The shapes that a kernel takes, as its manifest says; empty: all. */
const requirementsText = ({ manifest }: Contributed): string =>
  [
    ...Object.entries(manifest.multiples).map(
      ([dimension, multiple]) => `${dimension} is a multiple of ${multiple}`,
    ),
    ...requirementsOfShape(manifest),
  ].join(' and ');

const EXIT_WORDS = {
  [CHECK_EXIT.right]: 'is right',
  [CHECK_EXIT.wrong]: 'is wrong',
  [CHECK_EXIT.uncompiled]: 'does not compile',
  [CHECK_EXIT.unchecked]: 'could not be checked here',
  [CHECK_EXIT.slower]: 'is slower than its baseline',
} as const;

/** The work of `onDevice` as one verb; problems are those asked for, of a regime or an epilogue. */
const measureOn =
  (
    runner: Runner,
    alone: Alone,
    { regime, epilogue }: Pick<Problem, 'epilogue' | 'regime'>,
  ): Measure =>
  async (variant, asked, policy) => {
    const problem = { ...asked, ...(regime && { regime }), ...(epilogue && { epilogue }) };
    const run = { variant, problem, policy, profile: 'default' } as const;
    const { outcome } = await alone(() => runner.run(run));
    return { variant, problem, outcome };
  };

/** A battery that ran in subgroups of so many lanes; null: its device chose how many. */
export interface Sized {
  readonly lanes: number | null;
  readonly checked: readonly Checked[];
  /** Whether its device has no other. */
  readonly isOnly: boolean;
}

/**
 * Runs the battery of a kernel with subgroups under each of several sizes that its device can be told,
 * from the least. Where there is but one, or none can be told, what ran before is all that can be said.
 */
export async function runSizes(
  contributed: Contributed,
  checked: readonly Checked[],
  features: readonly string[],
  runWith: (contributed: Contributed) => Promise<Checked[]>,
): Promise<Sized[]> {
  const { dtypes, needs, tunables } = contributed.kernel;
  const usesThem = needs(defaultsOf(tunables), dtypes[0] ?? 'f32').features.includes('subgroups');
  if (!usesThem || batteryExit(checked) === CHECK_EXIT.uncompiled) return [];
  const sizes = features
    .flatMap((feature) => /^subgroup-size-(\d+)$/.exec(feature)?.slice(1).map(Number) ?? [])
    .toSorted((a, b) => a - b);
  const [first = null, ...others] = sizes;
  if (others.length === 0) return [{ lanes: first, checked, isOnly: true }];
  const sized: Sized[] = [];
  for (const lanes of sizes) {
    const file = withLanes(contributed, lanes);
    if (file === null) return [];
    sized.push({ lanes, checked: await runWith(await admitKernel(file)), isOnly: false });
  }
  return sized;
}

export function lanesText({ checked, isOnly, lanes }: Sized, path: string): string {
  const isBad = ({ outcome }: Checked) => exitOf(findingOf(outcome)) !== CHECK_EXIT.right;
  const bad = batteryExit(checked) === CHECK_EXIT.right ? undefined : checked.find(isBad);
  const finding = bad ? findingOf(bad.outcome) : 'right';
  if (lanes === null) return `Subgroups: ${finding} with the lanes that this device chose`;
  const what = `Subgroups: ${finding} with ${lanes} lanes`;
  if (isOnly) return `${what}, the only size that this device has`;
  if (!bad) return what;
  return `${what}: ${shapeText(bad.problem)} ${bad.problem.dtype}: ${reasonIn(bad.outcome, path)}`;
}

/** See `batteryFinding`. */
export const batteryExit = (checked: readonly Checked[]): ReturnType<typeof exitOf> =>
  exitOf(batteryFinding(checked));

function checkedTable(checked: readonly Checked[], path: string): string {
  const rows = checked.map(({ variant, problem, outcome }) => [
    variantAddress(variant).replace(/^[^[]*/, ''),
    `${shapeText(problem)} ${problem.dtype}`,
    findingOf(outcome),
    ...precisionCells(problem, outcome),
    outcome.kind === 'measured' ? '' : reasonIn(outcome, path),
  ]);
  const head = ['tunables', 'problem', '', 'RMS error', 'repeatable', 'reason'];
  return table(head, rows, ['left', 'left', 'left', 'right', 'left', 'left']);
}

/** How many times as fast the second is, as far as both intervals leave it. */
function timesText(base: Interval, { highNs, lowNs, medianNs }: Interval): string {
  const [times, low, high] = [
    base.medianNs / medianNs,
    base.lowNs / highNs,
    base.highNs / lowNs,
  ].map((ratio) => String(Number(ratio.toPrecision(2))));
  return `${times} (${low} to ${high})`;
}

function speedText(checked: Checked, base: Outcome, naive: string, path: string): string {
  const { problem, outcome } = checked;
  const what = `${shapeText(problem)} ${problem.dtype}`;
  if (outcome.kind !== 'measured') {
    return `${what}: ${findingOf(outcome)}: ${reasonIn(outcome, path)}`;
  }
  const { medianNs } = outcome.measurement.cold;
  const speed = `${timeText(medianNs)}, ${rateText(rateOf(problem, medianNs))}`;
  const times =
    base.kind === 'measured'
      ? `, ${timesText(base.measurement.cold, outcome.measurement.cold)} times ${naive}`
      : '';
  const moved = bytesText(opOf(problem).bytes(problem.shape, problem.dtype));
  return `${what} (${moved}): ${speed}${times} (briefly measured)`;
}
