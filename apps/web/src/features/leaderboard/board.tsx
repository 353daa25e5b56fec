import type { DeviceClass, LeaderboardRow } from '@tilemark/core';
import { DeviceName } from '@/features/devices/device-name';
import { ImportedBadge } from '@/features/results/imported-badge';
import { roofShare } from '@/features/results/roof';
import { VariantLink } from '@/features/results/variant-link';
import { formatInterval, formatNs, formatPercent, formatRate, formatSpeedup } from '@/ui/format';
import { Ago } from '@/ui/moment';
import { TablePanel } from '@/ui/table';
import { RateBar } from './rate-bar';

const GROUPS: readonly (readonly [DeviceClass, string])[] = [
  ['gpu', 'GPUs'],
  ['browser', 'Browsers'],
  ['software', 'Software adapters'],
  ['cpu', 'Host CPUs'],
];

/** One row a device, grouped by class, ranked rows first; what is not ranked says why. */
export function Board({ rows, caption }: { rows: readonly LeaderboardRow[]; caption: string }) {
  const unit = rows[0]?.rate.unit ?? 'GFLOP/s';
  return (
    <TablePanel caption={caption}>
      <thead>
        <tr>
          <th scope="col" className="figure">
            Rank
          </th>
          <th scope="col">Device</th>
          <th scope="col" className="min-w-40">
            {unit}, higher is better
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
          <th scope="col" className="figure">
            Age
          </th>
        </tr>
      </thead>
      {GROUPS.map(([of, title]) => (
        <Group
          key={of}
          title={title}
          rows={rows.filter((row) => row.rank !== null && row.device.class === of)}
        />
      ))}
      <Group title="Not ranked" rows={rows.filter((row) => row.rank === null)} />
    </TablePanel>
  );
}

/** Classes differ by orders of magnitude, so each has a scale of its own, and says which. */
function Group({ title, rows }: { title: string; rows: readonly LeaderboardRow[] }) {
  if (rows.length === 0) return null;
  const fastest = Math.max(...rows.map((row) => row.rate.value));
  return (
    <tbody>
      <tr className="!bg-sunken text-2xs text-muted">
        <th scope="rowgroup" colSpan={2} className="!py-1">
          {title}
        </th>
        <td colSpan={6} className="!py-1">
          bars to {formatRate(fastest)}
        </td>
      </tr>
      {rows.map((row) => (
        <BoardRow key={row.resultId} row={row} fastest={fastest} />
      ))}
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
      <td className="figure text-muted">
        <Ago date={row.measuredAt} />
      </td>
    </tr>
  );
}
