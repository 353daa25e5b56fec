import { describe, expect, it } from 'vitest';
import { bisectedText } from './bisect';
import { bisectReleases, type Finding, fromUsableToUsable } from './search';

const releases = ['0.1.0', '0.1.2', '0.2.0', '0.2.10', '0.3.0', '0.3.1', '0.4.0'];

const dueled = (ratio: number): Finding => ({
  kind: 'dueled',
  verdict: ratio < 0.99 ? 'SLOW' : ratio > 1.01 ? 'FAST' : 'SAME',
  ratio,
  low: ratio * 0.999,
  high: ratio * 1.001,
  wouldTake: 1,
});
const wrong: Finding = {
  kind: 'ended',
  outcome: {
    kind: 'incorrect',
    when: 'before',
    worst: { row: 0, col: 0, got: 1, want: 0, bound: 0 },
  },
};

/** Bisects releases of which each is so many times as fast as the first. */
const bisected = (speeds: readonly (number | 'wrong' | 'unusable')[]) => {
  const speedOf = (release: string) => speeds[releases.indexOf(release)] ?? 1;
  return bisectReleases(releases, async (release, against) => {
    const [speed, other] = [speedOf(release), speedOf(against)];
    if (speed === 'unusable' || other === 'unusable') return null;
    if (speed === 'wrong' || other === 'wrong') return wrong;
    return dueled(speed / other);
  });
};

describe('the search for a change', () => {
  it.each([1, 2, 3, 4, 5, 6])('finds one that came with release %i', async (at) => {
    for (const changed of [0.8, 1.3, 'wrong'] as const) {
      const found = await bisected(releases.map((_, i) => (i < at ? 1 : changed)));
      expect(found.found).toBe(releases[at]);
      expect(found.held.at(-1)).toMatchObject({ release: releases[at], against: releases[at - 1] });
    }
  });

  it('says that the ends do not differ, and measures no others', async () => {
    const found = await bisected(releases.map(() => 1));
    expect(found).toMatchObject({ found: null, held: [{ release: '0.4.0', against: '0.1.0' }] });
    expect(bisectedText(found)).toBe('0.4.0 and 0.1.0 do not differ: there is nothing to bisect.');
  });

  it('passes over what differs otherwise', async () => {
    expect((await bisected([1, 1, 1.5, 1, 0.7, 0.7, 0.7])).found).toBe('0.3.0');
  });

  it('names those that it may also be, as they do not open the device', async () => {
    const found = await bisected([1, 1, 'unusable', 'unusable', 0.7, 'unusable', 0.7]);
    expect(found).toMatchObject({ found: '0.3.0', unusable: ['0.2.0', '0.2.10'] });
    expect(bisectedText(found)).toBe(
      'The first release that is slower than 0.1.0: 0.3.0, or of those that do not open the device: 0.2.0, 0.2.10.',
    );
  });
});

describe('the ends of the search', () => {
  const usable = (...unusable: string[]) =>
    fromUsableToUsable(releases, async (release) => !unusable.includes(release));

  it('are the oldest and the newest that open the device', async () => {
    expect(await usable('0.1.0', '0.1.2', '0.4.0')).toEqual(releases.slice(2, 6));
    expect(await usable(...releases.slice(0, 5))).toEqual(['0.3.1', '0.4.0']);
    expect(await usable()).toEqual(releases);
  });

  it('are one release, or none, where no other opens it', async () => {
    expect(await usable(...releases.slice(1))).toEqual(['0.1.0']);
    expect(await usable(...releases.slice(0, 6))).toEqual(['0.4.0']);
    expect(await usable(...releases)).toEqual([]);
  });
});
