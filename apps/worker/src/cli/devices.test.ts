import { expect, it } from 'vitest';
import { rooflineText } from './devices';
import { flagOf } from './on-device';

// Measuring a software adapter takes half a minute; `rooflines.test.ts` does it for a grid.
const survey = {
  copies: [
    { bytes: 2 ** 25, gigabytesPerSecond: 5610 },
    { bytes: 2 ** 29, gigabytesPerSecond: 4191 },
  ],
  lastLevelCacheBytes: 2 ** 25,
  peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 62_500 }],
};

it('shows bandwidth by working set, the cache that it implies, and peaks', () => {
  const text = rooflineText(survey);
  expect(text).toMatch(/32 MiB +5610$/m);
  expect(text).toMatch(/512 MiB +4191$/m);
  expect(text).toContain('Last-level cache: by these copies 32 MiB fit, 64 MiB do not.');
  expect(text).toMatch(/f32 +62500 GFLOP\/s$/m);
});

it('says so where copies tell of no cache', () => {
  expect(rooflineText({ ...survey, lastLevelCacheBytes: null })).toContain(
    'these copies cannot tell it',
  );
});

it('finds one of several equal cards by its bus id, and everything else as it is listed', () => {
  const identity = {
    vendor: 'nvidia',
    architecture: '',
    device: 'NVIDIA H200',
    class: 'gpu' as const,
    backend: 'vulkan',
    runtime: 'dawn',
  };
  const card = { busId: '0000:01:07.0', uuid: 'GPU-001' };
  const cards = [0, 1].map((minor) => ({
    name: 'NVIDIA H200',
    busId: `0000:0${minor}:07.0`,
    uuid: `GPU-00${minor}`,
    minor,
  }));
  expect(flagOf({ flag: '1', identity, card }, cards)).toBe('0000:01:07.0');
  expect(flagOf({ flag: '1', identity, card }, cards.slice(1))).toBe('1');
  expect(flagOf({ flag: '0', identity }, [])).toBe('0');
  expect(flagOf(undefined, cards)).toBeUndefined();
});
