import type { PortabilityReport } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PortabilityTables } from './portability-tables';
import { boardQuerySchema } from './query';

it('marks variants of contributed kernels, and those alone', () => {
  const theirs = 'ada/mine@5bf46f97[BLOCK=8]';
  const ours = 'matmul/naive[BLOCK=16]';
  const variant = (address: string) => ({
    address,
    devices: 2,
    partOfBest: 0.5,
    isWide: true,
    worst: { device: { key: 'A', name: 'A', class: 'gpu' as const }, partOfBest: 0.5 },
  });
  const report: PortabilityReport = {
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile: 'default',
    licence: 'CC0-1.0',
    methodology: 2,
    problems: [],
    ...{
      groups: ['gpu'],
      devices: 2,
      variants: [variant(theirs), variant(ours)],
    },
  };
  const html = renderToStaticMarkup(
    PortabilityTables({ report, query: boardQuerySchema.parse({}) }),
  );
  expect(html.match(/>contributed</g)).toHaveLength(1);
});
