import { expect, test } from 'vitest';
import { measuredRun } from '../../../server/results.test-helper';
import { type Best, unresolved } from './tunable-charts';

const point = (y: string, x: string, lowNs: number, highNs: number): Best => {
  const run = measuredRun((lowNs + highNs) / 2);
  return { x, y, run: { ...run, figures: { ...run.figures, lowNs, highNs } } };
};

test('names the tunables whose difference may be noise', () => {
  const noisy = [point('TILE', '8', 100, 300), point('TILE', '16', 250, 900)];
  const clear = [point('UNROLL', '1', 100, 110), point('UNROLL', '4', 120, 130)];
  expect(unresolved([...noisy, ...clear])).toEqual(['TILE']);
  expect(unresolved(clear)).toEqual([]);
});
