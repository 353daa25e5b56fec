import { shapeText } from '@tilemark/kernels';
import type { RunResult } from './api';
import type { Measurement } from './outcome';
import { outcomeReason } from './outcome-reason';

export type Cell = string | number | null | undefined;
type Column = readonly [
  name: string,
  value: (result: RunResult, measured: Measurement | null) => Cell,
];

const COLUMNS: readonly Column[] = [
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
  ['median_ns', (_, measured) => measured?.cold.medianNs],
  ['low_ns', (_, measured) => measured?.cold.lowNs],
  ['high_ns', (_, measured) => measured?.cold.highNs],
  ['min_ns', (_, measured) => measured?.cold.minNs],
  ['q1_ns', (_, measured) => measured?.cold.q1Ns],
  ['q3_ns', (_, measured) => measured?.cold.q3Ns],
  ['cv', (_, measured) => measured?.cold.cv],
  ['samples', (_, measured) => measured?.cold.n],
  ['stop', (_, measured) => measured?.stop],
  ['hot_median_ns', (_, measured) => measured?.hot?.medianNs],
  ['compile_ns', (_, measured) => measured?.compileNs],
  ['host_to_device_ns', (_, measured) => measured?.transfer.hostToDeviceNs],
  ['device_to_host_ns', (_, measured) => measured?.transfer.deviceToHostNs],
  ['rate', (result) => result.rate?.value],
  ['rate_unit', (result) => result.rate?.unit],
  ['ended_at', (result) => result.endedAt],
  ['imported_by', (result) => result.imported?.by],
];

/** The first line of a table of results. */
export const CSV_HEADER = csvRow(COLUMNS.map(([name]) => name));

/** One result as a line of RFC 4180 CSV; empty cells where it has no such number. */
export function csvLine(result: RunResult): string {
  const measured = result.outcome?.kind === 'measured' ? result.outcome.measurement : null;
  return csvRow(COLUMNS.map(([, value]) => value(result, measured)));
}

/** Cells as a line of RFC 4180 CSV. */
export function csvRow(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

/**
 * Text that begins like a formula, be it after white space, gets an apostrophe before it, so that no
 * spreadsheet runs it (OWASP, CSV injection). Numbers are written as they are.
 */
function cellText(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^(\s*[=+\-@]|[\t\r\n])/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
