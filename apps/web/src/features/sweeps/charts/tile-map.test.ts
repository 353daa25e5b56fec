import { publishedOfSuite } from '@tilemark/core';
import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { reportNames } from '../tables/report';
import { byBlock, ordered } from './tile-map';

const report = publishedOfSuite('block-size')!;
const runs = report.results.map(({ timeMs, variant }) => measuredRun(timeMs * 1e6, { variant }));

test('kernels of a report are in its order, naive too, by block side', () => {
  const { kernelRuns, names, settingOf } = byBlock(runs, reportNames(report))!;
  const [across = '', down = ''] = names;
  const values = (name: string) => ordered(kernelRuns.map((run) => settingOf(run, name)));
  expect(values(down)).toEqual(['Basic', 'RR', 'RC', 'CR', 'CC']);
  expect(values(across)).toEqual(['4', '8', '16', '32']);
  expect(ordered(['32', '4', '16'])).toEqual(['4', '16', '32']);
});

test('one kernel, or one block side, is no map', () => {
  expect(byBlock(runs, new Map())?.kernelRuns).toHaveLength(runs.length);
  const naive = runs.filter(({ variant }) => variant.kernel === 'matmul/naive');
  expect(byBlock(naive, new Map())).toBeNull();
  const of16 = runs.filter(({ variant: { tunables } }) => (tunables.BLOCK ?? tunables.TILE) === 16);
  expect(byBlock(of16, reportNames(report))).toBeNull();
});
