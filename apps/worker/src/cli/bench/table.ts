import {
  deviceKey,
  type Environment,
  INTERVAL_HEADS,
  intervalsHead,
  longDispatch,
  type Measurement,
  type MetricUnit,
  metricsOf,
  outcomeReason,
  PROFILE_WORDS,
  type Result,
  variantOccupancy,
  workgroupOf,
} from '@tilemark/core';
import { arithmeticIntensity, kernelById, opOf, shapeText, shortAddress } from '@tilemark/kernels';
import {
  percentText,
  problemText,
  rateText,
  seriesInterval,
  seriesOf,
  significant,
  table,
  timeText,
  wrapped,
} from '../table';
import type { Measured } from './session';

/** The rows of one table: the results of a device under a profile. */
interface Rows {
  readonly results: readonly Result[];
  readonly environment: Environment | undefined;
  readonly session: readonly Result[];
}

interface Column {
  readonly head: string;
  readonly align: 'left' | 'right';
  readonly isShown: (rows: Rows) => boolean;
  /** `measured` is null for a run without a number. */
  readonly cell: (result: Result, measured: Measurement | null, rows: Rows) => string;
}

const number = (head: string, cell: Column['cell'], isShown: Column['isShown'] = () => true) =>
  ({ head, align: 'right', cell, isShown }) satisfies Column;
const text = (head: string, cell: Column['cell'], isShown: Column['isShown'] = () => true) =>
  ({ head, align: 'left', cell, isShown }) satisfies Column;

const COLUMNS: readonly Column[] = [
  text('variant', ({ address }) => shortAddress(address)),
  // A single one stands in the title.
  text(
    'problem',
    ({ problem }) => `${shapeText(problem)} ${problem.dtype}`,
    ({ results }) => new Set(results.map(({ problem }) => problemText(problem))).size > 1,
  ),
  number('median', (_, measured) => (measured ? timeText(measured.cold.medianNs) : '')),
  ...INTERVAL_HEADS.map((head) =>
    number(
      head,
      (_, measured) => (measured ? seriesInterval(measured.cold, head) : ''),
      ({ results }) => intervalsHead(results.flatMap(({ outcome }) => seriesOf(outcome))) === head,
    ),
  ),
  number('rate', ({ rate }) => (rate ? rateText(rate) : '')),
  number('% of peak', (_, measured) => peakText(measured)),
  number(
    'FLOP/byte',
    ({ problem }) => significant(arithmeticIntensity(problem)),
    ({ results }) => results.some(({ problem }) => opOf(problem).flops(problem.shape) > 0),
  ),
  number('occupancy', (result, _, rows) => occupancyText(result, rows), tellsWorkgroupsApart),
  number('vs naive', (result, _, { results }) => {
    const speedup = speedupOver(result, naives(results));
    return speedup === null ? '' : `${significant(speedup)}x`;
  }),
  number(
    'vs host',
    (result, _, { session }) => {
      const speedup = speedupOver(result, serialHost(session));
      return speedup === null ? '' : `${significant(speedup)}x`;
    },
    ({ results, session }) =>
      serialHost(session).length > 0 && results.some(({ device }) => device.class !== 'cpu'),
  ),
  // Metrics that this table does not draw in a way of its own above.
  ...metricsOf('bench', ['medianNs', 'rate', 'roofShare']).map(({ name, read, unit }) =>
    number(
      name,
      ({ problem }, measured) => (measured ? figureText(unit, read(measured, problem)) : ''),
      ({ results }) =>
        results.some(
          ({ outcome, problem }) =>
            outcome?.kind === 'measured' && read(outcome.measurement, problem) !== null,
        ),
    ),
  ),
  text('remark', ({ outcome }, measured) => {
    const reason = outcomeReason(outcome);
    if (!measured) return `${outcome?.kind}: ${reason}`;
    return [reason, longDispatch(measured)].filter((remark) => remark !== null).join('; ');
  }),
];

/** Columns that a narrow terminal can do without, the first to go first. */
const SPARE = [
  'RMS error',
  'FLOP/byte',
  'CV',
  'occupancy',
  'vs host',
  ...INTERVAL_HEADS,
  'vs naive',
];

