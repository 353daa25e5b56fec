import { expect, test } from 'vitest';
import { InputError } from './errors';
import { parseShape, shapeText } from './shape';

test('a square is one number, anything else its dimensions in order', () => {
  expect(shapeText({ op: 'matmul', shape: { m: 512, n: 512, k: 512 } })).toBe('512');
  expect(shapeText({ op: 'matmul', shape: { m: 512, n: 256, k: 128 } })).toBe('512x256x128');
  expect(shapeText({ op: 'transpose', shape: { rows: 3072, cols: 4096 } })).toBe('3072x4096');
});

test('what is written is read back', () => {
  expect(parseShape('matmul', '512x256x128')).toEqual({ m: 512, n: 256, k: 128 });
  expect(parseShape('matmul', '64')).toEqual({ m: 64, n: 64, k: 64 });
  expect(parseShape('transpose', '3072x4096')).toEqual({ rows: 3072, cols: 4096 });
});

test.each(['', 'x', '0', '-4', '1.5', '65537', '4x4', '4x4x4x4', '4xfour', '4x4x', '1e3x'])(
  "'%s' is not a shape of matmul",
  (text) => {
    expect(() => parseShape('matmul', text, 'cases[0].shape')).toThrow(InputError);
    expect(() => parseShape('matmul', text)).toThrow('MxNxK');
  },
);
