import { type OpId, opById, type Problem, shapeText } from '@tilemark/kernels';
import { stringify } from 'csv-stringify/sync';
import { outcomeReason } from '../measure/outcome';
import type { Leaderboard, LeaderboardRow, PortabilityReport, Result } from './api';
import { boardFigures } from './leaderboard';
import { DATA_LICENCE } from './licence';
import { type Metric, type MetricId, metricsOf } from './metrics';
import { duelView, type ShownDuel } from './run';
import { type Class, type HandedIn, problemName } from './token';

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

/** Parts that only some results have. */
export interface ResultKinds {
  readonly ops: readonly OpId[];
  /** Names of tunables. */
  readonly tunables: readonly string[];
}

export const kindsOf = (results: readonly Result[]): ResultKinds => ({
  ops: [...new Set(results.map(({ problem }) => problem.op))],
  tunables: [...new Set(results.flatMap(({ variant }) => Object.keys(variant.tunables)))],
});

const resultColumns = ({ ops, tunables }: ResultKinds): readonly Column<Result>[] => [
  ['run_id', (result) => result.runId],
  ['kernel', (result) => result.variant.kernel],
  ['variant', (result) => result.address],
  ...tunables.map((name) => [name, ({ variant }: Result) => variant.tunables[name]] as const),
  ['op', (result) => result.problem.op],
  ['shape', (result) => shapeText(result.problem)],
  ...[...new Set(ops.flatMap((op) => opById(op).dimensions.map(({ name }) => name)))].map(
    (name) =>
      [
        name,
        ({ problem }: Result) =>
          (problem.shape as Readonly<Record<string, number | undefined>>)[name],
      ] as const,
  ),
  ['dtype', (result) => result.problem.dtype],
  ['epilogue', (result) => result.problem.epilogue],
  ['device', (result) => result.device.key],
  ['worker', (result) => result.workerName],
  ['profile', (result) => result.profile],
  ['policy', (result) => result.policy],
  ['outcome', (result) => result.outcome?.kind ?? 'pending'],
  ['detail', (result) => outcomeReason(result.outcome)],
  ...metricColumns<Result>(
    metricsOf('export'),
    ({ outcome, problem }, { read }) =>
      outcome?.kind === 'measured' ? read(outcome.measurement, problem) : null,
    (result) => result.rate?.unit,
  ),
  ['ended_at', (result) => result.endedAt],
  ['imported_by', (result) => result.imported?.by],
  ['token', (result) => result.tokenName],
  ['trusted', ({ trusted }) => (trusted == null ? null : trusted ? 'yes' : 'no')],
  ['duel_against', (result) => duelOf(result)?.against],
  ['duel_verdict', (result) => duelOf(result)?.contrast?.verdict],
  ['duel_ratio', (result) => duelOf(result)?.contrast?.ratio],
  ['duel_low', (result) => duelOf(result)?.contrast?.low],
  ['duel_high', (result) => duelOf(result)?.contrast?.high],
];

const duelOf = ({ outcome }: Result): ShownDuel | null =>
  outcome?.kind === 'measured' ? duelView(outcome.measurement) : null;

/** A table of results line by line: empty cells where one has no such number. */
export function resultTable(kinds: ResultKinds): {
  readonly head: string;
  readonly line: (result: Result) => string;
} {
  const columns = resultColumns(kinds);
  return {
    head: csvRow(columns.map(([name]) => name)),
    line: (result) => csvRow(columns.map(([, value]) => value(result))),
  };
}

/** Rows under a line of names. */
export const csvTable = (names: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [names, ...rows].map(csvRow).join('');

const tableOf = <Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string =>
  csvTable(
    columns.map(([name]) => name),
    rows.map((row) => columns.map(([, value]) => value(row))),
  );

/** The columns of a view's problem, the same in each of its lines. */
const problemColumns = ({
  problem,
  profile,
}: {
  problem: Problem | null;
  profile: string;
}): readonly Column<unknown>[] => [
  ['op', () => problem?.op],
  ['shape', () => problem && shapeText(problem)],
  ['dtype', () => problem?.dtype],
  ['profile', () => profile],
  ['licence', () => DATA_LICENCE],
];

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
  ['driver', (row) => row.driver],
  ['measured_at', (row) => row.measuredAt],
  ['imported_by', (row) => row.imported?.by],
  ['result', (row) => row.resultId],
  ['author', (row) => row.author],
];

export const leaderboardCsv = (board: Leaderboard): string =>
  tableOf([...problemColumns(board), ...BOARD_COLUMNS], board.rows);

export const portabilityCsv = (report: PortabilityReport): string =>
  tableOf<PortabilityReport['variants'][number]>(
    [
      ...problemColumns(report),
      ['variant', ({ address }) => address],
      ['geometric_mean_of_part_of_best', ({ partOfBest }) => partOfBest],
      ['devices', ({ devices }) => devices],
      ['of_devices', () => report.devices],
      ['worst_part_of_best', ({ worst }) => worst.partOfBest],
      ['worst_device', ({ worst }) => worst.device.key],
    ],
    report.variants,
  );

interface ClassRow {
  readonly student: string;
  readonly problem: Problem;
  readonly handedIn: HandedIn | null;
}

const CLASS_COLUMNS: readonly Column<ClassRow>[] = [
  ['student', ({ student }) => student],
  ['problem', ({ problem }) => problemName(problem)],
  ['kernel', ({ handedIn }) => handedIn?.kernel],
  ['device', ({ handedIn }) => handedIn?.device],
  ['outcome', ({ handedIn }) => [handedIn?.finding, handedIn?.reason].filter(Boolean).join(': ')],
  ['median_ns', ({ handedIn }) => handedIn?.medianNs],
  ['over_naive', ({ handedIn }) => handedIn?.overNaive?.ratio],
  ['over_naive_low', ({ handedIn }) => handedIn?.overNaive?.low],
  ['over_naive_high', ({ handedIn }) => handedIn?.overNaive?.high],
  ['handed_in_at', ({ handedIn }) => handedIn?.handedInAt],
];

/** A line per student and problem. */
export const classCsv = ({ problems, students }: Class): string =>
  tableOf(
    CLASS_COLUMNS,
    students.flatMap(({ handedIn, name }) =>
      problems.map((problem, at) => ({ student: name, problem, handedIn: handedIn[at] ?? null })),
    ),
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
