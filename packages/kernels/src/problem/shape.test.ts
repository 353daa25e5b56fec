import { describe, expect, test } from 'vitest';
import { InputError } from '../errors';
import { dimensionsText, faultOf, parseShape, problemWith, shapeText, sidesText } from './shape';

test('a square is one number, anything else its dimensions in order', () => {
  expect(shapeText({ op: 'matmul', shape: { m: 512, n: 512, k: 512 } })).toBe('512');
  expect(shapeText({ op: 'matmul', shape: { m: 512, n: 256, k: 128 } })).toBe('512x256x128');
  expect(shapeText({ op: 'transpose', shape: { rows: 3072, cols: 4096 } })).toBe('3072x4096');
});

test('with all sides a square has them too', () => {
  const square = { m: 512, n: 512, k: 512 };
  expect(sidesText({ op: 'matmul', shape: square })).toBe('512 × 512 × 512');
  expect(sidesText({ op: 'matmul', shape: { b: 8, ...square } })).toBe('8 × 512 × 512 × 512');
  expect(sidesText({ op: 'transpose', shape: { rows: 64, cols: 64 } })).toBe('64 × 64');
});

test('a batch is written with its number of products, and nothing else is', () => {
  const square = { m: 512, n: 512, k: 512 };
  expect(shapeText({ op: 'matmul', shape: { b: 8, ...square } })).toBe('8x512x512x512');
  expect(shapeText({ op: 'matmul', shape: { b: 512, ...square } })).toBe('512x512x512x512');
  expect(shapeText({ op: 'matmul', shape: { b: 1, ...square } })).toBe('512');
  expect(parseShape('matmul', '8x512x256x128')).toEqual({ b: 8, m: 512, n: 256, k: 128 });
  expect(parseShape('matmul', '1x512x512x512')).toEqual(square);
  expect(dimensionsText('matmul')).toBe('[Bx]MxNxK');
  expect(dimensionsText('transpose', '×')).toBe('R×C');
});

test('a batch of one is the product itself', () => {
  const product = { op: 'matmul', shape: { m: 4, n: 5, k: 6 }, dtype: 'f32' };
  expect(problemWith('matmul', { b: 1, m: 4, n: 5, k: 6 }, 'f32')).toEqual(product);
  expect(problemWith('matmul', { m: 4, n: 5, k: 6 }, 'f32')).toEqual(product);
  expect(problemWith('matmul', { b: 2, rows: 4, cols: 5 }, 'f32')).toBeNull();
});

test('what is written is read back', () => {
  expect(parseShape('matmul', '512x256x128')).toEqual({ m: 512, n: 256, k: 128 });
  expect(parseShape('matmul', '64')).toEqual({ m: 64, n: 64, k: 64 });
  expect(parseShape('transpose', '3072x4096')).toEqual({ rows: 3072, cols: 4096 });
});

test.each([
  '',
  'x',
  '0',
  '-4',
  '1.5',
  '16777217',
  '4x4',
  '4x4x4x4x4',
  '0x4x4x4',
  '4xfour',
  '4x4x',
  '1e3x',
])("'%s' is not a shape of matmul", (text) => {
  expect(() => parseShape('matmul', text, 'cases[0].shape')).toThrow(InputError);
  expect(() => parseShape('matmul', text)).toThrow('MxNxK');
});

test.each([
  '1x4096x11008',
  '1,4096,11008',
  '1*4096*11008',
  '1X4096X11008',
  ' 1 x 4096 × 11008 ',
  'm=1 n=4096 k=11008',
  'K: 11008, M: 1, N: 4096',
])("'%s' is the shape 1x4096x11008", (text) => {
  expect(shapeText({ op: 'matmul', shape: parseShape('matmul', text) })).toBe('1x4096x11008');
});

test.each([
  ['m=1 n=8', 'k is missing'],
  ['m=1 n=8 q=4', 'no dimension q'],
  ['m=1 n=8 k=4 and more', 'is not a shape'],
])("'%s' is refused: %s", (text, why) => {
  expect(() => parseShape('matmul', text)).toThrow(why);
});

describe('what a dtype cannot store', () => {
  test('is a row that is no whole number of blocks, named by its dimension', () => {
    expect(faultOf('matmul', { m: 48, n: 48, k: 48 }, 'f16-q4')).toMatchObject({
      field: 'k',
      reason: 'k must be a multiple of 32: f16-q4 stores rows of B in blocks of as many',
    });
    expect(faultOf('matmul', { m: 5, n: 7, k: 64 }, 'f16-q4')).toBeNull();
    expect(faultOf('matmul', { m: 5, n: 7, k: 6 }, 'i8-nt')).toMatchObject({
      field: 'k',
      reason: 'k must be a multiple of 4: i8-nt stores rows of A in blocks of as many',
    });
  });

  test('is a B that an op does not have', () => {
    for (const dtype of ['f32-nt', 'f32-f16', 'i8-nt'] as const) {
      expect(faultOf('transpose', { rows: 4, cols: 4 }, dtype)).toMatchObject({ field: 'dtype' });
    }
  });
});
