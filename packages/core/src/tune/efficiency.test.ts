import { parseProblem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { efficiencyMap } from './efficiency';

const survey = {
  // The first one is a cache: not what cold times are held to.
  copies: [
    { bytes: 2 ** 20, gigabytesPerSecond: 3000 },
    { bytes: 2 ** 29, gigabytesPerSecond: 1000 },
  ],
  lastLevelCacheBytes: null,
  peaks: [{ dtype: 'f32' as const, gigaflopsPerSecond: 10_000 }],
};
const large = parseProblem({ op: 'matmul', shape: '1024x1024x1024', dtype: 'f32' });
const row = parseProblem({ op: 'matmul', shape: '1x1024x1024', dtype: 'f32' });
const times = [
  { problem: large, address: 'matmul/naive', ns: 2e6 },
  { problem: large, address: 'matmul/tiled[TILE=16]', ns: 5e5 },
  { problem: large, address: 'matmul/tiled[TILE=8]', ns: 1e6 },
  { problem: row, address: 'matmul/naive', ns: 1e4 },
];

it('holds the best of each kernel against the roof that binds', () => {
  const map = efficiencyMap(times, survey);
  if ('why' in map) throw new Error(map.why);
  const [big, thin] = map.cells;
  expect(big?.kernels.map(({ kernel, behind, bound }) => [kernel, behind, bound])).toEqual([
    ['matmul/tiled', 1, 'compute'],
    ['matmul/naive', 4, 'compute'],
  ]);
  // 2 x 1024^3 operations at 10 per us x 1000.
  expect(big?.kernels[0]?.part).toBeCloseTo(2 ** 31 / 10_000 / 5e5, 10);
  expect(thin?.kernels[0]).toMatchObject({ kernel: 'matmul/naive', bound: 'bandwidth' });
  // A, B, and C once, at 1000 bytes per ns.
  expect(thin?.kernels[0]?.part).toBeCloseTo((4 * (1024 + 2 ** 20 + 1024)) / 1000 / 1e4, 10);
});

it('says why there is no map', () => {
  expect(efficiencyMap([], survey)).toEqual({ why: expect.stringContaining('No times') });
  expect(efficiencyMap(times, undefined)).toEqual({ why: expect.stringContaining('roofline') });
  const address = 'matmul/subgroup-matrix';
  const half = parseProblem({ op: 'matmul', shape: '1024x1024x1024', dtype: 'f16' });
  expect(efficiencyMap([{ problem: half, address, ns: 1e5 }], survey)).toEqual({
    why: expect.stringContaining('matrix units'),
  });
  expect(efficiencyMap(times, { ...survey, peaks: [] })).toEqual({
    why: expect.stringContaining('peak rate of f32'),
  });
});
