import { publishedOfSuite, type RunView } from '@tilemark/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { ReportTable } from './report-table';

const report = publishedOfSuite('layouts@1')!;
const { address, problem, variant } = report.results[0]!;
const htmlOf = (runs: readonly RunView[]) =>
  renderToStaticMarkup(createElement(ReportTable, { report, runs }));

test('announces another size only where one stands beside a time', () => {
  const other = { ...problem, shape: { m: 64, n: 64, k: 64 } } as typeof problem;
  expect(htmlOf([measuredRun(800, { address, variant, problem: other })])).toContain(
    'another size stands beside its time',
  );
  expect(htmlOf([measuredRun(800, { address, variant, problem })])).not.toContain('another size');
});

test('is a comparison only where something of ours is compared', () => {
  expect(htmlOf([measuredRun(800, { address, variant, problem })])).toContain('Compared with');
  expect(htmlOf([])).not.toMatch(/Compared with|ours below/);
});

test('marks what is said against a published figure, in its cell and below the table', () => {
  const cautious = publishedOfSuite('tiled-vs-naive@1')!;
  const { note } = cautious.results.find((each) => each.note !== null)!;
  const html = renderToStaticMarkup(createElement(ReportTable, { report: cautious, runs: [] }));
  expect(html).toMatch(/<ol aria-label="Notes"/);
  expect(html.replaceAll(/<[^>]*>/g, '')).toContain(`[1] ${note}`);
  expect(html.replaceAll(/<[^>]*>/g, '')).toMatch(/13\.4× note \[1\]/);
  expect(htmlOf([])).not.toContain('note [');
});

test('says the hardware of the host rows, where there are some', () => {
  const withHost = publishedOfSuite('host-vs-device@2')!;
  const html = renderToStaticMarkup(createElement(ReportTable, { report: withHost, runs: [] }));
  expect(html).toContain('on NVIDIA GeForce RTX 3080, host rows on AMD Ryzen 9 3900X;');
  expect(htmlOf([])).toContain('on NVIDIA GeForce RTX 3080;');
});

test('names the variant in the rows of our devices too: on a phone each is a card', () => {
  const text = htmlOf([measuredRun(800, { address, variant, problem })]);
  const [, ...rows] = text.split('<tr');
  const named = rows.filter((row) => row.includes('matmul/naive'));
  expect(named).toHaveLength(2);
  expect(text).not.toContain('max-sm:hidden');
});

test('names a tunable that varies in every line, also where it has its default', () => {
  const threads = publishedOfSuite('threads-per-block@1')!;
  const html = renderToStaticMarkup(createElement(ReportTable, { report: threads, runs: [] }));
  const text = html.replaceAll(/<[^>]*>/g, '');
  expect(text).toContain('matmul/naive[BLOCK=16]');
  expect(text).toContain('matmul/tiled[TILE=16]');
});
