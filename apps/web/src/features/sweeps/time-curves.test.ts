import { describe, expect, it } from 'vitest';
import { logLabels } from './time-curves';

const ticks = [0.5, 0.9, 1, 2, 3, 5, 9, 10, 20, 200, 1000];

describe('logLabels', () => {
  it('labels 1, 2 and 5 of a decade where few decades are shown', () => {
    const label = logLabels(0.9, 4);
    expect(ticks.map(label)).toEqual(['0.5', '', '1', '2', '', '5', '', '10', '20', '200', '1000']);
  });

  it('labels decades alone where many are', () => {
    const label = logLabels(0.01, 1000);
    expect(ticks.map(label)).toEqual(['', '', '1', '', '', '', '', '10', '', '', '1000']);
  });
});
