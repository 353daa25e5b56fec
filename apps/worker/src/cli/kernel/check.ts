import {
  type Contributed,
  type Interval,
  type Outcome,
  type PolicyId,
  repeatableText,
  requirementsOfShape,
  roundedUp,
} from '@tilemark/core';
import {
  bytesText,
  type DeviceLimits,
  DTYPES,
  type Dtype,
  defaultsOf,
  feasible,
  InputError,
  opById,
  opOf,
  type Problem,
  parseShape,
  particularsText,
  type Regime,
  rateOf,
  type Shape,
  shapeText,
  type TunableValue,
  type TunableValues,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { Runner } from '../../child/runner';
import { NO_ADAPTER } from '../../device/select';
import { tunablesFor } from '../flags';
import { type Alone, onDevice } from '../on-device';
import { rateText, significant, table, timeText } from '../table';
import { admitFile, duelLine } from './file';
import { CHECK_EXIT, exitOf, findingOf, reasonIn, worstExit } from './finding';

export interface CheckFlags {
  readonly device: string;
  /** Of the brief measurement. */
  readonly shape: string;
  /** The only values to try of some tunables; the first is their default. */
  readonly tunable?: readonly string[];
  /** Of all inputs; absent: as usual. */
  readonly regime?: Regime;
}

/**
 * Sizes that no tile divides, of one row, of one column, of one step, a few that are even, and long ones. Where a
 * kernel takes multiples, each is rounded up to them: odd multiples, too, which no tile divides.
 */
const SIZES: readonly (readonly number[])[] = [
  [1, 1, 1],
  [17, 31, 5],
  [1, 127, 33],
  [129, 1, 64],
  [33, 65, 127],
  [64, 64, 64],
  [100, 3, 300],
  [256, 16, 1],
  [130, 258, 66],
  [128, 256, 192],
  [1031, 5, 9],
  [7, 1100, 5],
  [3, 5, 2050],
];

/** Of batches, where a kernel takes them. */
const BATCHES: readonly (readonly number[])[] = [
  [3, 17, 31, 5],
  [2, 64, 128, 96],
];

/** Every value of a tunable is tried on the first of these that it fits. */
const TUNED = [
  [130, 258, 66],
  [128, 256, 192],
  [512, 512, 512],
] as const;

/** How often a shape that is too slow here is halved before it is given up. */
const MOST_HALVINGS = 3;

export interface Checked {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly outcome: Outcome;
  /** Its shape is half of the one before, which was too slow. */
  readonly isHalved?: boolean;
}

/** Measures a variant on a problem, nothing else being measured meanwhile. */
export type Measure = (variant: Variant, problem: Problem, policy: PolicyId) => Promise<Checked>;

type OnlyValues = Readonly<Record<string, readonly TunableValue[]>>;

/**
 * `tilemark check`: compiles a kernel, verifies it over shapes that kernels get wrong, with every
 * value of its tunables, and measures it briefly beside naive. Returns the exit code, see
 * `CHECK_EXIT`. Throws InputError.
 */
export async function check(
  path: string,
  { device, regime, shape, tunable }: CheckFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const contributed = await admitFile(path, 'file');
  const { kernel } = contributed;
  const [asked] = tunablesFor([kernel], tunable);
  const given = parseShape(kernel.op, shape, '--shape');
  const speedShape = roundedUp(contributed, defaultsOf(kernel.tunables), given) as Shape;
  return onDevice(device, childEntry, print, async (runner, alone) => {
    const particulars = { regime, epilogue: kernel.epilogue };
    const measure = measureOn(runner, alone, particulars);
    const { environment } = await runner.open('default');
    if (environment.device.class === 'cpu') throw new InputError(NO_ADAPTER, '--device');
    print(
      `${kernel.id} on ${environment.device.device}, profile default${particularsText(particulars)}`,
    );
    const { capabilities } = environment;
    const checked = await prove(contributed, asked?.tunables ?? {}, capabilities, measure);
    print(checkedTable(checked, path));
    const exit = proofExit(checked);
    if (exit !== CHECK_EXIT.right) {
      print(`${path} ${EXIT_WORDS[exit]}: see above.`);
      return exit;
    }
    const { variant } = checked.find(isRight) ?? { variant: { kernel: kernel.id, tunables: {} } };
    const exits: ReturnType<typeof exitOf>[] = [exit];
    for (const dtype of kernel.dtypes) {
      const problem = { op: kernel.op, shape: speedShape, dtype } as Problem;
      const checkedHere = await measure(variant, problem, 'screen');
      const naive = `${kernel.op}/naive`;
      const base = await measure({ kernel: naive, tunables: {} }, problem, 'screen');
      print(speedText(checkedHere, base.outcome, naive, path));
      exits.push(exitOf(findingOf(checkedHere.outcome)));
    }
    const worst = worstExit(exits);
    if (worst !== CHECK_EXIT.right) {
      print(`${path} ${EXIT_WORDS[worst]} at ${shape}: see above.`);
      return worst;
    }
    const { multiples } = contributed.manifest;
    const where = [
      ...Object.entries(multiples).map(
        ([dimension, multiple]) => `${dimension} is a multiple of ${multiple}`,
      ),
      ...requirementsOfShape(contributed.manifest),
    ].join(' and ');
    print(
      `${path} is right on this device${particularsText(particulars)}${where && `, where ${where}`}. Next: ${duelLine(path, kernel, shape)}`,
    );
    return CHECK_EXIT.right;
  });
}

const EXIT_WORDS = {
  [CHECK_EXIT.right]: 'is right',
  [CHECK_EXIT.wrong]: 'is wrong',
  [CHECK_EXIT.uncompiled]: 'does not compile',
  [CHECK_EXIT.unchecked]: 'could not be checked here',
  [CHECK_EXIT.slower]: 'is slower than its baseline',
} as const;

const isRight = ({ outcome }: Checked) => outcome.kind === 'measured';

/** What `onDevice` hands a command, as one verb; problems are those asked for, of a regime or an epilogue. */
export const measureOn =
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

/**
 * Runs a kernel on every shape that kernels get wrong. A shape that is too slow here is halved a few
 * times; what does not compile, or hangs on the first shape, ends the proof.
 */
export async function prove(
  contributed: Contributed,
  only: OnlyValues,
  device: DeviceLimits,
  measure: Measure,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [variant, problem] of casesOf(contributed, only, device)) {
    let ended = await measure(variant, problem, 'smoke');
    checked.push(ended);
    for (let halving = 0; halving < MOST_HALVINGS; halving++) {
      const smaller = halved(contributed, ended);
      if (findingOf(ended.outcome) !== 'too slow here' || !smaller) break;
      ended = { ...(await measure(variant, smaller, 'smoke')), isHalved: true };
      checked.push(ended);
    }
    const finding = findingOf(ended.outcome);
    const isHopeless = finding === 'does not compile' || !checked.some(isRight);
    if (isHopeless && finding !== 'wrong' && ended.outcome.kind === 'failed') break;
  }
  return checked;
}

