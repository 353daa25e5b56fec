import { shippedReference } from '@tilemark/core';
import { expect, test } from 'vitest';
import { measured } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { pictureRows } from '../overview/picture-rows';
import { boardBars, overviewGroups, resultCard, sweepBars, sweepCard } from './card-bars';
import { fullRate } from './scale';

const run = (address: string, policy: 'screen' | 'default', rate: number) => ({
  ...{ address, policy, variant: { kernel: address.replace(/\[.*/, '') } as never },
  figures: { rate } as never,
});

test('the ceiling is no variant of a sweep’s picture', () => {
  const bars = sweepBars([
    run('transpose/copy[TILE=16]', 'default', 90),
    run('transpose/tiled[TILE=16]', 'default', 80),
  ]);
  expect(bars).toMatchObject([{ label: 'transpose/tiled', isSubject: true }]);
});

test('a board shows what was measured here first, marks the rest, and leaves ceilings out', () => {
  const rate = { value: 2, unit: 'GB/s' as const };
  const device = { key: 'a', name: 'A', class: 'gpu' as const };
  const row = (address: string, imported: { by: string; at: string } | null) => ({
    ...{ address, device, imported, rate },
  });
  const figure = (kernel: string) => ({
    by: { kind: 'kernel' as const, kernel, address: kernel },
    ...{ hardware: 'B', rate },
  });
  const bars = boardBars(
    [row('transpose/tiled', { by: 'admin', at: '' }), row('transpose/naive', null)],
    [figure('transpose/copy'), figure('transpose/tiled')],
  );
  expect(bars.map(({ label, note }) => [label, note])).toEqual([
    ['A: transpose/naive', undefined],
    ['A: transpose/tiled', 'imported'],
    ['B: transpose/tiled', 'measured elsewhere'],
  ]);
});

test('a sweep has a bar per variant: those measured in full first, then those screened', () => {
  const bars = sweepBars([
    run('matmul/tiled[TILE=8]', 'screen', 90),
    run('matmul/tiled[TILE=8]', 'default', 70),
    run('matmul/naive[BLOCK=8]', 'screen', 80),
  ]);
  expect(bars.map(({ rate, isSubject, note }) => [rate, isSubject, note])).toEqual([
    [70, true, undefined],
    [80, false, 'screened, not ranked'],
  ]);
});

const problem = { op: 'matmul', shape: { m: 128, n: 128, k: 128 }, dtype: 'f32' } as const;
const unknown = { key: 'a', name: 'Laptop', class: 'gpu' } as const;
const imported = { by: 'admin', at: '' };
const result = {
  ...{ address: 'matmul/naive', resultId: 'a', problem: problem as never, device: unknown },
  ...{ profile: 'default' as const, imported: null, outcome: measured(1e3) },
  rate: { value: 2, unit: 'GFLOP/s' as const },
};

test('the best beside a result is called ranked only if it is', () => {
  const labels = (resultId: string, unranked: string | null) => {
    const best = { ...result, address: 'matmul/tiled', resultId };
    const { groups } = resultCard(result, { ...best, outcome: measured(1e3, { unranked }) });
    return groups.flatMap(({ bars }) => bars.map(({ label }) => label));
  };
  expect(labels('b', null)).toContain('Best ranked: matmul/tiled');
  expect(labels('b', 'by an earlier methodology')).toContain('Best, not ranked: matmul/tiled');
  expect(labels('a', null)).toEqual(['matmul/naive']);
});

test('a result is drawn against the peak of its device', () => {
  const roof = { ns: 250, bound: 'compute' as const };
  expect(resultCard({ ...result, outcome: measured(1e3, { roof }) }, undefined)).toMatchObject({
    about: expect.stringMatching(/ on Laptop\. Full bar: peak 8\.000$/),
    groups: [{ peak: { rate: 8, isMeasured: true, bound: 'compute' } }],
  });
  const h200 = { ...unknown, name: 'NVIDIA H200' };
  expect(resultCard({ ...result, device: h200 }, undefined).about).toMatch(/ by data sheet$/);
  expect(resultCard(result, undefined).groups).toMatchObject([{ peak: null }]);
});

test('a bar has a length only where there is something to compare with', () => {
  const peak = { rate: 8, isMeasured: true, bound: 'compute' as const };
  expect(fullRate(peak, [{ rate: 2 }])).toBe(8);
  expect(fullRate(null, [{ rate: 2 }, { rate: 3 }])).toBe(3);
  expect(fullRate(null, [{ rate: 2 }])).toBeNull();
});

test('a result that was imported says so', () => {
  const about = 'matmul 128 f32, default, on Laptop';
  expect(resultCard(result, undefined).about).toBe(about);
  expect(resultCard({ ...result, imported }, undefined).about).toBe(
    `${about}; measured elsewhere and imported`,
  );
  const best = { ...result, resultId: 'b', imported };
  expect(resultCard(result, best).groups[0]?.bars[1]?.note).toBe('imported');
});

test('a result that is not ranked or a ceiling says so', () => {
  const quick = { ...result, outcome: measured(1e3, { unranked: 'too quick to rank' }) };
  expect(resultCard(quick, undefined).about).toMatch(/ on Laptop; not ranked$/);
  expect(resultCard({ ...result, address: 'transpose/copy[TILE=16]' }, undefined).about).toMatch(
    / on Laptop; a copy, the ceiling of transposes$/,
  );
});

test('a result that is incorrect is named, alone and with what is wrong', () => {
  const outcome = {
    ...{ kind: 'incorrect' as const, when: 'before' as const },
    worst: { row: 1, col: 2, got: 3, want: 4, bound: 1e-6 },
  };
  const wrong = { ...result, address: 'me/off-by-one[BLOCK=16]', outcome, rate: null };
  expect(resultCard(wrong, { ...result, resultId: 'b' })).toMatchObject({
    title: 'Incorrect: me/off-by-one[BLOCK=16]',
    about: expect.stringMatching(/ on Laptop: element \[1, 2\] is 3, should be 4/),
    groups: [],
  });
});

test('a sweep says how all of its runs ended, and which of them are shown', () => {
  const counts = { total: 5, pending: 0, measured: 4, skipped: 0, incorrect: 1, failed: 0 };
  const of = (address: string, dtype: 'f32' | 'f16') => ({
    ...{ ...run(address, 'default', 2), device: unknown, profile: 'default' },
    problem: { ...problem, dtype },
  });
  const runs = [of('matmul/tiled', 'f32'), of('matmul/naive', 'f32'), of('matmul/tiled', 'f16')];
  const about = (isImported: boolean) =>
    sweepCard({ name: 'Mine', isImported, counts }, runs as never);
  expect(about(false)).toMatchObject({
    about:
      '5 runs: 4 measured, 1 incorrect. Shown: the fastest variants on matmul 128 f32, default, Laptop',
    groups: [{ bars: [{ label: 'matmul/tiled' }, { label: 'matmul/naive' }] }],
  });
  expect(about(true).about).toMatch(/^5 runs, measured elsewhere and imported: 4 measured, /);
});

test('the first screen’s picture has its rows and scales, and libraries where devices leave room', () => {
  const figures = shippedReference().filter(
    ({ problem: { op, dtype } }) => op === 'matmul' && dtype === 'f32',
  );
  const rows = pictureRows([], figures);
  const [group] = overviewGroups(rows);
  expect(group).toMatchObject({
    name: 'NVIDIA H200, measured elsewhere, at 4096 × 4096 × 4096',
    peak: { rate: 67_000 },
    bars: [
      { label: 'matmul/warp-tile', isSubject: true },
      { label: 'cuBLAS' },
      { label: 'TensorFlow.js' },
      { label: 'jax-js' },
    ],
  });
  const four = Array.from({ length: 4 }, () => rows).flat();
  expect(overviewGroups(four).map(({ bars }) => bars.length)).toEqual([3, 1, 1, 1]);
  const note = { note: 'measured elsewhere' };
  expect(
    overviewGroups(rows.map((row) => ({ ...row, href: '/results/a', imported }))),
  ).toMatchObject([
    {
      name: 'NVIDIA H200, imported, at 4096 × 4096 × 4096',
      bars: [{ label: 'matmul/warp-tile' }, note, note, note],
    },
  ]);
});
