// Prints the tables of docs/results/reports-on-h200.md: what a suite measured, beside what the
// report it reproduces published.
// usage: npm run bench:report -- SUITE FILE        (FILE of `tilemark bench --suite SUITE --json`)
import { readFile } from 'node:fs/promises';
import {
  benchFileSchema,
  type Environment,
  type Measurement,
  type PublishedFigure,
  publishedOfSuite,
  type RunResult,
  variantOccupancy,
} from '@tilemark/core';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';

/** A result with what was published of the same variant. */
interface Row {
  readonly result: RunResult;
  readonly measured: Measurement;
  readonly ms: number;
  /** Of the same variant and problem. */
  readonly published: PublishedFigure | undefined;
  readonly occupancy: string;
}

const [suite = '', file = ''] = process.argv.slice(2);
const { environment, results } = benchFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
const published = publishedOfSuite(suite)?.results ?? [];
const rows = results.flatMap(rowOf);
const left = results.length - rows.length;
const PIVOTS: Readonly<Record<string, () => string>> = {
  'block-size': blockSize,
  'threads-per-block': threadsPerBlock,
};
process.stdout.write(`${about(environment)}\n\n${(PIVOTS[suite] ?? ladder)()}\n`);
if (left > 0) process.stdout.write(`\n${left} of ${results.length} runs have no number.\n`);

function rowOf(result: RunResult): Row[] {
  const { outcome, address, problem, variant } = result;
  if (outcome?.kind !== 'measured') return [];
  const same = published.filter((figure) => figure.address === address);
  const occupancy = variantOccupancy(environment.device, variant, problem.dtype);
  return [
    {
      result,
      measured: outcome.measurement,
      ms: outcome.measurement.cold.medianNs / 1e6,
      published: same.find((figure) => isSame(figure.problem, problem)),
      occupancy: occupancy ? `${(100 * occupancy.part).toFixed(0)}%` : 'unknown',
    },
  ];
}

function isSame(a: Problem, b: Problem): boolean {
  return shapeText(a) === shapeText(b) && a.dtype === b.dtype;
}

function about({ device, driver, runtimeVersions, os, cpu, profile }: Environment): string {
  const versions = Object.entries(runtimeVersions).map(([name, version]) => `${name} ${version}`);
  const ends = results.flatMap(({ endedAt }) => endedAt ?? []).sort();
  const clocks = rows.flatMap(({ measured }) =>
    measured.clocks ? [measured.clocks.before, measured.clocks.after] : [],
  );
  const intervals = rows.map(({ measured: { cold } }) => halfWidth(cold));
  const lines = [
    `${device.device}, ${device.backend}, driver ${driver}; ${versions.join(', ')}; ${os}, ${cpu.cores} cores; profile ${profile}; ${ends[0]} to ${ends.at(-1)}`,
    `95% intervals within ±${(100 * Math.max(...intervals)).toFixed(2)}%; stopped as ${distinct(rows.map(({ measured }) => measured.stop)).join(', ')}`,
  ];
  if (clocks.length > 0) {
    const [sm, memory, degrees, watts] = (
      ['smMHz', 'memoryMHz', 'temperatureC', 'powerW'] as const
    ).map((name) => span(clocks.map((each) => each[name])));
    const limits = distinct(clocks.flatMap(({ limitedBy }) => limitedBy));
    lines.push(
      `SM ${sm} MHz, memory ${memory} MHz, ${degrees} °C, ${watts} W; slowed down: ${limits.join(', ') || 'never'}`,
    );
  }
  return lines.map((line) => `- ${line}`).join('\n');
}

function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

/** `1980`, or `243 to 403`. */
function span(values: readonly number[]): string {
  return distinct([Math.min(...values).toFixed(0), Math.max(...values).toFixed(0)]).join(' to ');
}

function halfWidth({ lowNs, medianNs, highNs }: Measurement['cold']): number {
  return Math.max(highNs - medianNs, medianNs - lowNs) / medianNs;
}

