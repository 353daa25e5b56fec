import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { kernelDetail } from '@/server/catalogue';
import { WorkedExample } from './worked-example';

const htmlOf = (id: string, chosen: Record<string, string> = {}) =>
  renderToStaticMarkup(createElement(WorkedExample, { kernel: kernelDetail(id, chosen) }));
/** What is drawn, by what is said of it. */
const drawnIn = (html: string) => [...html.matchAll(/aria-label="([^"]*)"/g)].map(([, of]) => of);

test('draws each step of one workgroup, whatever the tile, and the sum of a thread', () => {
  const html = htmlOf('matmul/tiled', { TILE: '32', UNROLL: 'full' });
  expect(html.match(/<h3>/g)).toHaveLength(2);
  expect(html).toContain('0 + 40 × 2 + 41 × 10 + 42 × 18 + 43 × 26 = 2,364');
  expect(html).toContain('2,364 + 44 × 34 + 45 × 42 + 46 × 50 + 47 × 58 = 10,776');
  expect(drawnIn(html)).toHaveLength(10);
});

test('draws a transposed tile as it lies in workgroup memory', () => {
  const tileOfB = (chosen: Record<string, string>) =>
    drawnIn(htmlOf('matmul/tiled', chosen)).find((of) => of?.startsWith('tile of B'));
  expect(tileOfB({ B_LAYOUT: 'row' })).toMatch(/^tile of B: 0, 1, 2, 3, 8, /);
  expect(tileOfB({ B_LAYOUT: 'col' })).toMatch(/^tile of B: 0, 8, 16, 24, 1, /);
});

test('draws nothing of a kernel that was not recorded', () => {
  expect(htmlOf('matmul/naive')).toBe('');
});
