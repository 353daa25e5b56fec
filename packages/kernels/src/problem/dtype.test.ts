import { expect, it, test } from 'vitest';
import { DTYPES, idsOf, plainOf } from './dtype';
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

it('knows the dtype whose products differ in how B is fetched alone', () => {
  const plain = idsOf(DTYPES).map((dtype) => [dtype, plainOf(dtype)]);
  expect(Object.fromEntries(plain.filter(([, other]) => other !== null))).toEqual({
    'f32-nt': 'f32',
    'f32-q4': 'f32',
    'f32-q4z': 'f32',
    'f32-f16': 'f32',
    'f32-f16-nt': 'f32',
    'f16-nt': 'f16',
    'f16-q4': 'f16',
    'f16-q8': 'f16',
  });
});
