import type { HeatMap, ReferenceFigure } from '@tilemark/core';
import { expect, test } from 'vitest';
import { isSameFigure, rowsBeside } from './reference-figure';

const by = { kind: 'kernel', kernel: 'matmul/tiled', address: 'matmul/tiled[TILE=32]' } as const;
const rate = { value: 8184.123456789012, unit: 'GFLOP/s' as const };

test('a figure is the result it was taken from, whatever digits a bundler left', () => {
  const result = { address: by.address, rate: { ...rate, value: 8184.12345678901 } };
  expect(isSameFigure({ by, rate }, result)).toBe(true);
  expect(isSameFigure({ by, rate }, { ...result, rate: { ...rate, value: 8184.2 } })).toBe(false);
  expect(isSameFigure({ by, rate }, { ...result, address: 'matmul/tiled[TILE=16]' })).toBe(false);
  expect(isSameFigure({ by, rate }, { ...result, rate: null })).toBe(false);
});

test('a row of reference is whole, or absent where the map shows all of its figures', () => {
  const figure = (address: string, value: number) =>
    ({ by: { ...by, address }, rate: { ...rate, value } }) as ReferenceFigure;
  const own = [figure('matmul/tiled[TILE=32]', 8184), figure('matmul/naive[BLOCK=16]', 2604)];
  const reference = new Map([['NVIDIA H200', own]]);
  const row = (name: string, of: readonly ReferenceFigure[]) =>
    ({
      device: { name },
      cells: of.map((each) => ({ address: (each.by as typeof by).address, rate: each.rate })),
    }) as HeatMap['rows'][number];
  expect(rowsBeside(reference, [row('NVIDIA H200', own.slice(0, 1))])).toEqual(reference);
  expect(rowsBeside(reference, [row('NVIDIA L4', own)])).toEqual(reference);
  expect(rowsBeside(reference, [row('NVIDIA H200', own)])).toEqual(new Map());
});
