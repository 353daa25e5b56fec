import { opById, type Problem, type Shape, type Variant } from '@tilemark/kernels';
import type { Outcome } from '../measure/outcome';
import type { PolicyId } from '../measure/policy';
import { batteryOf, type OnlyValues, takenShape } from './battery';
import type { Contributed } from './manifest';

/** A battery that is run: on a machine by `check`, or in a tab. */

/** The finding that an outcome makes of its kernel, in the words of a table. */
export type Finding =
  | 'right'
  | 'wrong'
  | 'does not compile'
  | 'too slow here'
  | 'needs more than this device has'
  | 'not run';

/** The findings, the worst first. */
const SEVERITY: readonly Finding[] = [
  'wrong',
  'does not compile',
  'too slow here',
  'needs more than this device has',
  'not run',
  'right',
];

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

/** Limits of time: they say as much of the machine and its load as of the kernel. */
const HUNG = /did not end within|no answer for/;
const OF_TIME = /per dispatch/;

/** Whether a kernel was tried for as long as it may take. */
export const hasHung = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && HUNG.test(outcome.message);
const OF_DEVICE =
  /out of GPU memory|too much memory|allocate|is not allowed in the current environment/;
/** It wrote elsewhere, or nothing. */
const OF_KERNEL = /\bwrote\b|there are 0 workgroups/;

export function findingOf(outcome: Outcome | null | undefined): Finding {
  switch (outcome?.kind) {
    case 'measured':
      return 'right';
    case 'incorrect':
      return 'wrong';
    case 'skipped':
      return 'needs more than this device has';
    case 'failed':
      if (hasHung(outcome) || OF_TIME.test(outcome.message)) return 'too slow here';
      if (OF_DEVICE.test(outcome.message)) return 'needs more than this device has';
      if (outcome.stage === 'compile') return 'does not compile';
      return OF_KERNEL.test(outcome.message) ? 'wrong' : 'not run';
    default:
      return 'not run';
  }
}

export const isRight = ({ outcome }: Checked) => outcome.kind === 'measured';

/**
 * Runs a kernel on every shape that kernels get wrong. A shape that is too slow here is halved a few
 * times; what does not compile, or hangs on the first shape, ends the battery.
 */
export async function runBattery(
  contributed: Contributed,
  only: OnlyValues,
  measure: Measure,
): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [variant, problem] of batteryOf(contributed, only)) {
    let ended = await measure(variant, problem, 'smoke');
    checked.push(ended);
    for (let halving = 0; halving < MOST_HALVINGS; halving++) {
      const smaller = halved(contributed, ended);
      if (findingOf(ended.outcome) !== 'too slow here' || !smaller) break;
      if (hasHung(ended.outcome) && !checked.some(isRight)) break;
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
  const { dtype, op, shape } = problem;
  const sizes = opById(op)
    .sizes(shape)
    .map((size) => Math.ceil(size / 2));
  const smaller = takenShape(
    contributed,
    variant.tunables,
    dtype,
    opById(op).shape(sizes) as Shape,
  );
  const isSame = JSON.stringify(smaller) === JSON.stringify(shape);
  return isSame ? null : ({ ...problem, shape: smaller } as Problem);
}

/** The cases that count: without those that only the device refused, if others were right, or that were halved. */
export const casesOf = (checked: readonly Checked[]): Checked[] =>
  checked.filter((ended, at) => {
    const isTriedAgain = checked[at + 1]?.isHalved && findingOf(ended.outcome) === 'too slow here';
    return !isTriedAgain && !(isPassedOver(ended.outcome) && checked.some(isRight));
  });

/** The worst finding. A kernel is right where every case that counts was right. */
export function batteryFinding(checked: readonly Checked[]): Finding {
  const findings = casesOf(checked).map(({ outcome }) => findingOf(outcome));
  return SEVERITY.find((finding) => findings.includes(finding)) ?? 'not run';
}

/** Whether an outcome says nothing of the kernel: it needs more than there is, or was foreseen to take too long. */
const isPassedOver = (outcome: Outcome) =>
  outcome.kind === 'skipped' ||
  (outcome.kind === 'failed' && outcome.stage === 'prepare' && findingOf(outcome) !== 'wrong');
