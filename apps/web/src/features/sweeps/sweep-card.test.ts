import { expect, test } from 'vitest';
import { measuredRun } from '../../server/results.test-helper';
import { sweepBars, sweepCard } from './sweep-card';

type Over = Parameters<typeof measuredRun>[1];
const square = (n: number) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' }) as const;
const transposed = { op: 'transpose', shape: { rows: 64, cols: 64 }, dtype: 'f32' } as const;

const run = (kernel: string, medianNs: number, tunables = {}, over: Over = {}) =>
  measuredRun(medianNs, { variant: { kernel, tunables }, ...over });
const unranked = <T>(of: T): T => ({ ...of, reason: 'not ranked: five samples are too few' });

test('the ranked variants of a sweep come first, and the others are marked', () => {
  const bars = sweepBars([
    unranked(run('matmul/tiled', 10)),
    run('matmul/naive', 20),
    unranked(run('matmul/warp-tile', 5)),
  ]);
  expect(bars.map(({ isSubject, label, note }) => [label, isSubject, note])).toEqual([
    ['naive', true, undefined],
    ['warp-tile', false, 'not ranked'],
    ['tiled', false, 'not ranked'],
  ]);
});

test('nothing stands out where nothing is ranked', () => {
  expect(sweepBars([unranked(run('matmul/tiled', 10))])).toMatchObject([{ isSubject: false }]);
});

test('a variant is named by what tells it from the others that are shown', () => {
  const common = { LANES: 8, UNROLL: 1 };
  const bars = sweepBars([
    run('matmul/few-rows', 10, { ...common, SPLIT: 2 }),
    run('matmul/few-rows', 20, { ...common, SPLIT: 4 }),
  ]);
  expect(bars.map(({ label }) => label)).toEqual(['few-rows · SPLIT=2', 'few-rows · SPLIT=4']);
});

test('a tunable that varies in the sweep is named where it is equal in all bars', () => {
  const one = run('matmul/warp-tile', 10, { SPLIT: 1, BK: 8 });
  const quick = run('matmul/warp-tile', 20, { SPLIT: 256, BK: 8 }, { policy: 'screen' });
  expect(sweepBars([one], [one, quick])).toMatchObject([{ label: 'warp-tile · SPLIT=1' }]);
  const { groups } = sweepCard(sweep, [one, unranked(quick)]);
  expect(groups).toMatchObject([{ bars: [{ label: 'warp-tile · SPLIT=1' }] }]);
});

test('rates of different units are not compared: the op comes first whose charts do', () => {
  const matmul = run('matmul/naive', 1e9);
  const transpose = run('transpose/naive', 1, {}, { problem: transposed });
  expect(sweepCard(sweep, [matmul, transpose])).toMatchObject({
    about: expect.stringContaining('on matmul 512 f32'),
    unit: 'GFLOP/s',
  });
  expect(sweepCard(sweep, [transpose, matmul])).toMatchObject({
    about: expect.stringContaining('on transpose 64 f32'),
    unit: 'GB/s',
  });
});

const counts = { total: 5, pending: 0, measured: 4, skipped: 0, incorrect: 1, failed: 0 };
const sweep = { name: 'Mine', isImported: false, counts };

test('a copy is drawn only where nothing else ran, and as what it is', () => {
  const copy = run('transpose/copy', 10, {}, { problem: transposed });
  const tiled = run('transpose/tiled', 20, {}, { problem: transposed });
  expect(sweepBars([copy, tiled])).toMatchObject([{ label: 'tiled', isSubject: true }]);
  expect(sweepCard(sweep, [copy])).toMatchObject({
    about: expect.stringMatching(/Shown: a copy, the ceiling of transposes, .* transpose 64 f32/),
    groups: [{ bars: [{ label: 'copy', isSubject: false }] }],
  });
});

test('a sweep says how all of its runs ended, and shows the problem of its fastest ranked run', () => {
  const runs = [
    run('matmul/tiled', 10_000, {}, { problem: square(128) }),
    run('matmul/naive', 20_000, {}, { problem: square(256) }),
    run('matmul/tiled', 90_000, {}, { problem: square(256) }),
    unranked(run('matmul/tiled', 20_000, {}, { problem: square(512) })),
  ];
  expect(sweepCard(sweep, runs)).toMatchObject({
    about:
      '5 runs: 4 measured, 1 incorrect. Shown: the fastest variants on matmul 256 f32, default, A',
    groups: [{ isOrdered: true, bars: [{ label: 'naive' }, { label: 'tiled' }] }],
  });
  expect(sweepCard({ ...sweep, isImported: true }, runs).about).toMatch(
    /^5 runs, measured elsewhere and imported: 4 measured, /,
  );
});

test('the picture of a search shows full runs alone, and says so', () => {
  const quick = [run('matmul/warp-tile', 10, {}, { policy: 'screen' })].map(unranked);
  const full = [run('matmul/tiled', 30), run('matmul/naive', 20)];
  expect(sweepCard(sweep, [...quick, ...full])).toMatchObject({
    about: expect.stringContaining('Shown: the fastest variants in full runs (policy default) on'),
    groups: [{ bars: [{ label: 'naive' }, { label: 'tiled' }] }],
  });
});

test('a single bar is drawn against the peak of its device', () => {
  const only = run('matmul/tiled', 10_000);
  const roof = { roofBound: 'compute', roofShare: 0.5 } as const;
  const of = { ...only, figures: { ...only.figures, ...roof } };
  const peak = { rate: 2 * only.figures.rate, isMeasured: true, bound: 'compute' };
  expect(sweepCard(sweep, [of])).toMatchObject({
    groups: [{ name: 'matmul 512 f32', peak, bars: [{ label: 'tiled' }] }],
  });
  expect(sweepCard(sweep, [of, run('matmul/naive', 20_000)]).groups).toMatchObject([
    { peak: null },
  ]);
});

test('a single bar says what it is, and that no peak is known', () => {
  const only = run('matmul/tiled', 10_000);
  const of = { ...only, figures: { ...only.figures, roofBound: null, roofShare: null } };
  const oneRun = { ...sweep, counts: { ...counts, total: 1, measured: 1, incorrect: 0 } };
  expect(sweepCard(oneRun, [of])).toMatchObject({
    about: '1 run: 1 measured. Shown: the only variant measured on matmul 512 f32, default, A',
    groups: [{ name: 'matmul 512 f32', peak: null }],
  });
});