/** One table per device and profile: what ran, how long, how fast, how sure. */
export function resultTables({ results, environments }: Measured): string {
  const titles = [...new Set(results.map(titleOf))];
  return titles
    .map((title) => {
      const rows = results.filter((result) => titleOf(result) === title);
      const environment = environments.find(
        ({ device, profile }) =>
          deviceKey(device) === rows[0]?.device.key && profile === rows[0].profile,
      );
      const text = tableOf({ results: rows, environment, session: results });
      const problems = [...new Set(rows.map(({ problem }) => problemText(problem)))];
      const only = problems.length === 1 ? `, ${problems[0]}` : '';
      return [wrapped(title + only), text, ...transferLines(rows)].join('\n');
    })
    .join('\n\n');
}

const titleOf = ({ device, profile }: Result) =>
  `${device.name}, profile ${device.class === 'cpu' ? profile : PROFILE_WORDS[profile]}`;

function tableOf(rows: Rows): string {
  const columns = COLUMNS.filter(({ isShown }) => isShown(rows));
  return table(
    columns.map(({ head }) => head),
    rows.results.map((result) => {
      const { outcome } = result;
      const measured = outcome?.kind === 'measured' ? outcome.measurement : null;
      return columns.map(({ cell }) => cell(result, measured, rows));
    }),
    columns.map(({ align }) => align),
    { spare: SPARE },
  );
}

function figureText(unit: MetricUnit, value: number | string | null): string {
  if (typeof value !== 'number') return value ?? '';
  if (unit === 'time') return timeText(value);
  if (unit === 'share') return percentText(value);
  return unit === 'count' || unit === 'rate' ? significant(value) : `${significant(value)} ${unit}`;
}

/** `36% compute`: how near its roof, and which roof that is. */
function peakText(measured: Measurement | null): string {
  if (!measured?.roof) return '';
  const { roof, cold } = measured;
  return `${((100 * roof.ns) / cold.medianNs).toFixed(0)}% ${roof.bound}`;
}

/** Shown where workgroups differ in size: there occupancy tells variants apart. */
function tellsWorkgroupsApart({ results }: Rows): boolean {
  const sizes = results.flatMap(
    ({ variant, problem }) => workgroupOf(variant, problem.dtype)?.invocations ?? [],
  );
  return new Set(sizes).size > 1;
}

/** Theoretical, an upper bound; `unknown` where the table of architectures has no such device. */
function occupancyText({ variant, problem }: Result, { environment }: Rows): string {
  if (!environment || !workgroupOf(variant, problem.dtype)) return '';
  const occupancy = variantOccupancy(environment.device, variant, problem.dtype);
  return occupancy ? `${(100 * occupancy.part).toFixed(0)}%` : 'unknown';
}

/** One line per problem: what it takes to bring its inputs to the device and its output back. */
function transferLines(results: readonly Result[]): string[] {
  const lines = results.flatMap(({ problem, outcome }) => {
    if (outcome?.kind !== 'measured') return [];
    const { hostToDeviceNs, deviceToHostNs } = outcome.measurement.transfer;
    if (hostToDeviceNs === null) return [];
    const times = `${timeText(hostToDeviceNs)} to the device, ${timeText(deviceToHostNs)} back`;
    return [[problemText(problem), times] as const];
  });
  // The first run of each problem stands for the others.
  return [...new Map(lines.toReversed())]
    .toReversed()
    .map(([problem, times]) => `Copies of ${problem}: ${times}`);
}

const naives = (results: readonly Result[]) =>
  results.filter(({ variant }) => kernelById(variant.kernel).rung === 1);

/** The host's simplest loops on one thread: what speed-ups over the host are taken from. */
const serialHost = (session: readonly Result[]) =>
  session.filter(({ variant }) => variant.kernel.endsWith('/cpu-naive'));

/** Over the fastest of `bases` that has the same problem; null where none has. */
function speedupOver(result: Result, bases: readonly Result[]): number | null {
  const times = bases
    .filter((base) => isSameProblem(base, result))
    .map(medianNs)
    .filter((ns) => ns !== null);
  const ns = medianNs(result);
  return ns === null || times.length === 0 ? null : Math.min(...times) / ns;
}

function isSameProblem(a: Result, b: Result): boolean {
  const text = ({ problem }: Result) => [problem.op, shapeText(problem), problem.dtype].join();
  return text(a) === text(b);
}

function medianNs({ outcome }: Result): number | null {
  return outcome?.kind === 'measured' ? outcome.measurement.cold.medianNs : null;
}
