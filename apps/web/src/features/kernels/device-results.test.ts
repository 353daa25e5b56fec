import type { KernelResults } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { DeviceResults } from './device-results';

const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'i32' } as const;
const row = {
  device: { key: 'acme', name: 'Acme 1', class: 'gpu' },
  address: 'matmul/tiled[TILE=16]',
  resultId: 'r',
  ...{ medianNs: 1e6, lowNs: 1e6, highNs: 1e6, provenNs: 1e6 },
  rate: { value: 0.5, unit: 'Gop/s' },
  unranked: 'its clock moved',
  roofShare: null,
  imported: null,
};
const chosen = { problem, profile: 'default', devices: 1 };
const results = { chosen, problems: [chosen], rows: [row] } as unknown as KernelResults;

const text = renderToStaticMarkup(DeviceResults({ results, keep: {}, isAll: true }) ?? '');

test('a result that is not ranked says so, and why', () => {
  expect(text).toContain('Not ranked: its clock moved');
});

test('the heading of a rate has the unit of its element type', () => {
  expect(text).toContain('Gop/s, higher is better');
});
