import {
  bareVariant,
  type Problem,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { OutcomeKind } from '../measure/outcome';
import type { PlannedRun } from '../plan/expansion';
import type { Interval } from '../rank/headline';
import type { Contrast } from '../statistics/verdict';

/**
 * A search is a generator: it yields the run that it wants next and is told what that found. Who
 * drives it has the runs: the command line measures them on its device, a grid finds them among the
 * runs of a sweep (replay.ts).
 */
export type Asking<Of extends Found, Decision> = Generator<Ask, Decision, Answer<Of>>;

export interface Ask {
  readonly run: WantedRun;
  /** What follows, unless the answer changes that: it may be compiled or queued meanwhile. */
  readonly following: () => readonly WantedRun[];
}

export interface Answer<Of extends Found> {
  /** Null for a duel, of which only the contrast is asked. */
  readonly outcome: Of | null;
  /** Of its turns with the rival; null: it has none, or they prove nothing. */
  readonly contrast: Contrast | null;
}

/** What a search needs to know of an outcome. */
export type Found =
  | {
      readonly kind: 'measured';
      readonly measurement: { readonly cold: Interval; readonly unranked: string | null };
    }
  | { readonly kind: Exclude<OutcomeKind, 'measured'> };

/** A run to add to a tuning. With a rival it is a duel. */
export type WantedRun = Pick<PlannedRun, 'variant' | 'address' | 'policy' | 'problem' | 'rival'>;

/** A variant is screened, measured, and set against another at most once per problem. */
export const keyOf = ({ address, policy, problem, rival }: Omit<WantedRun, 'variant'>) => {
  const against = rival ? [variantAddress(rival.variant)] : [];
  return [policy, shapeText(problem), address, ...against].join(' ');
};

/** The run that measures a variant on a problem under a policy, or lets it duel. */
export const wantedRun = (
  problem: Problem,
  point: Variant & { readonly address: string },
  policy: PlannedRun['policy'],
  rival?: Variant,
): WantedRun => ({
  problem,
  variant: bareVariant(point),
  address: point.address,
  policy,
  ...(rival && { rival: { variant: bareVariant(rival) } }),
});

/** Asks for a run that is no duel. */
export function* measuredBy<Of extends Found>(
  run: WantedRun,
  following: Ask['following'] = () => [],
): Generator<Ask, Of, Answer<Of>> {
  const { outcome } = yield { run, following };
  if (!outcome) throw new Error(`${run.address} was answered without an outcome.`);
  return outcome;
}

/** Asks for a duel. */
export function* dueledBy<Of extends Found>(
  run: WantedRun,
  following: Ask['following'] = () => [],
): Generator<Ask, Contrast | null, Answer<Of>> {
  return (yield { run, following }).contrast;
}

/** Drives a search to its end. */
export async function drive<Of extends Found, Decision>(
  search: Asking<Of, Decision>,
  answer: (ask: Ask) => Promise<Answer<Of>>,
): Promise<Decision> {
  let step = search.next();
  while (!step.done) step = search.next(await answer(step.value));
  return step.value;
}
