import { publishedOfSuite } from '@tilemark/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { lineOf, linesOf, ReportAbout, ReportCell, reportNames } from './report';

const layouts = publishedOfSuite('layouts@1')!;
const threads = publishedOfSuite('threads-per-block@1')!;
const run = ({ address, variant }: (typeof layouts.results)[number], n: number, dtype = 'f32') =>
  measuredRun(800, {
    address,
    variant,
    problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype } as never,
  });
const textOf = (report: typeof layouts) =>
  renderToStaticMarkup(createElement(ReportAbout, { report })).replaceAll(/<[^>]*>/g, '');

test('a run stands beside the line of its shape or, where there is none, of the smallest', () => {
  const [basic, next] = layouts.results;
  const lines = linesOf(layouts);
  expect(lineOf(lines, run(next!, 64))).toBe(lines[1]);
  expect(lines[1]?.overNaive).toBeCloseTo(basic!.timeMs / next!.timeMs);
  const cell = ReportCell({ line: lines[1], problem: run(next!, 64).problem });
  expect(renderToStaticMarkup(createElement('p', null, cell))).toMatch(/× at [\d,]+</);

  const small = threads.results.filter(({ problem }) => Object.values(problem.shape)[0] === 256);
  const several = linesOf(threads);
  const naive = small.filter(({ variant }) => variant.kernel === 'matmul/naive');
  expect(lineOf(several, run(small[1]!, 256, 'i32'))?.overNaive).toBeCloseTo(
    Math.min(...naive.map(({ timeMs }) => timeMs)) / small[1]!.timeMs,
  );
  expect(lineOf(several, run(small[1]!, 300, 'i32'))).toBe(several[1]);
  expect(lineOf(several, run(small[1]!, 256, 'f32'))).toBeUndefined();
});

test('a variant has the name that the report gives it, if it gives one', () => {
  const names = reportNames(publishedOfSuite('block-size@1'));
  expect([...new Set(names.values())]).toEqual(['Basic', 'RR', 'RC', 'CR', 'CC']);
  const ladder = reportNames(publishedOfSuite('transpose-ladder@2'));
  expect([...ladder.keys()].filter((address) => address.includes('cpu'))).toEqual([]);
  expect(reportNames(null).size).toBe(0);
});

test('says once what is said against published figures', () => {
  const cautious = publishedOfSuite('tiled-vs-naive@1')!;
  const { note } = cautious.results.find((each) => each.note !== null)!;
  expect(textOf(cautious).split(note!)).toHaveLength(2);
});

test('says the hardware of the host rows, where there are some', () => {
  const withHost = publishedOfSuite('host-vs-device@2')!;
  expect(textOf(withHost)).toContain('on NVIDIA GeForce RTX 3080, host rows on AMD Ryzen 9 3900X');
  expect(textOf(layouts)).toMatch(/on NVIDIA GeForce RTX 3080(?!,)/);
});
