import type { HeatMap, HeatMapCell } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { kernelHref } from '@/features/kernels/address';
import { formatRate } from '@/ui/format';
import { TablePanel } from '@/ui/table';
import { MoreRows, shownRows } from './more-rows';
import type { BoardQuery } from './query';

/**
 * Devices x kernels: the rate of each kernel's best variant, coloured by its part of the
 * device's best. The numbers say all; colour is for finding them.
 */
export function HeatMapTable({ map, query }: { map: HeatMap; query: BoardQuery }) {
  const { kernels, problem, rows } = map;
  if (!problem) return null;
  const { rateUnit, title } = opOf(problem);
  const hasRanked = rows.some(({ cells }) => cells.some(({ unranked }) => unranked === null));
  return (
    <>
      <p className="mb-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-muted">
        <span>
          {rateUnit} of each kernel’s best variant, and its part of the device’s best. Higher is
          better.
        </span>
        {hasRanked ? (
          <>
            <span className="inline-flex items-center gap-1.5">
              0%
              <span
                aria-hidden="true"
                className="inline-block h-3 w-24 rounded-tile border border-line"
                style={{ background: `linear-gradient(to right, transparent, ${HEAT})` }}
              />
              100%
            </span>
            <span>★ the device’s best</span>
          </>
        ) : (
          <span>Nothing here is ranked yet, so no cell is coloured.</span>
        )}
      </p>
      <TablePanel
        caption={`Devices and kernels: ${title}, ${shapeText(problem)}, ${problem.dtype}, profile ${query.profile}`}
      >
        <thead>
          <tr>
            <th scope="col">Device</th>
            {kernels.map((kernel) => (
              <th key={kernel} scope="col" className="figure">
                <a className="hover:text-accent hover:underline" href={kernelHref(kernel)}>
                  {kernel.slice(kernel.indexOf('/') + 1)}
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shownRows(rows, query).map(({ device, cells }) => (
            <tr key={device.key}>
              <th scope="row" className="min-w-40">
                <DeviceName device={device} />
              </th>
              {kernels.map((kernel) => (
                <Cell key={kernel} cell={cells.find((each) => each.kernel === kernel)} />
              ))}
            </tr>
          ))}
          <MoreRows of={rows.length} noun="devices" query={query} columns={kernels.length + 1} />
        </tbody>
      </TablePanel>
    </>
  );
}

const HEAT = 'color-mix(in oklab, var(--accent) 38%, transparent)';

function Cell({ cell }: { cell: HeatMapCell | undefined }) {
  if (!cell) {
    return (
      <td className="figure text-muted" title="Not measured on this device">
        –
      </td>
    );
  }
  const { address, partOfBest, rate, resultId, unranked } = cell;
  const isBest = partOfBest === 1 && unranked === null;
  const part = partOfBest === null ? 'not ranked' : `${Math.round(100 * partOfBest)}%`;
  return (
    <td
      className="figure"
      style={
        unranked === null && partOfBest !== null
          ? {
              background: `color-mix(in oklab, var(--accent) ${Math.round(38 * partOfBest)}%, transparent)`,
            }
          : undefined
      }
    >
      <a
        href={`/results/${resultId}`}
        title={unranked === null ? address : `${address}. Not ranked: ${unranked}`}
        className={`hover:underline ${isBest ? 'font-semibold' : ''} ${unranked === null ? '' : 'italic'}`}
      >
        {isBest && (
          <>
            <span aria-hidden="true">★ </span>
            <span className="sr-only">best: </span>
          </>
        )}
        {formatRate(rate.value)}
        <span className="block text-xs font-normal">{part}</span>
      </a>
    </td>
  );
}
