import type { Leaderboard, LeaderboardRow } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { ImportedBadge } from '@/features/results/imported-badge';
import { roofShare } from '@/features/results/roof';
import { VariantLink } from '@/features/results/variant-link';
import { formatInterval, formatNs, formatPercent, formatRate, formatSpeedup } from '@/ui/format';
import { Ago } from '@/ui/moment';
import { TablePanel } from '@/ui/table';
import { GROUP_TITLES } from './groups';
import { MoreRows, shownRows } from './more-rows';
import { PublishedRows } from './published-rows';
import type { BoardQuery, Group } from './query';
import { RateBar } from './rate-bar';

const COLUMNS = 9;

/** One row a device, grouped by class, ranked rows first; what is not ranked says why. */
export function Board({
  board: { problem, rows },
  query,
  groups,
}: {
  board: Leaderboard;
  query: BoardQuery;
  groups: readonly Group[];
}) {
  if (!problem) return null;
  const { title, rateUnit } = opOf(problem);
  const shown = rows.filter((row) => groups.includes(row.device.class));
  return (
    <TablePanel
      caption={`Leaderboard: ${title}, ${shapeText(problem)}, ${problem.dtype}, profile ${query.profile}`}
    >
      <thead>
        <tr>
          <th scope="col" className="figure">
            Rank
          </th>
          <th scope="col">Device</th>
          <th scope="col" className="min-w-40">
            {rateUnit}, higher is better
          </th>
          <th scope="col" className="figure">
            Median
          </th>
          <th scope="col" className="figure">
            Of the roof
          </th>
          <th scope="col" className="figure">
            Over naive
          </th>
          <th scope="col">Best variant</th>
          <th
            scope="col"
            className="figure"
            title="Hosts whose workers have handed in results of this device"
          >
            Machines
          </th>
          <th scope="col" className="figure">
            Age
          </th>
        </tr>
      </thead>
      {GROUP_TITLES.map(([of, title]) => (
        <RowGroup
          key={of}
          title={title}
          rows={shown.filter((row) => row.rank !== null && row.device.class === of)}
          query={query}
        />
      ))}
      <RowGroup title="Not ranked" rows={shown.filter((row) => row.rank === null)} query={query} />
      {groups.includes('published') && <PublishedRows problem={problem} columns={COLUMNS} />}
    </TablePanel>
  );
}

/** Classes differ by orders of magnitude, so each has a scale of its own, and says which. */
function RowGroup({
  title,
  rows,
  query,
}: {
  title: string;
  rows: readonly LeaderboardRow[];
  query: BoardQuery;
}) {
  if (rows.length === 0) return null;
  const fastest = Math.max(...rows.map((row) => row.rate.value));
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          {title}
        </th>
        <td colSpan={COLUMNS - 2} className="!py-1">
          bars to {formatRate(fastest)}
        </td>
      </tr>
      {shownRows(rows, query).map((row) => (
        <BoardRow key={row.resultId} row={row} fastest={fastest} />
      ))}
      <MoreRows of={rows.length} noun="devices" query={query} columns={COLUMNS} />
    </tbody>
  );
}

function BoardRow({ row, fastest }: { row: LeaderboardRow; fastest: number }) {
  const { device, highNs, lowNs, medianNs, rank, rate, resultId, speedupOverNaive, unranked } = row;
  const roof = roofShare(row.roof, medianNs);
  return (
    <tr>
      <td className="figure font-medium">{rank ?? '–'}</td>
      <th scope="row" className="min-w-36">
        <DeviceName device={device} />
        {unranked && <p className="font-normal text-xs text-amber">Not ranked: {unranked}</p>}
      </th>
      <td>
        <RateBar
          value={rate.value}
          low={(rate.value * medianNs) / highNs}
          high={(rate.value * medianNs) / lowNs}
          max={fastest}
          text={formatRate(rate.value)}
          isRanked={rank !== null}
        />
      </td>
      <td className="figure">
        {formatNs(medianNs)}
        <span className="block text-xs text-muted" title="95 % interval of the median">
          {formatInterval(medianNs, lowNs, highNs)}
        </span>
      </td>
      <td className="figure">
        {roof ? (
          <>
            {formatPercent(roof.share)}
            <span className="block text-xs text-muted">{roof.bound}</span>
          </>
        ) : (
          '–'
        )}
      </td>
      <td className="figure">
        {speedupOverNaive === null ? '–' : formatSpeedup(speedupOverNaive)}
      </td>
      <td className="min-w-56">
        <VariantLink address={row.address} resultId={resultId} />{' '}
        <ImportedBadge of={row.imported} />
      </td>
      <td className="figure text-muted">{row.machines}</td>
      <td className="figure text-muted">
        <Ago date={row.measuredAt} />
      </td>
    </tr>
  );
}
