import {
  type Duel,
  type Measurement,
  publishedOfSuite,
  type RunShown,
  runShown,
} from '@tilemark/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { measured, run as result } from '../../../server/results.test-helper';
import { COLUMNS, columnsFor, sortedBy } from './result-columns';
import { tableRuns } from './table-runs';

const run = (device: string, profile: string): RunShown =>
  ({
    address: 'matmul/tiled[TILE=16]',
    device: { key: device, name: device, class: 'gpu' },
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile,
    policy: 'default',
    variant: { kernel: 'matmul/tiled', tunables: { TILE: 16 } },
    kind: 'pending',
    figures: null,
    reason: null,
  }) as unknown as RunShown;

it('names of each run the device, the profile and the policy in which runs differ', () => {
  const where = (...runs: RunShown[]) => tableRuns(runs, []).map((each) => each.where);
  expect(where(run('A', 'default'), run('A', 'default'))).toEqual([[], []]);
  expect(where(run('A', 'default'), run('A', 'fast'))).toEqual([['default'], ['fast']]);
  expect(where(run('A', 'fast'), run('B', 'default'))).toEqual([
    ['A', 'fast'],
    ['B', 'default'],
  ]);
  const quick: RunShown = { ...run('A', 'fast'), policy: 'screen' };
  expect(where(run('A', 'fast'), quick)).toEqual([
    ['full run (policy default)'],
    ['quick run (policy screen)'],
  ]);
});

/** A run that took turns with a rival. */
const dueled = (duel: NonNullable<Measurement['duel']>): RunShown =>
  runShown(result({ outcome: measured(1000, { duel }) }));

const side = { ...measured(1000).measurement.cold, implausible: null };
const FAST: Duel = {
  verdict: 'FAST',
  ratio: 2.56,
  low: 2.13,
  high: 2.99,
  wouldTake: 1,
  rounds: 188,
  stop: 'capped',
  a: side,
  b: side,
};

const duelColumn = COLUMNS.find(({ id }) => id === 'duel')!;
const textsOf = (...runs: RunShown[]) => {
  const rows = tableRuns(runs, []);
  return rows.map((row) => renderToStaticMarkup(duelColumn.cell(row)).replaceAll(/<[^>]*>/g, ' '));
};

it('shows duels, and why one has no ratio, only where runs have a rival', () => {
  const against = 'matmul/tiled[TILE=16]';
  const fast = dueled({ against, duel: FAST, why: null });
  const none = dueled({ against, duel: null, why: 'too big' });
  const doubted = dueled({
    against,
    why: null,
    duel: { ...FAST, b: { ...side, implausible: 'faster than the roof' } },
  });
  const [shown, without, unbelieved] = textsOf(fast, none, doubted);
  expect(shown).toMatch(/2.56× +faster +2.13× to 2.99×/);
  expect(without).toContain('no ratio: too big');
  expect(unbelieved).toContain('no ratio: faster than the roof');
  const idsOf = (of: RunShown) => columnsFor(tableRuns([of], [])).map(({ id }) => id);
  expect(idsOf(fast)).toContain('duel');
  expect(idsOf(runShown(result()))).not.toContain('duel');
});

it('names the rival once where all have the same, else at each run', () => {
  const [one, other] = ['matmul/tiled', 'matmul/naive'].map((against) =>
    dueled({ against, duel: FAST, why: null }),
  );
  expect(textsOf(one!, one!).join()).not.toContain('matmul/');
  expect(textsOf(one!, other!)).toEqual([
    expect.stringContaining('over matmul/tiled'),
    expect.stringContaining('over matmul/naive'),
  ]);
});

it('names a tunable that varies in every row, also where it has its default', () => {
  const naive = (BLOCK: number) =>
    runShown(
      result({ variant: { kernel: 'matmul/naive', tunables: { BLOCK, MAPPING: 'col-x' } } }),
    );
  const cell = COLUMNS.find(({ id }) => id === 'variant')!.cell;
  const namesOf = (...runs: RunShown[]) =>
    tableRuns(runs, []).map(
      (row) =>
        renderToStaticMarkup(cell(row))
          .replaceAll(/<[^>]*>/g, '')
          .split(']')[0],
    );
  expect(namesOf(naive(8), naive(16))).toEqual(['matmul/naive[BLOCK=8', 'matmul/naive[BLOCK=16']);
  expect(namesOf(naive(16))[0]).not.toContain('BLOCK');
});

