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
