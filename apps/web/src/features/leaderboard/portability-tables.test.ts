import type { PortabilityReport } from '@tilemark/core';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PortabilityTables, shippingSummary } from './portability-tables';
import { boardQuerySchema } from './query';

const device = (name: string, partOfBest: number | null) => ({
  device: { key: name, name, class: 'gpu' as const },
  best: { address: 'x', resultId: 'r', medianNs: 1, provenNs: 1 },
  shipped:
    partOfBest === null
      ? null
      : { address: 'y', resultId: 's', medianNs: 2, provenNs: 2, partOfBest },
});
const summary = (...devices: ReturnType<typeof device>[]) =>
  shippingSummary({ address: 'y', devices }).replaceAll('\u202f', ' ');

it('says the cost of the median device and the highest', () => {
  expect(summary(device('A', 1), device('B', 0.8), device('C', 0.5))).toBe(
    'Costs the median device 25% more time, C the most: 100%.',
  );
});

it('says who has not measured it', () => {
  expect(summary(device('A', 1), device('B', null))).toBe(
    'Costs nothing on the only device that measured it; 1 device has not.',
  );
  expect(summary(device('B', null))).toBe('No device shown has measured it.');
});

it('marks variants of contributed kernels, and those alone', () => {
  const theirs = 'ada/mine@5bf46f97[BLOCK=8]';
  const ours = 'matmul/naive[BLOCK=16]';
  const variant = (address: string) => ({
    address,
    devices: 2,
    partOfBest: 0.5,
    isWide: true,
    worst: { device: device('A', 1).device, partOfBest: 0.5 },
  });
  const best = (address: string) => ({
    ...device('A', 1),
    best: { address, resultId: 'r', medianNs: 1, provenNs: 1 },
  });
  const report: PortabilityReport = {
    problem: { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' },
    profile: 'default',
    methodology: 2,
    problems: [],
    ...{
      groups: ['gpu'],
      unconfirmed: false,
      devices: 2,
      variants: [variant(theirs), variant(ours)],
    },
    shipping: { address: theirs, devices: [best(theirs), best(ours)] },
  };
  const html = renderToStaticMarkup(
    PortabilityTables({ report, query: boardQuerySchema.parse({}) }),
  );
  // In the list, as what is shipped, and as the best of a device.
  expect(html.match(/>contributed</g)).toHaveLength(3);
});
