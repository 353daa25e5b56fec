import { expect, test } from 'vitest';
import { isSameFigure } from './reference-figure';

const by = { kind: 'kernel', kernel: 'matmul/tiled', address: 'matmul/tiled[TILE=32]' } as const;
const rate = { value: 8184.123456789012, unit: 'GFLOP/s' as const };

test('a figure is the result it was taken from, whatever digits a bundler left', () => {
  const result = { address: by.address, rate: { ...rate, value: 8184.12345678901 } };
  expect(isSameFigure({ by, rate }, result)).toBe(true);
  expect(isSameFigure({ by, rate }, { ...result, rate: { ...rate, value: 8184.2 } })).toBe(false);
  expect(isSameFigure({ by, rate }, { ...result, address: 'matmul/tiled[TILE=16]' })).toBe(false);
  expect(isSameFigure({ by, rate }, { ...result, rate: null })).toBe(false);
});
