import { type RunShown, STOPS, type Tuning } from '@tilemark/core';
import { kernelOf, opById, type Problem, shapeText } from '@tilemark/kernels';
import { deviceHref } from '@/features/devices/device-name';
import { VariantLink } from '@/features/kernels/address';
import { ButtonLink } from '@/ui/button';
import { type Fact, Facts } from '@/ui/facts';
import { formatCount, formatDuration, formatShape, plural } from '@/ui/format';
import { PartsBar } from '@/ui/parts-bar';
import { isCut } from './progress';

/** A sweep that is a search for the fastest variants: how far it is, and what won. */

/** How much of its time a search has used. */
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

/** What decides the search of a problem may come when its time is used up. */
function usedText(tuning: Tuning): string {
  const { budgetSeconds, usedSeconds } = tuning;
  const [used, budget] = [formatDuration(usedSeconds), formatDuration(budgetSeconds)];
  if (usedSeconds <= budgetSeconds || used === budget) return `${used} of ${budget}`;
  const why = 'suite' in tuning ? '' : ': full runs come last';
  return `${used}, beyond the ${budget} asked for${why}`;
}

/** What a search has tried so far, and what it found in the end. */
export function TuningFacts({
  tuning,
  runs,
  device,
  varied,
}: {
  tuning: Tuning;
  /** Its runs: a variant that is also measured in full has two. */
  runs: readonly RunShown[];
  /** Key of the device that it is for. */
  device: string;
  /** By kernel, the tunables in which its variants differ. */
  varied: ReadonlyMap<string, ReadonlySet<string>>;
}) {
  const { decision, profile, tried } = tuning;
  const winner = decision?.winner ?? null;
  const result = runs.find(
    ({ address, duel, kind, policy }) =>
      address === winner && policy === 'default' && kind === 'measured' && !duel,
  );
  const problem = 'problem' in tuning ? tuning.problem : null;
  const facts: Fact[] = [
    ...(decision && problem
      ? [
          {
            name: 'Winner',
            value:
              winner === null ? (
                'none: nothing that was measured is plausible'
              ) : (
                <VariantLink
                  address={winner}
                  resultId={result?.resultId ?? null}
                  varied={varied.get(kernelOf(winner))}
                />
              ),
          },
        ]
      : []),
    { name: 'Variants tried', value: `${formatCount(tried)}, in ${plural(runs.length, 'run')}` },
    ...(decision?.shapes != null
      ? [{ name: 'Shapes searched', value: formatCount(decision.shapes) }]
      : []),
    { name: 'Time used, without waiting', value: usedText(tuning) },
    ...(decision ? [{ name: 'Screening ended because', value: STOPS[decision.stop] }] : []),
    problem
      ? {
          name: 'Problem',
          value: `${opById(problem.op).title} ${formatShape(shapeText(problem))} ${problem.dtype}, profile ${profile}`,
        }
      : { name: 'Family', value: familyText(tuning) },
  ];
  return (
    <>
      <Facts facts={facts} />
      {problem && winner !== null && !('kernel' in tuning) && (
        <p className="px-4 py-3">
          <ButtonLink href={bestHref(problem, profile, device)}>
            Best kernel for this problem
          </ButtonLink>
        </p>
      )}
    </>
  );
}

const familyText = (tuning: Tuning) =>
  'suite' in tuning ? `${tuning.suite}, ${tuning.dtype}, profile ${tuning.profile}` : '–';

/** Where another sweep or search like it is started, and what that is called; null: nowhere on the site. */
export function againOf(
  sweep: string,
  tuning: Tuning | null,
  device: string | null,
): readonly [href: string, text: string] | null {
  if (!tuning) return [`/sweeps/new?sweep=${encodeURIComponent(sweep)}`, 'Edit a copy'];
  if ('kernel' in tuning || device === null) return null;
  return [`${deviceHref(device)}#tune`, 'Tune again'];
}

/** The lookup that now answers with what was found. */
function bestHref(problem: Problem, profile: Tuning['profile'], device: string): string {
  const { dtype, op } = problem;
  return `/best?${new URLSearchParams({ op, shape: shapeText(problem), dtype, profile, device })}`;
}
