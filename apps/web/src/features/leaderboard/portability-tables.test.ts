import { expect, it } from 'vitest';
import { shippingSummary } from './portability-tables';

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
