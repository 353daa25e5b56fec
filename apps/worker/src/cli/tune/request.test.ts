import { expect, it } from 'vitest';
import { commandLine, tuneRequest } from './request';

const common = { dtype: 'f32', budget: 300e9, profile: 'default', seed: 1 } as const;
const rest = '--shape 64 --dtype f32 --budget 300s --profile default --seed 1';

it.each([
  [{ op: 'matmul', tunable: ['BM=64', 'BN=64'] }, '--op matmul', '--tunable BM=64 BN=64'],
  [{ wgsl: ['my.wgsl'] }, '', '--wgsl my.wgsl'],
  [
    { epilogue: 'bias-relu', kernel: ['matmul/naive'] },
    '',
    '--epilogue bias-relu --kernel matmul/naive',
  ],
  [
    { kernel: ['ada/mine@00000000'], server: 'http://grid.example', token: 'tm_member_x' },
    '',
    '--kernel ada/mine@00000000 --server http://grid.example',
  ],
] as const)(
  '%j: names the op only if it was named, and where its kernels are from, but no token',
  (flags, op, kernels) => {
    const words = ['tilemark tune', op, rest, kernels].filter((part) => part !== '');
    expect(commandLine({ ...common, shape: '64', ...flags })).toBe(words.join(' '));
  },
);

it('searches with the epilogue asked for, or says why there is none', () => {
  const flags = {
    ...common,
    kernel: ['matmul/naive'],
    shape: '64',
    epilogue: 'bias-relu',
  } as const;
  expect(tuneRequest(flags).problem).toMatchObject({ epilogue: 'bias-relu' });
  expect(() => tuneRequest({ ...flags, dtype: 'i32' })).toThrow(
    expect.objectContaining({ field: '--epilogue' }),
  );
});
