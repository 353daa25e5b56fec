import type { BestVariant } from '@tilemark/core';
import { expect, it } from 'vitest';
import { howFound } from './how-found';

const square = (n: number): BestVariant['asked'] => ({
  op: 'matmul',
  shape: { m: n, n, k: n },
  dtype: 'f32',
});
const found = (over: Partial<BestVariant>): string =>
  howFound({
    fallback: 'device',
    asked: square(1024),
    measured: square(1024),
    isExact: true,
    devices: 1,
    ...over,
  } as BestVariant);

it('says whose results decided', () => {
  expect(found({})).toBe(
    'Results of the device itself decided (1 device). The asked shape was measured.',
  );
  expect(found({ fallback: 'vendor', devices: 3 })).toContain('its vendor decided (3 devices)');
});

it('says how far the nearest measured shape is, and when that is far', () => {
  expect(found({ isExact: false, measured: square(512) })).toContain(
    'nearest measured shape is 512, 1.7 doublings away.',
  );
  expect(found({ isExact: false, measured: square(64) })).toContain('measure before you rely');
});
