import { publishedOfSuite } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { besideReport, pivotOf, rowsOf } from './beside-report';

const report = publishedOfSuite('layouts@1')!;
const [basic, next] = report.results;
const ours = (figure: typeof basic, medianNs: number, n: number, dtype: 'f32' | 'i32' = 'f32') =>
  measuredRun(medianNs, {
    variant: figure!.variant,
    address: figure!.address,
    problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype },
  });

it('puts our largest shape beside a line whose own was not run, with ratios within a column', () => {
  const rows = [ours(basic, 800, 64), ours(basic, 9_000, 128), ours(next, 3_000, 128)];
  const { columns, lines } = besideReport(report, rows, ({ problem }) => shapeText(problem));
  expect(columns).toHaveLength(1);
  expect(lines).toHaveLength(report.results.length);
  expect(lines[0]?.ours).toEqual([{ ns: 9_000, shape: '128', overFirst: 1 }]);
  expect(lines[1]?.ours).toEqual([{ ns: 3_000, shape: '128', overFirst: 3 }]);
  expect(lines[1]?.published.overFirst).toBeCloseTo(basic!.timeMs / next!.timeMs);
  expect(lines[2]?.ours).toEqual([null]);
});

it('gives no ratio between different shapes', () => {
  const { lines } = besideReport(report, [ours(basic, 800, 64), ours(next, 900, 128)], () => 'x');
  expect(lines[1]?.ours[0]?.overFirst).toBeNull();
});

it('puts the shape of the report beside it where that was run, and takes ratios within it', () => {
  const threads = publishedOfSuite('threads-per-block@1')!;
  const shapeOf = ({ problem }: (typeof threads.results)[number]) => shapeText(problem);
  const small = threads.results.filter((figure) => shapeOf(figure) === '256');
  const [first, second] = small;
  const rows = [first, second].flatMap((figure, index) =>
    [256, 4096].map((n) => ours(figure, n * (2 - index), n, 'i32')),
  );
  const { lines } = besideReport(threads, rows, shapeOf);
  const lineOf = (figure: typeof first) => lines.find((line) => line.figure === figure);
  expect(lineOf(first)?.ours).toEqual([{ ns: 512, shape: '256', overFirst: 1 }]);
  expect(lineOf(second)?.ours).toEqual([{ ns: 256, shape: '256', overFirst: 2 }]);
  expect(lineOf(second)?.published.overFirst).toBeCloseTo(first!.timeMs / second!.timeMs);
});

it('leaves a shape that was not run empty where the report has several', () => {
  const threads = publishedOfSuite('threads-per-block@1')!;
  const shapeOf = ({ problem }: (typeof threads.results)[number]) => shapeText(problem);
  const figure = threads.results.find((each) => shapeOf(each) === '256');
  const { lines } = besideReport(threads, [ours(figure, 900, 512, 'i32')], shapeOf);
  const own = lines.filter((line) => line.figure.address === figure!.address);
  expect(own.map(({ ours: [timing], published }) => [published.shape, timing?.ns])).toEqual([
    ['256', undefined],
    ['512', 900],
    ['1024', undefined],
    ['4096', undefined],
  ]);
});

it('knows what is said against the time that a published ratio rests on', () => {
  const cautious = publishedOfSuite('tiled-vs-naive@1')!;
  const { lines } = besideReport(cautious, [], () => 'x');
  expect(lines.map(({ firstNote }) => firstNote)).toEqual([null, cautious.results[0]!.note]);
  expect(cautious.results[0]!.note).toContain('cold');
});

it('has no row for a device that measured nothing of a line', () => {
  const { columns, lines } = besideReport(report, [ours(next, 900, 128)], () => 'x');
  const rows = rowsOf(pivotOf(lines), columns);
  expect(rows.filter(({ by }) => !by)).toHaveLength(pivotOf(lines).rows.length);
  expect(rows.flatMap(({ by, of }) => (by ? of.label : []))).toEqual([next!.label]);
});

it('is a table by size, or by tile where the report has one size', () => {
  const pivot = (suite: string) => {
    const published = publishedOfSuite(suite)!;
    const { lines } = besideReport(published, [], ({ problem }) => shapeText(problem));
    return pivotOf(lines);
  };
  const bySize = pivot('threads-per-block@1');
  expect(bySize.heads).toEqual(['256', '512', '1024', '4096']);
  expect(bySize.rows).toHaveLength(12);
  const byTile = pivot('block-size@1');
  expect(byTile.heads).toEqual(['tile 4', 'tile 8', 'tile 16', 'tile 32']);
  expect(byTile.rows.map(({ label }) => label)).toEqual(['Basic', 'RR', 'RC', 'CR', 'CC']);
  for (const { rows } of [bySize, byTile]) {
    expect(rows.flatMap(({ cells }) => cells).every((line) => line !== undefined)).toBe(true);
  }
});
