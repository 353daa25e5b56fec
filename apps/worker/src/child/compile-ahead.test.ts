import { createHostExecutor, type Executor } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { CompileAhead } from './compile-ahead';

const next = {
  variant: { kernel: 'matmul/tiled', tunables: {} },
  problem: { op: 'matmul', shape: { m: 1, n: 1, k: 1 }, dtype: 'f32' },
} as const;

function aheadOn(
  deviceClass: 'gpu' | 'software',
  kind: Executor['timer']['kind'],
  compile: Executor['compile'],
): CompileAhead {
  const executor: Executor = { ...createHostExecutor(), timer: { kind, tickNs: 1 }, compile };
  const identity = {
    vendor: '',
    architecture: '',
    device: '',
    backend: 'vulkan',
    runtime: 'dawn',
    class: deviceClass,
  } as const;
  return new CompileAhead({ executor, identity });
}

it.each([
  ['gpu', 'timestamp', 1],
  ['gpu', 'wall', 0],
  ['software', 'timestamp', 0],
] as const)('on a device of class %s timed by %s it compiles %i', async (of, timer, expected) => {
  let compiled = 0;
  const ahead = aheadOn(of, timer, async () => void compiled++);
  ahead.begin(next);
  await ahead.idle();
  expect(compiled).toBe(expected);
});

it('is idle when what was begun has ended, also in an error', async () => {
  let fail = (_: Error) => {};
  const ahead = aheadOn('gpu', 'timestamp', () => new Promise((_, reject) => (fail = reject)));
  ahead.begin(next);
  let isIdle = false;
  const idle = ahead.idle().then(() => (isIdle = true));
  await new Promise(setImmediate);
  expect(isIdle).toBe(false);
  fail(new Error('no'));
  await idle;
});
