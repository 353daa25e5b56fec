import { type Problem, shapeText } from '@tilemark/kernels';
import { stringify } from 'csv-stringify/sync';
import { outcomeReason } from '../measure/outcome';
import type {
  HeatMap,
  Leaderboard,
  LeaderboardRow,
  PortabilityReport,
  RunResult,
  TunedShape,
} from './api';
import { boardFigures } from './leaderboard';
import { type Metric, type MetricId, metricsOf } from './metrics';

/** Results and the views of the leaderboard as RFC 4180 CSV: a line per row of the page, times in ns. */

type Cell = string | number | null | undefined;
type Column<Row> = readonly [name: string, value: (row: Row) => Cell];

/** A column per metric, and one for the unit of each rate. */
const metricColumns = <Row>(
  metrics: readonly Metric<MetricId>[],
  value: (row: Row, metric: Metric<MetricId>) => Cell,
  rateUnit: (row: Row) => Cell,
): readonly Column<Row>[] =>
  metrics.flatMap((metric): Column<Row>[] => [
    [metric.csv, (row) => value(row, metric)],
    ...(metric.unit === 'rate' ? [[`${metric.csv}_unit`, rateUnit] as const] : []),
  ]);

const RESULT_COLUMNS: readonly Column<RunResult>[] = [
  ['run_id', (result) => result.runId],
  ['kernel', (result) => result.variant.kernel],
  ['variant', (result) => result.address],
  ['op', (result) => result.problem.op],
  ['shape', (result) => shapeText(result.problem)],
  ['dtype', (result) => result.problem.dtype],
  ['device', (result) => result.device.key],
  ['profile', (result) => result.profile],
  ['policy', (result) => result.policy],
  ['outcome', (result) => result.outcome?.kind ?? 'pending'],
  ['detail', (result) => outcomeReason(result.outcome)],
  ...metricColumns<RunResult>(
    metricsOf('export'),
    ({ outcome, problem }, { read }) =>
      outcome?.kind === 'measured' ? read(outcome.measurement, problem) : null,
    (result) => result.rate?.unit,
  ),
  ['ended_at', (result) => result.endedAt],
  ['imported_by', (result) => result.imported?.by],
  ['confirmed_by', (result) => result.confirmedBy],
];

/** The first line of a table of results. */
export const CSV_HEADER = csvRow(RESULT_COLUMNS.map(([name]) => name));

/** One result as a line; empty cells where it has no such number. */
export const csvLine = (result: RunResult): string =>
  csvRow(RESULT_COLUMNS.map(([, value]) => value(result)));

/** Rows under a line of names. */
export const csvTable = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
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

const BOARD_COLUMNS: readonly Column<LeaderboardRow>[] = [
  ['rank', (row) => row.rank],
  ['device', (row) => row.device.key],
  ['device_name', (row) => row.device.name],
  ['class', (row) => row.device.class],
  ['machines', (row) => row.machines],
  ['variant', (row) => row.address],
  ...metricColumns<LeaderboardRow>(
    metricsOf('board'),
    (row, { id }) => boardFigures(row)[id],
    (row) => row.rate.unit,
  ),
  ['speedup_over_naive', (row) => row.speedupOverNaive],
  ['unranked', (row) => row.unranked],
  ['measured_at', (row) => row.measuredAt],
  ['imported_by', (row) => row.imported?.by],
  ['result', (row) => row.resultId],
  ['confirmation', (row) => row.confirmation],
  ['author', (row) => row.author],
];

export const leaderboardCsv = (board: Leaderboard): string =>
  csvTable(
    [...PROBLEM, ...BOARD_COLUMNS.map(([name]) => name)],
    board.rows.map((row) => [
      ...problemCells(board),
      ...BOARD_COLUMNS.map(([, value]) => value(row)),
    ]),
  );

export const heatMapCsv = (map: HeatMap): string =>
  csvTable(
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
  csvTable(
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

/** Cells as a line of RFC 4180 CSV. */
function csvRow(cells: readonly Cell[]): string {
  return stringify([cells], {
    record_delimiter: 'windows',
    quote_record_delimiter: true,
    cast: { string: disarmed },
  });
}

/**
 * Text that a spreadsheet would run as a formula, with an apostrophe before it (OWASP, CSV
 * injection). The library's `escape_formulas` misses formulas that follow white space.
 */
function disarmed(text: string): string {
  return /^(\s*[=+\-@]|[\t\r\n])/.test(text) ? `'${text}` : text;
}

const SHAPE_COLUMNS: readonly Column<TunedShape>[] = [
  ['shape', ({ shape }) => shape],
  ['state', ({ state }) => state],
  ['why', ({ why }) => why],
  ['tried', ({ tried }) => tried],
  ['variant', ({ best }) => best?.address],
  ['median_ns', ({ best }) => best?.medianNs],
  ['rate', ({ best }) => best?.rate.value],
  ['rate_unit', ({ best }) => best?.rate.unit],
  ['duel_a', ({ duel }) => duel?.a],
  ['duel_b', ({ duel }) => duel?.b],
  ['duel_ratio', ({ duel }) => duel?.ratio],
  ['duel_low', ({ duel }) => duel?.low],
  ['duel_high', ({ duel }) => duel?.high],
];

/** The shapes of a family that is tuned. */
export const tunedShapesCsv = (shapes: readonly TunedShape[]): string =>
  csvTable(
    SHAPE_COLUMNS.map(([name]) => name),
    shapes.map((shape) => SHAPE_COLUMNS.map(([, value]) => value(shape))),
  );
