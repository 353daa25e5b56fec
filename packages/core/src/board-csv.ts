import { type Problem, shapeText } from '@tilemark/kernels';
import type { HeatMap, Leaderboard, PortabilityReport } from './api';
import { type Cell, csvRow } from './csv';

/** The views of the leaderboard as tables, a line each row of the page; times in ns. */

const table = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map(csvRow).join('');

const PROBLEM = ['op', 'shape', 'dtype', 'profile'] as const;
const problemCells = ({
  problem,
  profile,
}: {
  problem: Problem | null;
  profile: string;
}): readonly Cell[] =>
  problem ? [problem.op, shapeText(problem), problem.dtype, profile] : [null, null, null, profile];

export const leaderboardCsv = (board: Leaderboard): string =>
  table(
    [
      ...PROBLEM,
      ...['rank', 'device', 'device_name', 'class', 'machines', 'variant', 'median_ns', 'low_ns'],
      ...['high_ns', 'rate', 'rate_unit', 'part_of_roof', 'roof_bound', 'speedup_over_naive'],
      ...['unranked', 'measured_at', 'imported_by', 'result'],
    ],
    board.rows.map((row) => [
      ...problemCells(board),
      ...[row.rank, row.device.key, row.device.name, row.device.class, row.machines, row.address],
      ...[row.medianNs, row.lowNs, row.highNs, row.rate.value, row.rate.unit],
      ...[row.roof && row.roof.ns / row.medianNs, row.roof?.bound, row.speedupOverNaive],
      ...[row.unranked, row.measuredAt, row.imported?.by, row.resultId],
    ]),
  );

export const heatMapCsv = (map: HeatMap): string =>
  table(
    [
      ...PROBLEM,
      ...['device', 'device_name', 'class', 'kernel', 'variant', 'median_ns', 'rate', 'rate_unit'],
      ...['part_of_best', 'unranked', 'result'],
    ],
    map.rows.flatMap(({ device, cells }) =>
      cells.map((cell) => [
        ...problemCells(map),
        ...[device.key, device.name, device.class, cell.kernel, cell.address, cell.medianNs],
        ...[cell.rate.value, cell.rate.unit, cell.partOfBest, cell.unranked, cell.resultId],
      ]),
    ),
  );

export const portabilityCsv = (report: PortabilityReport): string =>
  table(
    [
      ...PROBLEM,
      ...['variant', 'geometric_mean_of_part_of_best', 'devices', 'of_devices'],
      ...['worst_part_of_best', 'worst_device'],
    ],
    report.variants.map(({ address, devices, partOfBest, worst }) => [
      ...problemCells(report),
      ...[address, partOfBest, devices, report.devices, worst.partOfBest, worst.device.key],
    ]),
  );
