import type { MeasuredRun, Result, RunShown } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { measuredRun } from '../../server/results.test-helper';
import {
  chartKey,
  drawnRuns,
  fastestFirst,
  groupKey,
  oneOfEach,
  overHost,
  shortLabels,
  speedups,
} from './runs';

const naive = (medianNs: number, over: Partial<Result> = {}) =>
  measuredRun(medianNs, {
    variant: { kernel: 'matmul/naive', tunables: { BLOCK: 8 } },
    ...over,
  });
const tiled = (TILE: number, medianNs: number, over: Partial<Result> = {}) =>
  measuredRun(medianNs, {
    variant: { kernel: 'matmul/tiled', tunables: { TILE, A_LAYOUT: 'row' } },
    ...over,
  });

describe('speedups', () => {
  it('compares with the fastest naive of the same problem, device and profile', () => {
    const rows = [naive(1000), naive(800), tiled(16, 200)];
    const [, , fast] = rows;
    expect(speedups(rows).get(fast!.runId)?.ratio).toBe(4);
  });

  it('lies between the ends of both intervals; that of the naive itself is one', () => {
    const loose = (medianNs: number, run: MeasuredRun): MeasuredRun => ({
      ...run,
      figures: { ...run.figures, medianNs, lowNs: medianNs / 2, highNs: medianNs * 2 },
    });
    const [base, other] = [loose(1000, naive(1000)), loose(500, tiled(16, 500))];
    const found = speedups([base, other]);
    expect(found.get(base.runId)).toEqual({ ratio: 1, low: 1, high: 1, isOfOne: false });
    expect(found.get(other.runId)).toEqual({ ratio: 2, low: 0.5, high: 8, isOfOne: false });
  });

  it('knows where a side is one sample, whichever it is', () => {
    const single = (run: MeasuredRun): MeasuredRun => ({
      ...run,
      figures: { ...run.figures, samples: 1 },
    });
    const isOfOne = (base: MeasuredRun, other: MeasuredRun) =>
      speedups([base, other]).get(other.runId)?.isOfOne;
    expect(isOfOne(naive(1000), tiled(16, 500))).toBe(false);
    expect(isOfOne(naive(1000), single(tiled(16, 500)))).toBe(true);
    expect(isOfOne(single(naive(1000)), tiled(16, 500))).toBe(true);
  });

  it.each([{ profile: 'fast' }, { policy: 'screen' }] as const)(
    'leaves out what has no naive of its %o beside it',
    (of) => {
      const other = tiled(16, 200, of);
      expect(speedups([naive(1000), other]).has(other.runId)).toBe(false);
    },
  );
});

it('counts times over the fastest serial host of the problem, with transfers where they were timed', () => {
  const host = (medianNs: number, over: Partial<Result> = {}) =>
    measuredRun(medianNs, {
      variant: { kernel: 'matmul/cpu-naive', tunables: {} },
      device: { key: 'c', name: 'C', class: 'cpu' },
      ...over,
    });
  const timed = (run: MeasuredRun): MeasuredRun => ({
    ...run,
    figures: { ...run.figures, hostToDeviceNs: 60, deviceToHostNs: 40 },
  });
  const runs = [host(2000), host(1000), timed(tiled(16, 100)), tiled(8, 100, { profile: 'fast' })];
  expect(runs.map(({ runId }) => overHost(runs).get(runId))).toEqual([
    { ratio: 0.5, withTransfers: null },
    { ratio: 1, withTransfers: null },
    { ratio: 10, withTransfers: 5 },
    { ratio: 10, withTransfers: null },
  ]);
  expect(overHost([host(1000, { policy: 'screen' }), naive(10)]).size).toBe(1);
});

