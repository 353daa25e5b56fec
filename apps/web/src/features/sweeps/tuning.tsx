import {
  type FamilyTuning,
  POLICIES,
  type ProblemTuning,
  type TunedShape,
  type Tuning,
} from '@tilemark/core';
import { kernelOf, opById, shapeText } from '@tilemark/kernels';
import { DeviceName, deviceHref } from '@/features/devices/device-name';
import { kernelHref, VariantLink } from '@/features/kernels/address';
import { ButtonLink, TextLink } from '@/ui/button';
import { type Fact, Facts, Rate, Timing } from '@/ui/facts';
import { formatCount, formatDuration, formatShape, formatSpeedup, plural } from '@/ui/format';
import { PartsBar } from '@/ui/parts-bar';
import { isCut } from './progress';

/** A sweep that is a search for the fastest variant: how far it is, what leads, what won. */

const PHASES: Readonly<Record<Tuning['phase'], string>> = {
  screening: 'screening: many variants, a few samples each',
  finals: 'full runs of the fastest',
  duels: 'letting the leaders take turns',
  done: 'done',
};

const STOPS = { budget: 'its time was used up', exhausted: 'nothing was left to try' } as const;

/** How far a search is, or why it ended. */
export const phaseFact = (
  { decision, phase }: Pick<Tuning, 'decision' | 'phase'>,
  isOver: boolean,
): Fact => ({
  name: decision ? 'Screening ended because' : 'Phase',
  value: decision ? STOPS[decision.stop] : isOver ? 'cancelled' : PHASES[phase],
});

/** How much of its time a tuning has used. */
export const BudgetBar = ({ tuning, label }: { tuning: Tuning; label: string }) => (
  <PartsBar
    label={label}
    text={usedText(tuning)}
    // What ended for its time, with shapes left, is not shown as a success.
    parts={[
      [
        isCut(tuning) ? 'bg-line-strong' : 'bg-accent',
        tuning.decision ? 1 : Math.min(1, tuning.usedSeconds / tuning.budgetSeconds),
      ],
    ]}
    whole={1}
  />
);

/** What decides a search of one problem may come when its time is used up. */
export function usedText(tuning: Pick<Tuning, 'budgetSeconds' | 'usedSeconds'>): string {
  const { budgetSeconds, usedSeconds } = tuning;
  const [used, budget] = [formatDuration(usedSeconds), formatDuration(budgetSeconds)];
  if (usedSeconds <= budgetSeconds || used === budget) return `${used} of ${budget}`;
  const why = 'suite' in tuning ? '' : ': full runs come last';
  return `${used}, beyond the ${budget} asked for${why}`;
}

/** `12 of 50 shapes`: those that do not fit the device are not counted. */
export const searchedText = ({ shapes, skipped }: Pick<FamilyTuning, 'shapes' | 'skipped'>) =>
  `${formatCount(shapes.done)} of ${plural(shapes.total - skipped.length, 'shape')}`;

/** What the tuning of a problem has found so far, or in the end. */
export function TuningFacts({
  tuning,
  runs,
  varied,
  isOver,
}: {
  tuning: ProblemTuning;
  /** Its runs that have ended: a variant that is also measured in full has two. */
  runs: number;
  /** By kernel, the tunables in which its variants differ. */
  varied: ReadonlyMap<string, ReadonlySet<string>>;
  isOver: boolean;
}) {
  const { best, decision, device, problem, profile, tried } = tuning;
  const facts: Fact[] = [
    {
      name: decision ? 'Winner' : 'Best so far',
      value: best ? (
        <VariantLink
          address={best.address}
          resultId={best.resultId}
          varied={varied.get(kernelOf(best.address))}
        />
      ) : decision ? (
        'none: nothing that was measured is plausible'
      ) : (
        'none yet'
      ),
    },
    {
      name: 'Rate',
      value: best ? (
        <>
          <Rate of={best.rate} />{' '}
          <span className="text-muted">
            <FastestTime of={best} />
          </span>
        </>
      ) : (
        '–'
      ),
    },
    {
      name: 'Variants tried',
      value: `${formatCount(tried)}, in ${plural(runs, 'run')}`,
    },
    { name: 'Time used, without waiting', value: usedText(tuning) },
    phaseFact(tuning, isOver),
    {
      name: 'Problem',
      value: `${opById(problem.op).title} ${formatShape(shapeText(problem))} ${problem.dtype}, profile ${profile}`,
    },
    { name: 'Device', value: <DeviceName device={device} /> },
    ...(decision?.duels.length === 0 ? [{ name: 'Duels', value: '0' }] : []),
    ...(decision?.duels ?? []).map(({ a, b, high, low, ratio }) => ({
      name: 'Duel',
      value: (
        <>
          <VariantLink address={a} resultId={null} varied={varied.get(kernelOf(a))} /> ran at{' '}
          {formatSpeedup(ratio)} the speed of{' '}
          <VariantLink address={b} resultId={null} varied={varied.get(kernelOf(b))} />{' '}
          <span className="text-muted">
            ({formatSpeedup(low)} to {formatSpeedup(high)})
          </span>
        </>
      ),
    })),
  ];
  return (
    <>
      <Facts facts={facts} />
      {decision && best && (
        <>
          <p className="flex flex-wrap gap-2 px-4 py-3">
            <ButtonLink href={`/results/${best.resultId}`}>Result of the winner</ButtonLink>
            {tuning.kernel === undefined && (
              <ButtonLink href={bestHref(tuning)}>Best kernel for this problem</ButtonLink>
            )}
          </p>
          <p className="px-4 pb-3 text-xs text-muted">
            {decidedBy(tuning)} Quick runs are less certain, so one may seem faster than the winner.{' '}
            <TextLink href="/docs/choose#on-a-grid">How the winner is decided</TextLink>
          </p>
        </>
      )}
    </>
  );
}

/** A time, how well it is known, and whether it is of a quick run: those take few samples. */
export function FastestTime({ of }: { of: NonNullable<TunedShape['best']> }) {
  return (
    <>
      <Timing of={of} />
      {!POLICIES[of.policy].rankable && (
        <span className="text-xs whitespace-nowrap text-muted">, quick run</span>
      )}
    </>
  );
}

/** What the winner rests on. */
export function decidedBy({ decision, finals }: Pick<ProblemTuning, 'decision' | 'finals'>) {
  if (decision && decision.duels.length > 0) return 'Full runs and duels decide.';
  return finals > 1 ? 'Full runs decide.' : 'The winner is the only variant measured in full.';
}

/** Where another search like it is started. */
export const tuneHref = (tuning: Tuning): string =>
  'kernel' in tuning && tuning.kernel
    ? `${kernelHref(tuning.kernel)}#tunables`
    : `${deviceHref(tuning.device.key)}#tune`;

/** The lookup that now answers with what was found. */
function bestHref({ device, problem, profile }: ProblemTuning): string {
  const { dtype, op } = problem;
  const of = { op, shape: shapeText(problem), dtype, profile, device: device.key };
  return `/best?${new URLSearchParams(of)}`;
}