it('says what the intervals allow of a speed-up that is not known well', () => {
  const cell = COLUMNS.find(({ id }) => id === 'speedup')!.cell;
  const [row] = tableRuns([runShown(result())], []);
  const textOf = (low: number, ratio: number, high: number, isOfOne = false) =>
    renderToStaticMarkup(cell({ ...row!, speedup: { low, ratio, high, isOfOne } })).replaceAll(
      /<[^>]*>/g,
      ' ',
    );
  expect(textOf(1.99, 2, 2.01)).toBe('2.00×');
  expect(textOf(1.5, 2, 3)).toMatch(/^2.00× +1.50× to 3.00×\s*$/);
  expect(textOf(0.1, 0.501, 3)).toMatch(/undecided/);
  expect(textOf(1.5, 2, 3, true)).toMatch(/^2.00× +one sample\s*$/);
});

it('sorts by a column from its better end, rows without a value last', () => {
  const rows = tableRuns(
    [1000, 3000, 2000].map((ns) => runShown(result({ outcome: measured(ns) }))),
    [],
  );
  const pending = tableRuns([run('A', 'default')], []);
  const order = (id: string) =>
    sortedBy([...pending, ...rows], COLUMNS.find((column) => column.id === id)!).map(
      ({ run }) => run.figures?.medianNs,
    );
  // The least time, and the highest rate.
  expect(order('medianNs')).toEqual([1000, 2000, 3000, undefined]);
  expect(order('rate')).toEqual([1000, 2000, 3000, undefined]);
});

it('counts bytes as the report does, beside its own figure', () => {
  const report = publishedOfSuite('transpose-ladder')!;
  const { problem, timeMs, variant } = report.results[0]!;
  const own = runShown(result({ problem, variant, outcome: measured(2 * timeMs * 1e6) }));
  const rows = tableRuns([{ ...own, address: report.results[0]!.address }], [], report);
  const theirs = (16 * 3072 * 4096) / (timeMs * 1e6);
  const column = columnsFor(rows).find(({ id }) => id === 'counted');
  expect(renderToStaticMarkup(createElement('p', null, column?.cell(rows[0]!)))).toMatch(
    new RegExp(`<p>${(theirs / 2).toPrecision(4)}<.*>report 1,171<`),
  );
  expect(rows[0]?.name).toBe('naive');
  const others = tableRuns([own], [], publishedOfSuite('layouts'));
  expect(columnsFor(others).map(({ id }) => id)).not.toContain('counted');
});

it('shows transfers, and below those that the report prints', () => {
  const report = publishedOfSuite('host-vs-device')!;
  const { address, variant } = report.results[0]!;
  const transfer = { hostToDeviceNs: 60, deviceToHostNs: 40 };
  const own = runShown(result({ variant, outcome: measured(100, { transfer }) }));
  const textOf = (run: RunShown) => {
    const rows = tableRuns([run], [], report);
    const column = columnsFor(rows).find(({ id }) => id === 'transfers');
    const cell = createElement('p', null, column?.cell(rows[0]!));
    return renderToStaticMarkup(cell)
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll('\u202f', ' ');
  };
  expect(textOf({ ...own, address })).toMatch(
    /60\.00 ns \+ 40\.00 ns +report 9\.995 ms \+ 2\.961 ms\s*$/,
  );
  const others = tableRuns([own], [], publishedOfSuite('layouts'));
  expect(columnsFor(others).map(({ id }) => id)).not.toContain('transfers');
});

it('shows times over the serial host, with transfers, where it was measured', () => {
  const host = runShown(
    result({
      variant: { kernel: 'matmul/cpu-naive', tunables: {} },
      device: { key: 'c', name: 'C', class: 'cpu' },
      outcome: measured(1000),
    }),
  );
  const transfer = { hostToDeviceNs: 60, deviceToHostNs: 40 };
  const rows = tableRuns([host, runShown(result({ outcome: measured(100, { transfer }) }))], []);
  const column = columnsFor(rows).find(({ id }) => id === 'host');
  expect(renderToStaticMarkup(createElement('p', null, column?.cell(rows[1]!)))).toMatch(
    /10\.0×.*5\.00× with transfers/,
  );
  expect(columnsFor(rows.slice(1)).map(({ id }) => id)).toContain('host');
  expect(columnsFor(tableRuns([rows[1]!.run], [])).map(({ id }) => id)).not.toContain('host');
});
