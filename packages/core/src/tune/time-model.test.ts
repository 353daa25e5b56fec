import { type Problem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import type { Observation } from './evidence';
import { expectedOf, fitted, near, type TimeModel, timeOf, workOf } from './time-model';

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

const promised = (model: TimeModel, problem: Problem) => {
  const work = workOf(variant, problem);
  return timeOf(model, work) * Math.exp(near(model, work, null).residual);
};

it('finds how many workgroups run at once, and what one too many costs', () => {
  const model = fitted(aligned);
  expect(model.resident).toBeGreaterThan(0.9 * AT_ONCE);
  expect(model.resident).toBeLessThan(1.12 * AT_ONCE);
  const time = (m: number, n: number) => promised(model, product(m, n, 2048));
  // 80 and 120 workgroups; by the work alone it would be 1.5 times as long.
  const ratio = time(64 * 10, 64 * 12) / time(64 * 8, 64 * 10);
  expect(ratio).toBeGreaterThan(1.6);
  expect(fitted(aligned, { resident: 250 }).resident).toBe(250);
});

it('lets more workgroups take longer, though all that it saw were one wave', () => {
  // At most as many workgroups as run at once, in two sizes of sum: steps and waves cost the same.
  const few = [1, 2, 4, 8].flatMap((tiles) =>
    [512, 2048].map((k) => timed(product(64, 64 * tiles, k))),
  );
  const model = fitted(few);
  const [small, large] = [64 * 8, 64 * 80].map((n) => promised(model, product(64 * 8, n, 2048)));
  expect((large ?? 0) / (small ?? 1)).toBeGreaterThan(8);
});

it('takes the sum of the plain dtype for a kind that was timed a few times', () => {
  const few = [timed(product(64, 64, 1024), 1.3), timed(product(128, 192, 4096), 1.3)];
  const model = fitted(few, { plain: fitted(aligned) });
  const far = product(64 * 20, 64 * 20, 2048);
  expect(promised(model, far) / timed(far, 1.3).ns).toBeCloseTo(1, 1);
  // Whoever has times enough for a sum of its own needs no other.
  const slower = aligned.map((time) => ({ ...time, ns: 2 * time.ns }));
  expect(fitted(slower, { plain: fitted(aligned) })).toEqual(fitted(slower));
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
