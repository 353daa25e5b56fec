import { expect, test } from 'vitest';
import type { Measurement } from '../measure/outcome';
import { measured } from '../server/store/fixtures.test-helper';
import type { Leaderboard, Result } from './api';
import { kindsOf, leaderboardCsv, resultTable } from './csv';

const result = (why: string): Result => ({
  runId: 'r',
  resultId: null,
  variant: { kernel: 'matmul/naive', tunables: {} },
  address: 'matmul/naive',
  problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' },
  device: { key: 'd', name: 'D', class: 'gpu' },
  profile: 'default',
  policy: 'default',
  outcome: { kind: 'skipped', why },
  rate: null,
});

const csvLine = (of: Result) => resultTable(kindsOf([of])).line(of);

/** The cell `detail`, as it is written. */
const detail = (why: string) =>
  csvLine(result(why))
    .split(',skipped,')[1]
    ?.replace(/,*\r\n$/, '');

test('a line has a cell for each name of the header: of each tunable and dimension that any has', () => {
  const tiled = {
    ...result('too big'),
    variant: { kernel: 'matmul/tiled', tunables: { TILE: 16, A_LAYOUT: 'row' } },
    workerName: 'Ada: chromium',
  };
  const turned = {
    ...result('too big'),
    problem: { op: 'transpose', shape: { rows: 3, cols: 5 }, dtype: 'f32' },
  } as Result;
  const { head, line } = resultTable(kindsOf([result(''), tiled, turned]));
  const names = head.trim().split(',');
  const cellsOf = (of: Result) => {
    const cells = line(of).trim().split(',');
    expect(cells).toHaveLength(names.length);
    return Object.fromEntries(names.map((name, at) => [name, cells[at]]));
  };
  expect(cellsOf(tiled)).toMatchObject({
    ...{ TILE: '16', A_LAYOUT: 'row', m: '8', n: '8', k: '8', rows: '', worker: 'Ada: chromium' },
  });
  expect(cellsOf(turned)).toMatchObject({ TILE: '', m: '', rows: '3', cols: '5', worker: '' });
});

test('turns with a rival are in the line, those not believed without their ratio', () => {
  const outcome = measured(1e6);
  if (outcome.kind !== 'measured') throw new Error(outcome.kind);
  const side = { medianNs: 1e6, implausible: null };
  const duel = {
    a: side,
    b: side,
    rounds: 12,
    samples: 48,
    verdict: 'FAST' as const,
    ratio: 1.2,
    low: 1.1,
    high: 1.3,
  };
  const cells = (turns: object) => {
    const measurement = { ...outcome.measurement, duel: turns } as Measurement;
    return csvLine({ ...result(''), outcome: { ...outcome, measurement } })
      .trim()
      .split(',')
      .slice(-5);
  };
  const against = 'matmul/tiled';
  expect(cells({ against, duel, why: null })).toEqual([against, 'FAST', '1.2', '1.1', '1.3']);
  const doubtful = { ...duel, b: { ...side, implausible: 'faster than its roof' } };
  expect(cells({ against, duel: doubtful, why: null })).toEqual([against, '', '', '', '']);
});

test.each(['=1+1', '+1', '-1', '@a', ' =1', '\u00a0=1', '\t1'])(
  '%j begins like a formula and is not run',
  (why) => {
    expect(detail(why)).toBe(`'${why}`);
  },
);

test.each(['\n=1', '\r\n=1', '\r1', '\n1'])('%j after a new line neither', (why) => {
  expect(detail(why)).toBe(`"'${why}"`);
});

test('other text is written as it is, quoted where it has to be', () => {
  expect(detail('1 = 1')).toBe('1 = 1');
  expect(detail('a "b", c')).toBe('"a ""b"", c"');
});

test('a table of the board says under which licence, whose driver and which device', () => {
  const row = { device: { key: 'k', name: 'K', class: 'gpu' }, rate: {}, driver: 'NVIDIA 580.1' };
  const board = { problem: null, profile: 'fast', rows: [row] } as unknown as Leaderboard;
  const [names, cells] = leaderboardCsv(board)
    .split('\r\n')
    .map((line) => line.split(','));
  const cell = (name: string) => cells?.[names?.indexOf(name) ?? -1];
  expect([cell('licence'), cell('driver'), cell('device')]).toEqual([
    'CC0-1.0',
    'NVIDIA 580.1',
    'k',
  ]);
});
