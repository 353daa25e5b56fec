import { expect, it } from 'vitest';
import { duelCommand } from './reproduce';

const RESULT = {
  resultId: 'r1',
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16, A_LAYOUT: 'col' } },
  problem: { op: 'matmul', shape: { m: 512, n: 256, k: 128 }, dtype: 'f32' },
  profile: 'fast',
} as const;

const VERSION = 'ada/mine@1a2b3c4d';

it('names the grid that keeps a contributed kernel', () => {
  const mine = { ...RESULT, variant: { kernel: VERSION, tunables: {} } } as const;
  const device = { key: 'cpu', name: 'CPU', class: 'cpu' } as const;
  const a = { ...mine, device, address: VERSION };
  const b = { ...RESULT, device, address: 'matmul/naive' };
  expect(duelCommand(b, a, 'https://grid.test')).toMatch(/ --server https:\/\/grid.test$/);
});

it('lets two variants of one device take turns, and others not', () => {
  const device = { key: 'cpu', name: 'CPU', class: 'cpu' } as const;
  const a = { ...RESULT, device, address: 'matmul/tiled[TILE=16]' };
  const b = { ...a, address: 'matmul/naive' };
  expect(duelCommand(a, b, 'https://grid.test')).toBe(
    "npx -y https://grid.test/worker.tgz duel 'matmul/tiled[TILE=16]' 'matmul/naive' --shape 512x256x128 --dtype f32 --profile fast",
  );
  expect(duelCommand(a, a, 'https://grid.test')).toBeNull();
  const elsewhere = { ...b, device: { ...device, key: 'gpu' } };
  expect(duelCommand(a, elsewhere, 'https://grid.test')).toBeNull();
  expect(duelCommand(a, { ...b, profile: 'default' }, 'https://grid.test')).toBeNull();
});
