import {
  bareVariant,
  type Problem,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import type { Measurement, OutcomeKind } from '../measure/outcome';
import type { Interval } from '../rank/headline';
import type { Contrast } from '../statistics/verdict';

/**
 * A search is a generator: it yields the run that it wants next and is told what that found. Who
 * drives it (driver.ts) measures the runs on its device, or knows what they found.
 */
export type Search<O extends TrialOutcome, Decision> = Generator<RunRequest, Decision, Answer<O>>;

export interface RunRequest {
  readonly run: WantedSpec;
  /** What follows, unless the answer changes that: it may be compiled or queued meanwhile. */
  readonly following: () => readonly WantedSpec[];
}

export interface Answer<O extends TrialOutcome> {
  /** Null for a duel, of which only the contrast is asked. */
  readonly outcome: O | null;
  /** Of its turns with the rival; null: it has none, or they prove nothing. */
  readonly contrast: Contrast | null;
}

/** What a search needs to know of an outcome. */
export type TrialOutcome =
  | {
      readonly kind: 'measured';
      readonly measurement: { readonly cold: Interval } & Pick<
        Measurement,
        'unranked' | 'disbelieved'
      >;
    }
  | { readonly kind: Exclude<OutcomeKind, 'measured'> };

/** A run that a search asks for. With a rival it is a duel. */
export type WantedSpec = Pick<RunSpec, 'variant' | 'address' | 'policy' | 'problem' | 'rival'>;

/** What a run was, in words. */
interface RunWords extends Pick<WantedSpec, 'address' | 'policy'> {
  readonly shape: string;
  /** Address of the one that it took turns with; null: none. */
  readonly rival: string | null;
}

/** A variant is screened, measured, and set against another at most once per problem. */
export const keyOfWords = ({ address, policy, rival, shape }: RunWords): string =>
  [policy, shape, address, ...(rival === null ? [] : [rival])].join(' ');

/** The same of a run that is wanted. */
export const keyOf = ({ problem, rival, ...run }: Omit<WantedSpec, 'variant'>): string =>
  keyOfWords({
    ...run,
    shape: shapeText(problem),
    rival: rival ? variantAddress(rival.variant) : null,
  });

/** The run that measures a variant on a problem under a policy, or lets it duel. */
export const wantedRun = (
  problem: Problem,
  point: Variant & { readonly address: string },
  policy: RunSpec['policy'],
  rival?: Variant,
): WantedSpec => ({
  problem,
  variant: bareVariant(point),
  address: point.address,
  policy,
  ...(rival && { rival: { variant: bareVariant(rival) } }),
});

/** Asks for a run that is no duel. */
export function* requestMeasurement<O extends TrialOutcome>(
  run: WantedSpec,
  following: RunRequest['following'] = () => [],
): Generator<RunRequest, O, Answer<O>> {
  const { outcome } = yield { run, following };
  if (!outcome) throw new Error(`${run.address} was answered without an outcome.`);
  return outcome;
}

/** Asks for a duel. */
export function* requestDuel<O extends TrialOutcome>(
  run: WantedSpec,
  following: RunRequest['following'] = () => [],
): Generator<RunRequest, Contrast | null, Answer<O>> {
  return (yield { run, following }).contrast;
}

/** Drives a search to its end. */
export async function drive<O extends TrialOutcome, Decision>(
  search: Search<O, Decision>,
  answer: (ask: RunRequest) => Promise<Answer<O>>,
): Promise<Decision> {
  let step = search.next();
  while (!step.done) step = search.next(await answer(step.value));
  return step.value;
}
