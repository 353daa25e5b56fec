import { hasInterval, intervalText, type Outcome, type Result, type Series } from '@tilemark/core';
import { readColumns } from '@tilemark/core/env';
import { DTYPES, type Problem, particularsText, shapeText } from '@tilemark/kernels';
import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';

/** A column of remarks, often a sentence: they follow the table, numbered. */
const REMARKS = 'remark';

/** Characters that the first column always has. */
const NARROWEST = 24;

interface TableOptions {
  /** Columns that a narrow terminal can do without, the first to go first. */
  readonly spare?: readonly string[];
  /** Characters in a line. */
  readonly width?: number;
}

/** Characters in a line: the terminal's, or those of COLUMNS, or 80. */
export const lineWidth = (stream: NodeJS.WriteStream = process.stdout): number =>
  stream.columns || readColumns() || 80;

/**
 * A table as wide as a line: addresses in the first column break between tunables, columns
 * of `spare` are left out, which is said below, and so are columns without any content.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[] = [],
  { spare = [], width = lineWidth() }: TableOptions = {},
): string {
  const remarksAt = head.indexOf(REMARKS);
  const remarks = [...new Set(rows.map((row) => row[remarksAt]))].filter(Boolean);
  // One that is true of all rows needs no numbers.
  const isCommon = remarks.length === 1 && rows.every((row) => row[remarksAt] === remarks[0]);
  const cellOf = (cell: string, at: number) => {
    if (at !== remarksAt || cell === '') return cell;
    return isCommon ? '' : `[${remarks.indexOf(cell) + 1}]`;
  };
  const short = rows.map((row) => row.map(cellOf));
  let columns = [...head.keys()].filter((at) => short.some((row) => row[at] !== ''));
  const draw = (first: number) => {
    const drawn = new Table({
      head: columns.map((at) => (at === remarksAt ? '' : (head[at] ?? ''))),
      colAligns: columns.map((at) => alignments[at] ?? 'left'),
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      chars: { ...NO_RULES, middle: '  ' },
    });
    for (const [address = '', ...cells] of short) {
      const row = [wrapped(address, first), ...cells];
      drawn.push(columns.map((at) => row[at] ?? ''));
    }
    return drawn.toString().replaceAll(/ +$/gm, '');
  };
  const roomy = Math.max(NARROWEST, 0.4 * width);
  const isTooWide = () => text.split('\n').some((line) => line.length > width);
  let text = draw(roomy);
  const left: string[] = [];
  for (const name of spare) {
    if (!isTooWide()) break;
    if (!columns.some((at) => head[at] === name)) continue;
    columns = columns.filter((at) => head[at] !== name);
    left.push(name);
    text = draw(roomy);
  }
  if (isTooWide()) text = draw(NARROWEST);
  const below = remarks.map((remark, at) =>
    isCommon ? `All: ${remark}` : `[${at + 1}] ${remark}`,
  );
  if (left.length > 0) below.push(`Left out of ${width} columns: ${left.join(', ')}.`);
  return [text, ...below.map((line) => wrapped(line, width))].join('\n');
}

const NO_RULES = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
);

/** Text in lines of `width`, as far as it can be broken after a comma: commands to copy stay whole. */
export function wrapped(text: string, width = lineWidth()): string {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const [first = '', ...parts] = line.split(/(?<=,)/);
    let last = first;
    for (const part of parts) {
      if (last.length + part.length <= width) {
        last += part;
      } else {
        lines.push(last);
        last = `  ${part.trimStart()}`;
      }
    }
    lines.push(last);
  }
  return lines.join('\n');
}

/** `1234 GFLOP/s`. */
export const rateText = ({ value, unit }: NonNullable<Result['rate']>): string =>
  `${significant(value)} ${unit}`;

/** `1024 f16 with f32 sums, large values`. */
export const problemText = (problem: Problem): string =>
  `${shapeText(problem)} ${DTYPES[problem.dtype].words}${particularsText(problem)}`;

const TIME_UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** `1.234 ms`: four significant digits in the largest unit that keeps the number at or above 1. */
export function timeText(ns: number): string {
  const [unit, factor] = TIME_UNITS.find(([, size]) => ns >= size) ?? ['ns', 1];
  return `${significant(ns / factor)} ${unit}`;
}

/** Four significant digits, without an exponent for what people measure. */
export function significant(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const digits = 3 - Math.floor(Math.log10(Math.abs(value)));
  return value.toFixed(Math.min(Math.max(digits, 0), 20));
}

/** The cold series of an outcome, if it was measured. */
export const seriesOf = (outcome: Outcome | null): Series[] =>
  outcome?.kind === 'measured' ? [outcome.measurement.cold] : [];

/** The interval of a series in a column; beside intervals, a range of few samples says that it is one. */
export function seriesInterval(series: Series, head: string): string {
  const text = intervalText(series.medianNs, series.lowNs, series.highNs);
  return head === '95% or range' && !hasInterval(series) ? `range ${text}` : text;
}

/** `12%`, `3.5%`, `0.02%`: two significant digits of a share of one; `<0.01%` below that. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.01) return '<0.01%';
  if (percent >= 9.95) return `${percent.toFixed(0)}%`;
  return `${percent.toFixed(percent >= 0.995 ? 1 : 2)}%`;
}

export const WAITING =
  'waiting: something else on this machine is measuring; pause its workers to go first';

/** A bar that disappears from a terminal once it is complete; elsewhere a line now and then. */
export const progressBar = (stream: NodeJS.WriteStream, format: string): SingleBar =>
  new SingleBar(
    {
      stream,
      format,
      barsize: 20,
      clearOnComplete: true,
      // Its own handlers of signals would keep the program from ending.
      gracefulExit: false,
      noTTYOutput: true,
      notTTYSchedule: 10_000,
    },
    Presets.rect,
  );
