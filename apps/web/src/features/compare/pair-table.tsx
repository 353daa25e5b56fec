import type { HeadToHead, Pair } from '@tilemark/core';
import { OPS, rateOf, shapeText } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { VariantLink } from '@/features/kernels/address';
import { deviceColumn, problemColumn } from '@/features/results/columns';
import { TextLink } from '@/ui/button';
import { Rate } from '@/ui/facts';
import { formatCount, formatShape, formatSpeedup, plural } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { DataTable } from '@/ui/table';
import { comparePairs, countsText } from './comparison';
import { VerdictBadge } from './verdict';

/** More would hide the table. */
const MOST_SUMMARIES = 8;

/** Two devices or two variants, problem by problem, with a verdict and an effect for each. */
export function PairTable({ kind, pairs }: { kind: Pair['kind']; pairs: readonly HeadToHead[] }) {
  const { rows, summaries } = comparePairs(pairs);
  if (rows.length === 0) {
    return (
      <Empty title="Nothing to compare">
        <p>No problem was measured for both under the same profile.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul className="mb-4 space-y-2">
        {summaries
          .slice(0, MOST_SUMMARIES)
          .map(({ counts, device, dtype, mean, op, pairs: count, unranked }) => (
            <li
              key={`${op} ${dtype} ${device?.key}`}
              className="flex flex-wrap items-baseline gap-x-3 gap-y-1"
            >
              <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(mean)}</span>
              <span className="text-muted">
                {OPS[op].title}, {dtype}
                {device && ` on ${shortDeviceName(device.name)}`}: B’s speed as a multiple of A’s
                {count > 1 && `, geometric mean of ${formatCount(count)} problems`}.{' '}
                {countsText(counts)}
                {unranked > 0 &&
                  ` Left out: ${plural(unranked, 'problem')} where a side is not ranked.`}
              </span>
            </li>
          ))}
        {summaries.length > MOST_SUMMARIES && (
          <li className="text-muted">
            and {formatCount(summaries.length - MOST_SUMMARIES)} more devices and element types
            below
          </li>
        )}
      </ul>
      <DataTable
        caption={`Two ${kind}, problem by problem`}
        rows={rows}
        keyOf={({ pair }) => `${pair.a.resultId} ${pair.b.resultId}`}
        columns={[
          problemColumn(({ pair }: Row) => pair),
          ...(kind === 'variants' ? [deviceColumn(({ pair }: Row) => pair.device)] : []),
          {
            head: 'B is',
            cell: ({ pair: { a, b, problem }, verdict }) => (
              <TextLink
                href={`/compare?a=${a.resultId}&b=${b.resultId}`}
                aria-label={`${verdict}: compare the two results on ${formatShape(shapeText(problem))} ${problem.dtype}`}
              >
                <VerdictBadge of={verdict} />
              </TextLink>
            ),
          },
          {
            head: 'B’s speed / A’s',
            title:
              'Above 1, B is faster; below, its 95% interval, or its range where a side has too few independent samples',
            isFigure: true,
            cell: ({ high, low, pair: { a, b }, ratio }) => (
              <>
                <span className="font-medium">{formatSpeedup(ratio)}</span>
                <span className="block text-xs text-muted">
                  {(a.isRange || b.isRange) && 'range '}
                  {formatSpeedup(low)} to {formatSpeedup(high)}
                </span>
              </>
            ),
          },
          ...(['a', 'b'] as const).map((side) => ({
            head: side.toUpperCase(),
            isFigure: true,
            cell: ({ pair }: Row) => (
              <Side side={pair[side]} problem={pair.problem} withVariant={kind === 'devices'} />
            ),
          })),
        ]}
      />
    </>
  );
}

type Row = ReturnType<typeof comparePairs>['rows'][number];

function Side({
  side,
  problem,
  withVariant,
}: {
  side: HeadToHead['a'];
  problem: HeadToHead['problem'];
  withVariant: boolean;
}) {
  return (
    <>
      <Rate of={rateOf(problem, side.medianNs)} />
      {withVariant && (
        <span className="block min-w-40 whitespace-normal">
          <VariantLink address={side.address} resultId={side.resultId} />
        </span>
      )}
      {side.unranked && <span className="block text-xs text-muted">not ranked</span>}
    </>
  );
}
