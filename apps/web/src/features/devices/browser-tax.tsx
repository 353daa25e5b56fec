import { contrast, geometricMean, type HeadToHead } from '@tilemark/core';
import { kernelOf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { ComparableVariant } from '@/features/kernels/address';
import { deviceColumn, problemColumn } from '@/features/results/columns';
import { TextLink } from '@/ui/button';
import { formatCount, formatNs, formatShape, formatSpeedup } from '@/ui/format';
import { DataTable } from '@/ui/table';

/** How each kernel does in a browser against itself without one, on the same GPU. */
export function BrowserTax({
  pairs,
  isBrowser,
  isAll,
}: {
  pairs: readonly HeadToHead[];
  /** Whether the page is the browser's; else it is that of a GPU that browsers have lent. */
  isBrowser: boolean;
  /** Whether the table shows every pair, of however many. */
  isAll: boolean;
}) {
  const rows = pairs.map((pair) => ({ pair, ...contrast(pair.b, pair.a) }));
  const kernels = [...group(rows, ({ pair }) => kernelOf(pair.a.address))];
  return (
    <>
      <p className="mb-2 max-w-prose text-[0.8125rem] text-muted">
        The same variant in a browser and without one. A browser tells a GPU’s vendor and
        architecture, often no more: {isBrowser ? 'these native devices' : 'these browsers’ GPUs'}{' '}
        have the same.
      </p>
      <ul className="mb-3 flex flex-wrap gap-x-6 gap-y-1">
        {kernels.map(([kernel, of]) => (
          <li key={kernel}>
            <span className="font-medium">
              {formatSpeedup(geometricMean(of.map(({ ratio }) => ratio)) ?? Number.NaN)}
            </span>{' '}
            <span className="text-muted">
              {kernel}
              {of.length > 1 && `, mean of ${formatCount(of.length)}`}
            </span>
          </li>
        ))}
      </ul>
      <DataTable
        caption="Each variant in a browser and natively"
        rows={rows}
        rest={{ noun: 'pairs', isAll, allHref: '?rows=all#browser-tax' }}
        keyOf={({ pair }) => `${pair.a.resultId} ${pair.b.resultId}`}
        columns={[
          problemColumn(({ pair }: Row) => pair),
          {
            head: 'Variant',
            className: 'min-w-44',
            cell: ({ pair: { a, problem } }) => (
              <ComparableVariant
                address={a.address}
                resultId={a.resultId}
                on={`${formatShape(shapeText(problem))} ${problem.dtype}, natively`}
              />
            ),
          },
          deviceColumn(({ pair }: Row) => pair.device, isBrowser ? 'Native device' : 'Browser'),
          {
            head: 'Browser’s speed / native',
            title: 'Below 1, the browser is slower, with the 95% interval',
            isFigure: true,
            cell: ({ high, low, pair, ratio }) => (
              <TextLink
                href={`/compare?a=${pair.a.resultId}&b=${pair.b.resultId}`}
                aria-label={`${formatSpeedup(ratio)}: compare the two results`}
              >
                <span className="font-medium">{formatSpeedup(ratio)}</span>
                <span className="block text-xs text-muted">
                  {formatSpeedup(low)} to {formatSpeedup(high)}
                </span>
              </TextLink>
            ),
          },
          { head: 'Natively', isFigure: true, cell: ({ pair: { a } }) => <Side of={a} /> },
          { head: 'In the browser', isFigure: true, cell: ({ pair: { b } }) => <Side of={b} /> },
        ]}
      />
    </>
  );
}

interface Row {
  readonly pair: HeadToHead;
}

const Side = ({ of }: { of: HeadToHead['a'] }) => (
  <>
    {formatNs(of.medianNs)}
    {of.unranked && <span className="block text-xs text-muted">not ranked</span>}
  </>
);
