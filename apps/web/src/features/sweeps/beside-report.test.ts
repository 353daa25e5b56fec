import { publishedOfSuite } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { headline, measured } from '../../server/test-results';
import { besideReport } from './beside-report';
import { rowOf } from './row';

const report = publishedOfSuite('layouts@1')!;
const [basic, next] = report.results;
const ours = (figure: typeof basic, medianNs: number, n: number) =>
  rowOf(
    headline({
      variant: figure!.variant,
      address: figure!.address,
      problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
      outcome: measured(medianNs),
    }),
  );

it('puts our largest shape beside each published line, with ratios within a column', () => {
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
