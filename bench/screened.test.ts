import { expect, it } from 'vitest';
import { groups } from './screened.mjs';

const result = (n: number, profile: string, rate: number | null) => ({
  problem: { op: 'matmul', shape: { m: n, n, k: n }, dtype: 'f32' },
  profile,
  rate: rate === null ? null : { value: rate, unit: 'GFLOP/s' },
});

it('compares results of one problem under one profile, the fastest first', () => {
  const results = [
    result(4096, 'fast', 40),
    result(8192, 'fast', 48),
    result(4096, 'default', 30),
    result(4096, 'fast', null),
    result(4096, 'fast', 50),
    result(8192, 'fast', null),
  ];
  const parts = groups(results).map((group) =>
    group.map(({ result: { problem, profile }, ofBest }) => [problem.shape.n, profile, ofBest]),
  );
  expect(parts).toEqual([
    [
      [4096, 'fast', 1],
      [4096, 'fast', 0.8],
      [4096, 'fast', null],
    ],
    [
      [8192, 'fast', 1],
      [8192, 'fast', null],
    ],
    [[4096, 'default', 1]],
  ]);
});

it('has no best where nothing has a rate', () => {
  expect(groups([result(64, 'fast', null)])[0]).toMatchObject([{ ofBest: null }]);
});
