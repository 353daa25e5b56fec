import { expect, it } from 'vitest';
import { duelCommand, reproduceCommands } from './reproduce';

const RESULT = {
  resultId: 'r1',
  variant: { kernel: 'matmul/tiled', tunables: { TILE: 16, A_LAYOUT: 'col' } },
  problem: { op: 'matmul', shape: { m: 512, n: 256, k: 128 }, dtype: 'f32' },
  profile: 'fast',
} as const;

it('passes each tunable in a flag of its own', () => {
  const { bench, rerun } = reproduceCommands({ ...RESULT, policy: 'default' }, 'https://grid.test');
  expect(bench).toBe(
    'npx -y https://grid.test/worker.tgz bench --kernel matmul/tiled --tunable TILE=16 --tunable A_LAYOUT=col --shape 512x256x128 --dtype f32 --profile fast',
  );
  expect(rerun).toBe('npx -y https://grid.test/worker.tgz rerun r1 --server https://grid.test');
});

it('names a policy other than the default', () => {
  const { bench } = reproduceCommands({ ...RESULT, policy: 'smoke' }, 'https://grid.test');
  expect(bench).toContain('--profile fast --policy smoke');
});

it('names a regime, whose results take turns among themselves alone', () => {
  const large = { ...RESULT, problem: { ...RESULT.problem, regime: 'large' } } as const;
  const { bench } = reproduceCommands({ ...large, policy: 'default' }, 'https://grid.test');
  expect(bench).toContain('--dtype f32 --regime large --profile fast');
  const device = { key: 'cpu', name: 'CPU', class: 'cpu' } as const;
  const a = { ...large, device, address: 'matmul/tiled[TILE=16]' };
  expect(duelCommand(a, { ...a, address: 'matmul/naive' }, 'https://grid.test')).toContain(
    '--dtype f32 --regime large',
  );
  const usual = { ...RESULT, device, address: 'matmul/naive' };
  expect(duelCommand(a, usual, 'https://grid.test')).toBeNull();
});

it('names an epilogue', () => {
  const fused = { ...RESULT, problem: { ...RESULT.problem, epilogue: 'bias-relu' } } as const;
  const { bench } = reproduceCommands({ ...fused, policy: 'default' }, 'https://grid.test');
  expect(bench).toContain('--dtype f32 --epilogue bias-relu --profile fast');
});

const VERSION = 'ada/mine@1a2b3c4d';

it('names the grid that keeps a contributed kernel', () => {
  const mine = { ...RESULT, variant: { kernel: VERSION, tunables: {} } } as const;
  const { bench } = reproduceCommands({ ...mine, policy: 'default' }, 'https://grid.test');
  expect(bench).toContain(`--kernel ${VERSION} --shape`);
  expect(bench).toMatch(/ --server https:\/\/grid.test$/);
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