function halved(
  contributed: Contributed,
  { problem, variant }: Pick<Checked, 'problem' | 'variant'>,
): Problem | null {
  const { op, shape } = problem;
  const sizes = opById(op)
    .sizes(shape)
    .map((size) => Math.ceil(size / 2));
  const smaller = roundedUp(contributed, variant.tunables, opById(op).shape(sizes));
  const isSame = JSON.stringify(smaller) === JSON.stringify(shape);
  return isSame ? null : ({ ...problem, shape: smaller } as Problem);
}

/**
 * A kernel is right where every case was right, or was at a smaller shape. Cases that need more than
 * the device has, or that would take too long, are left out if others were right.
 */
export function proofExit(checked: readonly Checked[]): ReturnType<typeof worstExit> {
  const exits = checked.map((ended, at) => {
    const finding = findingOf(ended.outcome);
    // The smaller shape that follows decides.
    if (finding === 'too slow here' && checked[at + 1]?.isHalved) return CHECK_EXIT.right;
    if (isPassedOver(ended.outcome) && checked.some(isRight)) return CHECK_EXIT.right;
    return exitOf(finding);
  });
  return worstExit(exits);
}

/** What says nothing of the kernel: it needs more than there is, or was foreseen to take too long. */
const isPassedOver = (outcome: Outcome) =>
  outcome.kind === 'skipped' || (outcome.kind === 'failed' && outcome.stage === 'prepare');

/** The shapes of the proof that a kernel takes, each once. */
export function proofShapes(contributed: Contributed, values: TunableValues): Shape[] {
  const sizes = [...SIZES, ...(contributed.manifest.batches ? BATCHES : [])];
  const shapes = sizes.map((those) => rounded(contributed, values, those));
  return [...new Map(shapes.map((shape) => [JSON.stringify(shape), shape])).values()];
}

const rounded = (contributed: Contributed, values: TunableValues, sizes: readonly number[]) =>
  roundedUp(contributed, values, opById(contributed.kernel.op).shape(sizes)) as Shape;

/** The defaults on every shape in every dtype; every other value of a tunable on one shape. */
function casesOf(
  contributed: Contributed,
  only: OnlyValues,
  device: DeviceLimits,
): [Variant, Problem][] {
  const { kernel } = contributed;
  const { op, dtypes } = kernel;
  const tunables = kernel.tunables.map((tunable) => {
    const values = only[tunable.name] ?? tunable.values;
    return { ...tunable, values, default: only[tunable.name]?.[0] ?? tunable.default };
  });
  const defaults = defaultsOf(tunables);
  const variantOf = (values: TunableValues) => ({ kernel: kernel.id, tunables: values });
  const initial = variantOf(defaults);
  const [first = 'f32'] = dtypes;
  const problemOf = (shape: Shape, dtype: Dtype) => ({ op, shape, dtype }) as Problem;
  return [
    ...dtypes.flatMap((dtype) =>
      proofShapes(contributed, defaults).map((shape): [Variant, Problem] => [
        initial,
        problemOf(shape, dtype),
      ]),
    ),
    ...tunables.flatMap((tunable) =>
      tunable.values
        .filter((value) => value !== tunable.default)
        .map((value): [Variant, Problem] => {
          const variant = variantOf({ ...defaults, [tunable.name]: value });
          const problems = TUNED.map((sizes) =>
            problemOf(rounded(contributed, variant.tunables, sizes), first),
          );
          const fits = problems.find((problem) => feasible(variant, problem, device).ok);
          return [variant, fits ?? (problems[0] as Problem)];
        }),
    ),
  ];
}

export function checkedTable(checked: readonly Checked[], path: string): string {
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

/**
 * The RMS error in roundoffs, and whether the same inputs give the same bits each time. Integers and
 * what is only moved have no error: they must be equal.
 */
export function precisionCells(
  problem: Problem,
  outcome: Outcome | null,
): readonly [error: string, repeatable: string] {
  if (outcome?.kind !== 'measured') return ['', ''];
  const { isRepeatable, rms } = outcome.measurement.verification;
  const isEqual = DTYPES[problem.dtype].isInteger || opOf(problem).flops(problem.shape) === 0;
  const error = isEqual ? 'exact' : rms === undefined ? '' : `${significant(rms)} roundoffs`;
  return [error, repeatableText(isRepeatable) ?? ''];
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