/** Row after row, each against the first. */
function ladder(): string {
  const [first] = rows;
  const firstPublished = first?.published;
  const unit = first ? opOf(first.result.problem).rateUnit : '';
  return markdown(
    [
      'variant',
      'median',
      unit,
      '% of roof',
      'occupancy',
      'over the first',
      'published',
      'over the first',
    ],
    rows.map((row) => [
      nameOf(row),
      time(row.ms),
      rate(row),
      share(row.measured),
      row.occupancy,
      first ? (first.ms / row.ms).toFixed(2) : '',
      row.published ? time(row.published.timeMs) : '',
      row.published && firstPublished
        ? (firstPublished.timeMs / row.published.timeMs).toFixed(2)
        : '',
    ]),
  );
}

/** Kernels down, blocks across; under each time what was published. */
function blockSize(): string {
  return pivot(
    rows,
    (row) => row.published?.label ?? nameOf(row),
    sideOf,
    (row) => `${time(row.ms)} (${row.published ? time(row.published.timeMs) : 'none'})`,
    (row) => row.occupancy,
  );
}

/** A table for each kernel: sizes down, threads a side across. */
function threadsPerBlock(): string {
  const kernels = distinct(rows.map(({ result }) => result.variant.kernel));
  return kernels
    .map((kernel) => {
      const own = rows.filter(({ result }) => result.variant.kernel === kernel);
      const cell = (row: Row) =>
        `${time(row.ms)} (${row.published ? time(row.published.timeMs) : 'none'})`;
      return `${kernel}\n\n${pivot(
        own,
        ({ result }) => shapeText(result.problem),
        sideOf,
        cell,
        (row) => row.occupancy,
      )}`;
    })
    .join('\n\n');
}

function sideOf({ result: { variant } }: Row): string {
  return String(variant.tunables.BLOCK ?? variant.tunables.TILE);
}

function pivot(
  cells: readonly Row[],
  down: (row: Row) => string,
  across: (row: Row) => string,
  text: (row: Row) => string,
  foot: (row: Row) => string,
): string {
  const columns = distinct(cells.map(across));
  const lines = distinct(cells.map(down)).map((label) => {
    const own = cells.filter((row) => down(row) === label);
    const fastest = Math.min(...own.map(({ ms }) => ms));
    return [
      label,
      ...columns.map((column) => {
        const row = own.find((each) => across(each) === column);
        if (!row) return '';
        return row.ms === fastest ? `**${text(row)}**` : text(row);
      }),
    ];
  });
  const feet = columns.map((column) => {
    const row = cells.findLast((each) => across(each) === column);
    return row ? foot(row) : '';
  });
  return markdown(['', ...columns], [...lines, ['theoretical occupancy', ...feet]]);
}

/** The kernel with the tunables that differ between its rows, after what the report calls it. */
function nameOf({ result, published: figure }: Row): string {
  const { kernel, tunables } = result.variant;
  const peers = results.filter(({ variant }) => variant.kernel === kernel);
  const shown = Object.keys(tunables)
    .filter((name) => distinct(peers.map(({ variant }) => variant.tunables[name])).length > 1)
    .map((name) => `${name}=${tunables[name]}`);
  return [figure && `${figure.label}:`, kernel, ...shown].filter(Boolean).join(' ');
}

function rate({ result }: Row): string {
  return result.rate ? Math.round(result.rate.value).toLocaleString('en') : '';
}

function share({ roof, cold }: Measurement): string {
  return roof ? `${((100 * roof.ns) / cold.medianNs).toFixed(0)} (${roof.bound})` : '';
}

/** Four significant digits. */
function time(ms: number): string {
  return ms < 1 ? `${Number((1000 * ms).toPrecision(4))} µs` : `${Number(ms.toPrecision(4))} ms`;
}

function markdown(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...lines.map(line)].join('\n');
}
