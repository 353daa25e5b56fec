import { expect, test } from 'vitest';
import { fromHalfBits, fromHalves } from './scalar';

test.each([
  [0x0000, 0],
  [0x3c00, 1],
  [0xc000, -2],
  [0x7bff, 65_504],
  [0x0400, 2 ** -14],
  [0x0001, 2 ** -24],
  [0x3555, 0.333251953125],
  [0x7c00, Number.POSITIVE_INFINITY],
  [0xfc00, Number.NEGATIVE_INFINITY],
  [0x7fc1, Number.NaN],
])('half %i is %f', (bits, value) => {
  expect(fromHalfBits(bits)).toBe(value);
  expect(fromHalves(Uint16Array.of(bits))).toEqual(Float32Array.of(value));
});