it('lists the fastest of each problem first, and what was not measured last', () => {
  const other = { problem: { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' } } as const;
  const skipped: RunShown = { ...naive(1), kind: 'skipped', figures: null };
  const runs: RunShown[] = [
    skipped,
    naive(1000),
    naive(30, other),
    tiled(16, 200),
    naive(20, other),
  ];
  const rows = fastestFirst(runs.map((run) => ({ run })));
  expect(rows.map(({ run }) => run.figures?.medianNs ?? null)).toEqual([
    ...[200, 1000, null],
    ...[20, 30],
  ]);
});

it('lists full runs before quick ones, however fast', () => {
  const runs = [tiled(16, 100, { policy: 'screen' }), tiled(8, 300), tiled(16, 170)];
  const rows = fastestFirst(runs.map((run) => ({ run })));
  expect(rows.map(({ run }) => run.figures.medianNs)).toEqual([170, 300, 100]);
});

it('draws a variant once: by the middle of its ranked runs, or else of all', () => {
  const noisy = { reason: 'not ranked: noisy' };
  const other = { ...noisy, address: 'matmul/tiled[TILE=8]' };
  const runs = [
    { ...tiled(16, 100), ...noisy },
    tiled(16, 110),
    tiled(16, 130),
    tiled(16, 120),
    { ...tiled(8, 300), ...other },
    { ...tiled(8, 200), ...other },
  ];
  expect(oneOfEach(runs).map(({ figures }) => figures.medianNs)).toEqual([120, 300]);
});

it('keeps quick runs and full ones in charts of their own', () => {
  const [quick, full] = [tiled(16, 100, { policy: 'screen' }), tiled(16, 170)];
  expect(drawnRuns([quick, full])).toEqual([quick, full]);
  expect(chartKey(quick)).not.toBe(chartKey(full));
});

describe('shortLabels', () => {
  const NONE = new Map<string, string>();

  it('says of variants that a report names only what tells those of one name apart', () => {
    const rows = [tiled(8, 300), tiled(16, 200), naive(1000)];
    const [first, second] = rows;
    const labels = (...names: (readonly [string, string])[]) => [
      ...shortLabels(rows, new Map(names)).values(),
    ];
    expect(labels([first!.address, 'RR'], [second!.address, 'CC'])).toEqual(['RR', 'CC', 'naive']);
    expect(labels([first!.address, 'CC'], [second!.address, 'CC'])).toEqual([
      'CC · TILE=8',
      'CC · TILE=16',
      'naive',
    ]);
  });

  it('keeps only the tunables that differ', () => {
    const rows = [tiled(8, 300), tiled(16, 200), naive(1000)];
    expect([...shortLabels(rows, NONE).values()]).toEqual([
      'tiled · TILE=8',
      'tiled · TILE=16',
      'naive',
    ]);
  });

  it('names tunables in the order of the address, whatever that of the record', () => {
    const wpt = (WPT: number, TILE: number) =>
      measuredRun(100, { variant: { kernel: 'matmul/tiled-wpt', tunables: { WPT, TILE } } });
    expect([...shortLabels([wpt(8, 32), wpt(4, 16)], NONE).values()]).toEqual([
      'tiled-wpt · TILE=32 · WPT=8',
      'tiled-wpt · TILE=16 · WPT=4',
    ]);
  });

  it('tells equal values of different tunables apart', () => {
    const layout = (tunables: Record<string, string>) =>
      measuredRun(100, { variant: { kernel: 'matmul/tiled', tunables } });
    const rows = [
      layout({ A_LAYOUT: 'col', B_LAYOUT: 'row' }),
      layout({ A_LAYOUT: 'row', B_LAYOUT: 'col' }),
    ];
    expect([...shortLabels(rows, NONE).values()]).toEqual([
      'tiled · A_LAYOUT=col · B_LAYOUT=row',
      'tiled · A_LAYOUT=row · B_LAYOUT=col',
    ]);
  });
});

describe('groupKey', () => {
  it('keeps devices apart', () => {
    const elsewhere = tiled(8, 300, { device: { key: 'b', name: 'B', class: 'gpu' } });
    expect(groupKey(elsewhere)).not.toBe(groupKey(tiled(8, 300)));
  });
});
