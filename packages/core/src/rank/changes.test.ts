import { describe, expect, it } from 'vitest';
import { changesIn, type Visited } from './changes';

const visited = (software: string, ...times: (number | null)[]): Visited[] =>
  times.map((medianNs, i) => ({
    invocation: `${software} ${i}`,
    software,
    time:
      medianNs === null ? null : { medianNs, lowNs: medianNs * 0.998, highNs: medianNs * 1.002 },
  }));
const kinds = (...results: Visited[][]) =>
  changesIn([results.flat()], 'gpu').map(({ after, before, kind }) => [
    before.invocation,
    kind,
    after.invocation,
  ]);

describe('changes of a variant', () => {
  it('are verdicts between one version and the next', () => {
    const found = [
      visited('1', 100, 100.1, 99.9),
      visited('2', 110, 110.2, 109.9),
      visited('3', 100, 100.1, 99.8),
    ];
    expect(kinds(...found)).toEqual([
      ['1 2', 'SLOW', '2 0'],
      ['2 2', 'FAST', '3 0'],
    ]);
    const [change] = changesIn([found.flat()], 'gpu');
    expect(change?.contrast?.ratio).toBeCloseTo(100 / 110, 3);
  });

  it('are not what varies under one version, or within the margin', () => {
    expect(kinds(visited('1', 100, 115, 100, 115))).toEqual([]);
    expect(kinds(visited('1', 100, 115, 100), visited('2', 115, 100, 115))).toEqual([]);
    expect(kinds(visited('1', 100, 100, 100), visited('2', 100.4, 100.3, 100.3))).toEqual([]);
  });

  it('need more of one visit, unless other variants show how little visits vary', () => {
    const once = [...visited('1', 100), ...visited('2', 105)];
    expect(changesIn([once], 'gpu')).toEqual([]);
    const steady = [1, 2, 3, 4].map(() => [
      ...visited('1', 100, 100.05, 100),
      ...visited('2', 100, 100.05, 100),
    ]);
    expect(changesIn([once, ...steady], 'gpu')).toMatchObject([{ kind: 'SLOW' }]);
    expect(changesIn([once, ...steady], 'software')).toEqual([]);
  });

  it('count one invocation once, as it was last', () => {
    const same = visited('2', 130, 100, 100.1).map((result, i) => ({
      ...result,
      invocation: i < 2 ? 'same' : 'other',
    }));
    expect(kinds(visited('1', 100, 100, 100), same)).toEqual([]);
  });

  it('are wrong results where the version before had right ones', () => {
    const wrong = kinds(visited('1', 100), visited('2', 100, null), visited('3', null));
    expect(wrong).toEqual([
      ['1 0', 'INCORRECT', '2 1'],
      ['2 0', 'INCORRECT', '3 0'],
    ]);
    expect(kinds(visited('1', null), visited('2', null))).toEqual([]);
  });
});
