import { hasInterval, intervalText, type RunResult, type Series } from '@tilemark/core';
import { DTYPES, type Problem, shapeText } from '@tilemark/kernels';
import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';

/** A column of remarks, often a sentence: they follow the table, numbered. */
const REMARKS = 'remark';

export interface TableOptions {
  /** Columns that a narrow terminal can do without, the first to go first. */
  readonly spare?: readonly string[];
  /** Characters in a line; a file and a pipe have no limit. */
  readonly width?: number;
}

/**
 * A table for a terminal, as wide as it: addresses in the first column break between tunables, columns
 * of `spare` are left out, which is said below, and so are columns without any content.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignments: readonly ('left' | 'right')[] = [],
  { spare = [], width = process.stdout.columns ?? Number.POSITIVE_INFINITY }: TableOptions = {},
): string {
  const remarksAt = head.indexOf(REMARKS);
  const remarks = [...new Set(rows.map((row) => row[remarksAt]))].filter(Boolean);
  // One that is true of all rows needs no numbers.
  const isCommon = remarks.length === 1 && rows.every((row) => row[remarksAt] === remarks[0]);
  const short = rows.map((row) =>
    row.map((cell, at) => {
      if (at === 0) return broken(cell, Math.max(24, 0.4 * width));
      if (at !== remarksAt || cell === '') return cell;
      return isCommon ? '' : `[${remarks.indexOf(cell) + 1}]`;
    }),
  );
  let columns = [...head.keys()].filter((at) => short.some((row) => row[at] !== ''));
  const draw = () => {
    const drawn = new Table({
      head: columns.map((at) => (at === remarksAt ? '' : (head[at] ?? ''))),
      colAligns: columns.map((at) => alignments[at] ?? 'left'),
      style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
      chars: { ...NO_RULES, middle: '  ' },
    });
    for (const row of short) drawn.push(columns.map((at) => row[at] ?? ''));
    return drawn.toString().replaceAll(/ +$/gm, '');
  };
  let text = draw();
  const left: string[] = [];
  for (const name of spare) {
    if (Math.max(...text.split('\n').map((line) => line.length)) <= width) break;
    if (!columns.some((at) => head[at] === name)) continue;
    columns = columns.filter((at) => head[at] !== name);
    left.push(name);
    text = draw();
  }
  return [
    text,
    ...remarks.map((remark, at) => (isCommon ? `All: ${remark}` : `[${at + 1}] ${remark}`)),
    ...(left.length > 0 ? [`Left out on a narrow terminal: ${left.join(', ')}.`] : []),
  ].join('\n');
}

const NO_RULES = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, '']),
);

/** An address in lines of `width`, as far as it can be broken after a comma. */
function broken(text: string, width: number): string {
  const lines = [''];
  for (const part of text.split(/(?<=,)/)) {
    const last = lines.length - 1;
    if (lines[last] && `${lines[last]}${part}`.length > width) lines.push(`  ${part}`);
    else lines[last] += part;
  }
  return lines.join('\n');
}

/** `1234 GFLOP/s`. */
export const rateText = ({ value, unit }: NonNullable<RunResult['rate']>): string =>
  `${significant(value)} ${unit}`;

/** `1024 f16 with f32 sums`. */
export const problemText = (problem: Problem): string =>
  `${shapeText(problem)} ${DTYPES[problem.dtype].words}`;

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

/** The interval of a series in a column; beside intervals, a range of few samples says that it is one. */
export function seriesInterval({ n, lowNs, medianNs, highNs }: Series, head: string): string {
  const text = intervalText(medianNs, lowNs, highNs);
  return head === '95% or range' && !hasInterval(n) ? `range ${text}` : text;
}

/** `12%`, `3.5%`, `0.02%`: two significant digits of a share of one; `<0.01%` below that. */
export function percentText(share: number): string {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.01) return '<0.01%';
  if (percent >= 9.95) return `${percent.toFixed(0)}%`;
  return `${percent.toFixed(percent >= 0.995 ? 1 : 2)}%`;
}

export const WAITING = 'waiting: something else on this machine is measuring';

/** A bar of a terminal that disappears once it is complete. */
export const progressBar = (stream: NodeJS.WriteStream, format: string): SingleBar =>
  new SingleBar(
    { stream, format, barsize: 20, clearOnComplete: true, hideCursor: true },
    Presets.rect,
  );
