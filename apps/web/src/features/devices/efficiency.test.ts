import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Efficiency, evidenceOf, hasMap } from './efficiency';

const html = (kernel: string, isOpen = false) =>
  renderToStaticMarkup(
    createElement(Efficiency, { files: evidenceOf(kernel), kernel, layers: { isOpen, href: '?' } }),
  );

test('layers of language models are offered where a kernel has times of them', () => {
  expect(html('matmul/stream-k')).toContain('Show tokens × layers');
  expect(html('matmul/stream-k', true)).toContain('Efficiency by tokens and layer');
  for (const kernel of ['matmul/subgroup-matrix', 'matmul/few-cols', 'transpose/swizzled']) {
    expect(evidenceOf(kernel), kernel).not.toEqual([]);
    expect(html(kernel), kernel).not.toContain('Show tokens × layers');
    expect(html(kernel, true), kernel).not.toMatch(/Hide the layers|by tokens and layer/);
  }
});

test('files without a map for the same reason are named together', () => {
  const text = html('matmul/subgroup-matrix');
  expect(text.match(/no map/g)).toHaveLength(1);
  expect(text).toContain('f16 and f16acc16: no map');
});

test('a map is offered of kernels that have one', () => {
  expect(['matmul/warp-tile', 'transpose/swizzled'].map(hasMap)).toEqual([true, true]);
  expect(['matmul/subgroup-matrix', 'matmul/naive'].map(hasMap)).toEqual([false, false]);
});
