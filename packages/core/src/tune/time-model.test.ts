import { type Problem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import type { Observation } from './evidence';
import { expectedOf, fitted, near, timeOf, workOf } from './time-model';

const address =
  'matmul/warp-tile[BM=64,BN=64,BK=16,TM=8,TN=8,UNROLL=16,LANES_DOWN=4,SPLIT=1,MULADD=mul-add,A_TILE=padded,LOADS=ahead,TILE_LOOP=to-k]';
const variant = parseVariant(address);
const product = (m: number, n: number, k: number): Problem => ({
  op: 'matmul',
  shape: { m, n, k },
  dtype: 'f32',
});

/** A device that runs 100 workgroups at once, each a nanosecond per step. */
const AT_ONCE = 100;
const timed = (problem: Problem, slower = 1): Observation => {
  const { groups, steps } = workOf(variant, problem);
  return { problem, address, ns: slower * (1000 + Math.ceil(groups / AT_ONCE) * steps) };
};
const sides = [2, 3, 5, 7, 9, 11, 14, 18, 24].map((tiles) => 64 * tiles);
const aligned = sides.flatMap((m) =>
  sides.flatMap((n) => [256, 1024, 4096].map((k) => timed(product(m, n, k)))),
);

it('finds how many workgroups run at once, and what one too many costs', () => {
  const model = fitted(aligned);
  expect(model.resident).toBeGreaterThan(0.9 * AT_ONCE);
  expect(model.resident).toBeLessThan(1.12 * AT_ONCE);
  const time = (m: number, n: number) => {
    const work = workOf(variant, product(m, n, 2048));
    return timeOf(model, work) * Math.exp(near(model, work, null).residual);
  };
  // 80 and 120 workgroups; by the work alone it would be 1.5 times as long.
  const ratio = time(64 * 10, 64 * 12) / time(64 * 8, 64 * 10);
  expect(ratio).toBeGreaterThan(1.6);
  expect(fitted(aligned, 250).resident).toBe(250);
});

it('expects of rows that are not aligned what other families of the kernel show', () => {
  const other = fitted([
    ...aligned,
    ...[501, 701, 901].map((n) => timed(product(512, n, 1024), 3)),
  ]);
  const own = fitted(aligned);
  const work = workOf(variant, product(512, 801, 1024));
  expect(work.isAligned).toBe(false);
  const expected = expectedOf([other, own], work);
  expect(Math.exp(expected.residual)).toBeGreaterThan(2);
  expect(near(own, work, expected).residual).toBeCloseTo(expected.residual);
  // Without any such rows nothing is expected, and little is known.
  const nothing = expectedOf([own], work);
  expect(nothing.residual).toBe(0);
  expect(near(own, work, nothing).error).toBeGreaterThan(0.4);
});

it('counts the waves of stream-k by parts, for its workgroups share the last', () => {
  const streamK = parseVariant(
    address.replace('warp-tile', 'stream-k').replace('SPLIT=1', 'WAVE=264'),
  );
  const { groups, waves } = workOf(streamK, product(64 * 20, 64 * 20, 512));
  expect(groups).toBe(400);
  expect(waves).toBeCloseTo(400 / 264);
});
