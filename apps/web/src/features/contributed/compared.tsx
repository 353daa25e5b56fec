import { isBad, isMeasured, pairContrast, type RunShown } from '@tilemark/core';
import type { Beside, ContributedResults, ContributedRun } from '@tilemark/core/server';
import {
  kernelParts,
  particularsText,
  rateOf,
  shapeText,
  shortAddress,
  volume,
} from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { Address } from '@/features/kernels/address';
import { DEVICE, MEDIAN_BETWEEN, OVER_NAIVE, rateColumn } from '@/features/results/columns';
import { VerdictBadge } from '@/features/results/verdict';
import { TextLink } from '@/ui/button';
import { BETWEEN_RUNS, Timing } from '@/ui/facts';
import { formatMetric, formatShape, formatSpeedup } from '@/ui/format';
import { Badge } from '@/ui/notice';
import { type Column, DataTable } from '@/ui/table';

type Headline = NonNullable<ContributedRun['headline']>;

/** Other versions that the table has a column for. */
const MOST_VERSIONS = 3;

/** With an epilogue, none of those beside it: they are of the product alone. */
const placeOf = ({ device, problem }: RunShown) =>
  [device.key, problem.op, problem.dtype, shapeText(problem) + particularsText(problem)].join(' ');
const besidePlace = ({ deviceKey, dtype, op, shape }: Beside) =>
  [deviceKey, op, dtype, shape].join(' ');

/** A version on each device and shape beside ours, naive, and earlier versions of its author. */
export function Compared({ id, results }: { id: string; results: ContributedResults }) {
  const { best, naive, runs } = results;
  const versionRuns = runs
    .filter(({ variant }) => variant.kernel === id)
    .toSorted(
      (a, b) => a.device.name.localeCompare(b.device.name) || volume(a.problem) - volume(b.problem),
    );
  const others = [...new Set(runs.map(({ variant }) => variant.kernel))]
    .filter((kernel) => kernel !== id)
    .slice(0, MOST_VERSIONS);
  const ours = (of: readonly Beside[], run: RunShown) =>
    of.find((each) => besidePlace(each) === placeOf(run));
  const versions = others.map(
    (kernel): Column<ContributedRun> => ({
      head: `Over @${kernelParts(kernel).version}`,
      title: `Times as fast as ${kernel}`,
      isFigure: true,
      cell: (run) => {
        const there = runs
          .filter((each) => each.variant.kernel === kernel && placeOf(each) === placeOf(run))
          .flatMap(({ headline }) => headline ?? [])
          .toSorted((a, b) => a.medianNs - b.medianNs);
        return ratioText(run, there[0]);
      },
    }),
  );
  const outcomes: Column<ContributedRun>[] = versionRuns.every(isMeasured)
    ? []
    : [
        {
          head: 'Outcome',
          className: 'min-w-52',
          cell: (run) => (isMeasured(run) ? '–' : <State run={run} />),
        },
      ];
  return (
    <DataTable
      caption={`${id} by device and problem`}
      rows={versionRuns}
      empty="Nothing has been measured in full yet."
      keyOf={({ runId }) => runId}
      columns={[
        DEVICE,
        {
          head: 'Problem',
          className: 'min-w-28',
          cell: ({ address, problem }) => (
            <>
              {formatShape(shapeText(problem))} {problem.dtype}
              {particularsText(problem)}
              {shortAddress(address) !== id && (
                <span className="block">
                  <Address of={shortAddress(address).slice(id.length)} />
                </span>
              )}
            </>
          ),
        },
        ...outcomes,
        {
          head: MEDIAN_BETWEEN,
          isFigure: true,
          cell: ({ headline }) =>
            headline ? (
              <TextLink href={`/results/${headline.resultId}`}>
                <Timing of={headline} about={BETWEEN_RUNS} />
              </TextLink>
            ) : (
              '–'
            ),
        },
        rateColumn(
          ({ headline, problem }: ContributedRun) => headline && rateOf(problem, headline.medianNs),
        ),
        {
          head: 'Over the best of ours',
          title: 'Times as fast as the fastest kernel of the catalogue there',
          isFigure: true,
          cell: (run) => ratioText(run, ours(best, run), true),
        },
        {
          head: OVER_NAIVE,
          title: 'Times as fast as the fastest variant of the naive kernel there',
          isFigure: true,
          cell: (run) => ratioText(run, ours(naive, run)),
        },
        ...versions,
        {
          head: 'RMS error',
          title: 'Root of the mean square error, in roundoffs of the element type',
          isFigure: true,
          cell: (run) =>
            isMeasured(run) && run.figures.rmsError !== null
              ? formatMetric('u', 2, run.figures.rmsError)
              : '–',
        },
      ]}
    />
  );
}

/** How a run that was not measured stands, and why. */
function State({ run }: { run: RunShown }) {
  const badge = <Badge tone={isBad(run.kind) ? 'rose' : 'neutral'}>{run.kind}</Badge>;
  return (
    <>
      {run.resultId ? <TextLink href={`/results/${run.resultId}`}>{badge}</TextLink> : badge}
      {run.reason && (
        <span className="mt-0.5 block max-w-96 break-words whitespace-pre-wrap">{run.reason}</span>
      )}
    </>
  );
}

/** How many times as fast, with the interval and what follows from it. */
function ratioText(
  { headline }: ContributedRun,
  base: (Headline & { readonly address?: string }) | undefined,
  isNamed = false,
): ReactNode {
  if (!headline || !base) return '–';
  const { high, low, ratio, verdict } = pairContrast({ a: base, b: headline });
  return (
    <>
      <span className="font-medium">{formatSpeedup(ratio)}</span> <VerdictBadge of={verdict} />
      <span className="block text-xs text-muted">
        {(base.isRange || headline.isRange) && 'range '}
        {formatSpeedup(low)} to {formatSpeedup(high)}
      </span>
      {isNamed && base.address && (
        <span
          className="block max-w-56 sm:ml-auto text-xs whitespace-normal text-muted"
          title={base.address}
        >
          {shortAddress(base.address)}
        </span>
      )}
    </>
  );
}
