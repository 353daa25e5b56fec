import { expect, it } from 'vitest';
import { rooflineText } from './devices';

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
  expect(text).toMatch(/f32 +62500$/m);
});

it('says so where copies tell of no cache', () => {
  expect(rooflineText({ ...survey, lastLevelCacheBytes: null })).toContain(
    'these copies cannot tell it',
  );
});
