import { expect, it } from 'vitest';
import { headline, measured } from '../../server/test-results';
import { packHeadlines, unpackHeadlines } from './packed-headlines';

const tiled = (TILE: number) => ({ variant: { kernel: 'matmul/tiled', tunables: { TILE } } });
const small = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' } as const;

it('gives back every headline as it was', () => {
  const headlines = [
    headline({ ...tiled(8), outcome: measured(200, { roof: { ns: 50, bound: 'compute' } }) }),
    headline({ ...tiled(16), outcome: measured(300, { unranked: 'noisy' }) }),
    headline({ ...tiled(8), problem: small, device: { key: 'b', name: '<b>', class: 'software' } }),
    headline({ outcome: { kind: 'skipped', why: 'needs "shader-f16"' }, profile: 'fast' }),
    headline({ resultId: null, endedAt: '2026-11-21T12:00:00.000Z' }),
  ];
  expect(unpackHeadlines(packHeadlines(headlines))).toEqual(headlines);
});

it('writes what runs share once', () => {
  const packed = packHeadlines([8, 16, 8].map((TILE) => headline(tiled(TILE))));
  expect(packed.variants).toHaveLength(2);
  expect(packed.problems).toHaveLength(1);
  expect(packed.devices).toHaveLength(1);
});
