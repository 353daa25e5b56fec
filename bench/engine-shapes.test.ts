import { PLAIN_WEBGPU } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { byDefaults, drawnProblems, worthTrying } from './engine-shapes';

const drawn = drawnProblems(54, 40, 4096);

it('draws the same problems from the same seed, of every kind and within the sides', () => {
  const texts = drawn.map((problem) => `${problem.op} ${problem.dtype} ${shapeText(problem)}`);
  expect(drawnProblems(54, 40, 4096)).toEqual(drawn);
  expect(drawnProblems(55, 40, 4096)).not.toEqual(drawn);
  expect(new Set(texts).size).toBe(40);
  const ofKind = (kind: string) => texts.filter((text) => text.startsWith(kind)).length;
  expect(['matmul f32', 'matmul f16', 'transpose f32'].map(ofKind)).toEqual([16, 12, 12]);
  const sides = drawn.flatMap(({ shape }) => Object.values(shape));
  expect(Math.max(...sides)).toBeLessThanOrEqual(4096);
  expect(sides.some((side) => side > 2048 && side % 2 === 1)).toBe(true);
  expect(drawn.filter(({ shape }) => 'm' in shape && shape.m <= 16).length).toBeGreaterThan(3);
  for (const { shape } of drawnProblems(1, 40, 64)) {
    for (const side of Object.values(shape)) expect(side).toBeLessThanOrEqual(64);
  }
});

it('tries what fits a device, one at least of each kernel that has candidates there', () => {
  const tried = worthTrying(
    { op: 'transpose', dtype: 'f32', shape: { rows: 100, cols: 200 } },
    [],
    [PLAIN_WEBGPU],
    6,
  );
  const kernels = tried.map((address) => address.split('[')[0]);
  expect(kernels.toSorted()).toEqual([
    'transpose/multi-row',
    'transpose/pitched',
    'transpose/swizzled',
  ]);
  const halves = { op: 'matmul', dtype: 'f16', shape: { m: 64, n: 64, k: 64 } } as const;
  expect(worthTrying(halves, [], [PLAIN_WEBGPU], 6)).toEqual([]);
  expect(byDefaults(halves)).toContain('matmul/naive[BLOCK=16,MAPPING=col-x]');
});
