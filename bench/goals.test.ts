import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { GOALS, goalsOf, goalsTable, isBoundByMemory, type Row } from './goals';

const product = (m: number, n: number, k: number): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype: 'f32',
});

it.each([
  [product(1, 4096, 4096), true],
  [product(4096, 4096, 8), true],
  [product(16, 4096, 4096), true],
  [product(17, 4096, 4096), false],
  [product(64, 64, 64), false],
])('tells whether %j is bound by memory', (problem, isBound) => {
  expect(isBoundByMemory(problem)).toBe(isBound);
});

it('asks products with weights for what weights are stored in, and others for neither', () => {
  const dtypesOf = (id: string) => new Set(goalsOf({ id, op: 'matmul' }).map(({ dtype }) => dtype));
  expect(dtypesOf('decode-shapes')).toEqual(new Set(['f16-nt', 'f32-nt', 'f16-q4', 'f16-q8']));
  expect(dtypesOf('odd-shapes')).toEqual(new Set(['f32', 'f16', 'f16acc16']));
  const asked = (m: number) =>
    goalsOf({ id: 'prefill-shapes', op: 'matmul' })
      .filter(({ dtype, isFor }) => dtype === 'f16-q4' && isFor?.(product(m, 64, 64)))
      .map(({ against }) => against);
  expect([asked(4), asked(8), asked(511), asked(512)]).toEqual([
    ['copy', 'ort'],
    ['ort'],
    [],
    ['ort', 'f16'],
  ]);
});

const row = (ratio: number, problem: string, about: Partial<Row> = {}): Row => ({
  ...{ round: 1, goal: 'f32 / cuBLAS', problem, isSeen: false, variant: 'matmul/naive', ratio },
  ...{ predictedNs: 1, ours: { medianNs: 1, intervalNs: [1, 1] } },
  other: { medianNs: ratio, intervalNs: [ratio, ratio] },
  ratioInterval: [0.5 * ratio, 2 * ratio],
  ...about,
});
const lineOf = (rows: readonly Row[], start: string, absences = {}) =>
  goalsTable(GOALS, rows, absences)
    .split('\n')
    .find((line) => line.startsWith(`| ${start}`));

it('gives the geometric mean with what the intervals leave it, the worst shapes, and a verdict', () => {
  const f32 = (...rows: Row[]) => lineOf(rows, 'f32 / cuBLAS');
  expect(f32(row(2, '1x2x3 f32'), row(0.5, '4x5x6 f32', { isSeen: true }))).toBe(
    '| f32 / cuBLAS | 2, 1 unseen | 1.000 [0.500, 2.000] | 0.500 | 1, 0.7 | not met | 4x5x6 0.50, 1x2x3 2.00 |',
  );
  expect(f32(row(2, 'a'), row(0.7, 'b'))).toContain('| met |');
  expect(f32(row(0.99, 'a'))).toContain('| not met |');
});

it('says why a goal was not measured', () => {
  expect(lineOf([], 'f32 / TensorFlow.js', { tfjs: 'no libraries' })).toBe(
    '| f32 / TensorFlow.js | 0 |  |  | 3.3, 1.8 | not measured | no libraries |',
  );
});

it('compares times with what was promised, each choice once', () => {
  const took = (ns: number) => ({ ours: { medianNs: ns, intervalNs: [ns, ns] as const } });
  const promised = (...times: number[]) => {
    const rows = times.map((ns, at) => row(1, `${at} f32`, took(ns)));
    const again = rows.map((twice) => ({ ...twice, goal: 'f32 / TensorFlow.js' }));
    return lineOf([...rows, ...again], 'measured / promised time');
  };
  expect(promised(1, 1, 1, 1.5)).toBe(
    '| measured / promised time | 4, 4 unseen | 1.107 | 75% within 20% | 1 ± 0.03, 92% | not met | 3 f32 1.50, 0 f32 1.00, 1 f32 1.00 |',
  );
  expect(promised(...Array(24).fill(1), 1.5)).toContain('| met |');
});
