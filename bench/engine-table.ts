import { geometricMean } from '@tilemark/core';
import { type Problem, parseVariant, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import type { Answered } from './engine-times';

/** The tables of engines.mjs: a column per runtime, each beside the first. */

export type Answers = Readonly<Record<string, Answered>>;

/** What was measured of a problem: by runtime, the first the one that others are compared with, and by address. */
export interface EngineTimes {
  readonly problem: Problem;
  readonly times: Readonly<Record<string, Answers>>;
}

/** Products of at most so many rows are of decoding. */
const DECODE_ROWS = 16;

/** The kind of a problem that a mean is taken of. */
export const kindOf = ({ op, dtype, shape }: Problem): string =>
  `${op} ${dtype}${'m' in shape && shape.m <= DECODE_ROWS ? `, 1 to ${DECODE_ROWS} rows` : ''}`;

const nameOf = (problem: Problem) => `${problem.op} ${problem.dtype} ${shapeText(problem)}`;

/** Variants with times, the quickest first. */
export const inOrder = (answers: Answers) =>
  Object.entries(answers)
    .flatMap(([address, answer]) => ('ns' in answer ? [{ address, ns: answer.ns }] : []))
    .toSorted((a, b) => a.ns - b.ns);

/** `warp-tile[BM=64]`: without the op, which the problem names. */
const short = (address: string) => address.replace(/^\w+\//, '');

const timeText = (ns: number) => `${(ns / 1e3).toPrecision(4)} µs`;

/** A table of Markdown. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** How a runtime's speed compares with the first's, each by its best variant; null: one has none. */
function ratioOf({ times }: EngineTimes, runtime: string): number | null {
  const [first = {}] = Object.values(times);
  const [[one], [other]] = [inOrder(first), inOrder(times[runtime] ?? {})];
  return one && other ? one.ns / other.ns : null;
}

/** What went wrong; nothing that is wrong is among the times. */
export function faultsOf(measured: readonly EngineTimes[]): string[] {
  return measured.flatMap(({ problem, times }) =>
    Object.entries(times).flatMap(([runtime, answers]) =>
      Object.entries(answers).flatMap(([address, answer]) =>
        'fault' in answer
          ? [`${nameOf(problem)}, ${runtime}, ${address}: ${answer.fault.split('\n')[0]}`]
          : [],
      ),
    ),
  );
}

/** A line per problem: the best variant of each runtime, and how its speed compares with the first's. */
export function shapeTable(measured: readonly EngineTimes[]): string {
  const runtimes = Object.keys(measured[0]?.times ?? {});
  const [first, ...others] = runtimes;
  return table(
    [
      'problem',
      ...runtimes.flatMap((runtime) => [runtime, 'its best variant']),
      ...others.map((runtime) => `${runtime} / ${first}`),
    ],
    measured.map((row) => [
      nameOf(row.problem),
      ...runtimes.flatMap((runtime) => {
        const [best] = inOrder(row.times[runtime] ?? {});
        return best ? [timeText(best.ns), short(best.address)] : ['none', ''];
      }),
      ...others.map((runtime) => ratioOf(row, runtime)?.toFixed(2) ?? ''),
    ]),
  );
}

/** A line per kernel by its defaults, on one problem each: the same variant under every runtime. */
export function kernelTable(measured: readonly EngineTimes[]): string {
  const runtimes = Object.keys(measured[0]?.times ?? {});
  const [first = '', ...others] = runtimes;
  return table(
    [
      'kernel by its defaults',
      'problem',
      ...runtimes,
      ...others.map((runtime) => `${runtime} / ${first}`),
    ],
    measured.flatMap(({ problem, times }) =>
      Object.keys(times[first] ?? {}).map((address) => {
        const ns = (runtime: string) => {
          const answer = times[runtime]?.[address];
          return answer && 'ns' in answer ? answer.ns : null;
        };
        const one = ns(first);
        return [
          parseVariant(address).kernel,
          nameOf(problem),
          ...runtimes.map((runtime) => {
            const time = ns(runtime);
            return time === null ? 'none' : timeText(time);
          }),
          ...others.map((runtime) => {
            const other = ns(runtime);
            return one === null || other === null ? '' : (one / other).toFixed(2);
          }),
        ];
      }),
    ),
  );
}

/** Least ratios that a line names. */
const NAMED = 4;

/** The mean of each kind of problem and of all, for each runtime beside the first, and the worst by name. */
export function kindTable(measured: readonly EngineTimes[]): string {
  const [first, ...others] = Object.keys(measured[0]?.times ?? {});
  const rows = others.flatMap((runtime) => {
    const all = measured.flatMap((row) => {
      const ratio = ratioOf(row, runtime);
      return ratio === null
        ? []
        : [{ name: nameOf(row.problem), kind: kindOf(row.problem), ratio }];
    });
    const kinds = [...group(all, ({ kind }) => kind)].toSorted(([a], [b]) => a.localeCompare(b));
    return [...kinds, ['all', all] as const].map(([kind, some]) => [
      `${runtime} / ${first}: ${kind}`,
      String(some.length),
      geometricMean(some.map(({ ratio }) => ratio))?.toFixed(3) ?? '',
      some
        .toSorted((a, b) => a.ratio - b.ratio)
        .slice(0, NAMED)
        .map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`)
        .join(', '),
    ]);
  });
  return table(['the best of each', 'problems', 'geometric mean', 'worst'], rows);
}
