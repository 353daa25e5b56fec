import { describe, expect, it } from 'vitest';
import { changesIn, type Occasion } from './alarms';
import { turnsPrior } from './headline';

const occasion = (medianNs: number, i: number): Occasion => ({
  medianNs,
  lowNs: medianNs * 0.998,
  highNs: medianNs * 1.002,
  invocation: `process ${i}`,
  resultId: `result ${i}`,
});
const watched = (...times: number[]) => changesIn(times.map(occasion), known);
const known = { known: { relative: 0.002, df: 12, isShown: true }, leastChange: 1 };

describe('changes of a variant', () => {
  it('are what two invocations running agree on, and then its history', () => {
    const { changes, isSuspect } = watched(100, 100.1, 99.9, 100, 110, 110.2, 110.1, 110, 100, 100);
    expect(changes.map(({ verdict, occasions }) => [verdict, occasions[1].resultId])).toEqual([
      ['SLOW', 'result 5'],
      ['FAST', 'result 9'],
    ]);
    expect(changes[0]?.contrast.ratio).toBeCloseTo(100 / 110.1, 3);
    expect(changes[0]?.before.invocations).toBe(4);
    expect(isSuspect).toBe(false);
  });

  it('are not what one says, or what two say that do not agree', () => {
    expect(watched(100, 100, 100, 115)).toEqual({ changes: [], isSuspect: true });
    expect(watched(100, 100, 100, 115, 100)).toEqual({ changes: [], isSuspect: false });
    expect(watched(100, 100, 100, 115, 85).changes).toEqual([]);
    expect(watched(100, 100, 100, 115, 100, 115, 100).changes).toEqual([]);
  });

  it('need a history of two invocations, and two of one process are one', () => {
    expect(watched(100, 120)).toEqual({ changes: [], isSuspect: false });
    const ofOne = [100, 100, 100, 120, 120, 120].map((ns, i) => occasion(ns, Math.min(i, 3)));
    expect(changesIn(ofOne, known)).toEqual({ changes: [], isSuspect: true });
  });

  it('need more of a device that varies', () => {
    const times = [100, 108, 95, 103, 115, 112, 99, 92, 104, 111].map(occasion);
    const software = { known: turnsPrior('software'), leastChange: 1.5 };
    expect(changesIn(times, software)).toEqual({ changes: [], isSuspect: false });
    const loaded = [...times, occasion(160, 10), occasion(170, 11)];
    expect(changesIn(loaded, { ...software, leastChange: 1 }).changes).toHaveLength(1);
    expect(changesIn(loaded, software).changes).toEqual([]);
    const slow = [...times, occasion(310, 10), occasion(290, 11)];
    expect(changesIn(slow, software).changes).toHaveLength(1);
  });
});
