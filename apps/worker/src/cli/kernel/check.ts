import { type Contributed, isBad, type Outcome, outcomeReason } from '@tilemark/core';
import {
  bytesText,
  type DeviceLimits,
  DTYPES,
  type Dtype,
  defaultsOf,
  feasible,
  InputError,
  type OpId,
  opById,
  opOf,
  type Problem,
  parseShape,
  rateOf,
  shapeText,
  type TunableValue,
  type TunableValues,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import { NO_ADAPTER } from '../../device/select';
import { tunablesFor } from '../flags';
import { onDevice } from '../on-device';
import { rateText, significant, table, timeText } from '../table';
import { admitFile, duelLine } from './file';

export interface CheckFlags {
  readonly device: string;
  /** Of the brief measurement. */
  readonly shape: string;
  /** The only values to try of some tunables; the first is their default. */
  readonly tunable?: readonly string[];
}

/** Sizes that no tile divides, of one row, of one column, of one step, and a few that are even. */
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
];

/** Every value of a tunable is tried on the first of these that it fits. */
const TUNED = [
  [130, 258, 66],
  [128, 256, 192],
  [512, 512, 512],
] as const;

interface Checked {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly outcome: Outcome;
}

/**
 * `tilemark check`: compiles a kernel, verifies it over shapes that kernels get wrong, with every
 * value of its tunables, and measures it briefly beside naive. Returns the exit code: 1 if it is
 * wrong anywhere. Throws InputError.
 */
export async function check(
  path: string,
  { device, shape, tunable }: CheckFlags,
  childEntry: URL,
  print: (text: string) => void,
): Promise<number> {
  const contributed = await admitFile(path, 'file');
  const { kernel } = contributed;
  const [asked] = tunablesFor([kernel], tunable);
  const speedShape = parseShape(kernel.op, shape, '--shape');
  return onDevice(device, childEntry, print, async (runner, alone) => {
    const outcomeOf = async (variant: Variant, problem: Problem, policy: 'smoke' | 'screen') => {
      const run = { variant, problem, policy, profile: 'default' } as const;
      const { outcome } = await alone(() => runner.run(run));
      return { variant, problem, outcome };
    };
    const { environment } = await runner.open('default');
    if (environment.device.class === 'cpu') throw new InputError(NO_ADAPTER, '--device');
    print(`${kernel.id} on ${environment.device.device}, profile default`);
    const checked: Checked[] = [];
    for (const [variant, problem] of casesOf(
      contributed,
      asked?.tunables ?? {},
      environment.capabilities,
    )) {
      const ended = await outcomeOf(variant, problem, 'smoke');
      checked.push(ended);
      const { outcome } = ended;
      // What does not compile, hangs, or crashes will do so on every shape.
      if (outcome.kind === 'failed' && outcome.stage !== 'verify') break;
    }
    print(checkedTable(checked, path));
    const wrong = checked.filter(({ outcome }) => isBad(outcome.kind));
    const right = checked.filter(({ outcome }) => outcome.kind === 'measured');
    if (wrong.length > 0 || right.length === 0) {
      print(wrong.length > 0 ? `${path} is wrong: see above.` : `${path} ran nowhere: see above.`);
      return 1;
    }
    const { variant } = right[0] ?? { variant: { kernel: kernel.id, tunables: {} } };
    for (const dtype of kernel.dtypes) {
      const problem = { op: kernel.op, shape: speedShape, dtype } as Problem;
      const own = await outcomeOf(variant, problem, 'screen');
      const naive = `${kernel.op}/naive`;
      const base = await outcomeOf({ kernel: naive, tunables: {} }, problem, 'screen');
      print(speedText(own, base.outcome, naive));
    }
    print(`${path} is right on this device. Next: ${duelLine(path, kernel, shape)}`);
    return 0;
  });
}

/** The defaults on every shape in every dtype; every other value of a tunable on one shape. */
function casesOf(
  { kernel }: Contributed,
  only: Readonly<Record<string, readonly TunableValue[]>>,
  device: DeviceLimits,
): [Variant, Problem][] {
  const { op, dtypes } = kernel;
  const tunables = kernel.tunables.map((each) => {
    const values = only[each.name] ?? each.values;
    return { ...each, values, default: only[each.name]?.[0] ?? each.default };
  });
  const defaults = defaultsOf(tunables);
  const variant = (values: TunableValues) => ({ kernel: kernel.id, tunables: values });
  const [first = 'f32'] = dtypes;
  return [
    ...dtypes.flatMap((dtype) =>
      SIZES.map((sizes): [Variant, Problem] => [variant(defaults), problemOf(op, sizes, dtype)]),
    ),
    ...tunables.flatMap(({ name, values, default: initial }) =>
      values
        .filter((value) => value !== initial)
        .map((value): [Variant, Problem] => {
          const those = variant({ ...defaults, [name]: value });
          const problems = TUNED.map((sizes) => problemOf(op, sizes, first));
          const fits = problems.find((problem) => feasible(those, problem, device).ok);
          return [those, fits ?? problemOf(op, TUNED[0], first)];
        }),
    ),
  ];
}

function problemOf(op: OpId, sizes: readonly number[], dtype: Dtype): Problem {
  return { op, shape: opById(op).shape(sizes), dtype } as Problem;
}

function checkedTable(checked: readonly Checked[], path: string): string {
  const rows = checked.map(({ variant, problem, outcome }) => [
    variantAddress(variant).replace(/^[^[]*/, ''),
    `${shapeText(problem)} ${problem.dtype}`,
    outcome.kind === 'measured' ? 'right' : outcome.kind,
    outcome.kind === 'measured' ? precisionText(problem, outcome.measurement.verification.rms) : '',
    outcome.kind === 'measured' ? '' : reasonIn(outcome, path),
  ]);
  const head = ['tunables', 'problem', '', 'RMS error', 'reason'];
  return table(head, rows, ['left', 'left', 'left', 'right', 'left']);
}

/** The RMS error in roundoffs. Integers and what is only moved have none: they must be equal. */
function precisionText(problem: Problem, rms: number | undefined): string {
  const isEqual = DTYPES[problem.dtype].isInteger || opOf(problem).flops(problem.shape) === 0;
  if (isEqual) return 'exact';
  return rms === undefined ? '' : `${significant(rms)} roundoffs`;
}

/** The reason with the place in the file, as editors take it: `my.wgsl:12:5: ...`. */
function reasonIn(outcome: Outcome, path: string): string {
  const reason = outcomeReason(outcome) ?? '';
  const [, what, line, column, text] =
    /^compile: ([\s\S]*) \(line (\d+)(?:, column (\d+))?: ([\s\S]*)\)$/.exec(reason) ?? [];
  if (line === undefined) return reason;
  return `${path}:${line}${column ? `:${column}` : ''}: ${what}\n  ${text}`;
}

function speedText(own: Checked, base: Outcome, naive: string): string {
  const { problem, outcome } = own;
  const what = `${shapeText(problem)} ${problem.dtype}`;
  if (outcome.kind !== 'measured') return `${what}: ${outcomeReason(outcome)}`;
  const { medianNs } = outcome.measurement.cold;
  const speed = `${timeText(medianNs)}, ${rateText(rateOf(problem, medianNs))}`;
  const times =
    base.kind === 'measured'
      ? `, ${significant(base.measurement.cold.medianNs / medianNs)} times ${naive}`
      : '';
  const moved = bytesText(opOf(problem).bytes(problem.shape, problem.dtype));
  return `${what} (${moved}): ${speed}${times} (briefly measured)`;
}
