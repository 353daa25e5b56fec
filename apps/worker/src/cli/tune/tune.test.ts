import { describe, expect, it } from 'vitest';
import { NAIVE, useTune } from './tune.test-helper';

const { tune } = useTune();

describe('tilemark tune', () => {
  it.each([
    ['no op', [], /--op/],
    ['an unknown op', ['--op', 'sum'], /--op .*matmul, transpose/],
    ['a budget without a unit', [...NAIVE, '--budget', '5'], /--budget .*90s, 5m/],
    ['a kernel of another op', [...NAIVE, 'matmul/tiled'], /--kernel: .*computes matmul/],
    ['a name without a value', [...NAIVE, '--tunable', 'BLOCK'], /--tunable: .*NAME=VALUE/],
    ['a value that is not declared', [...NAIVE, '--tunable', 'BLOCK=5'], /--tunable: .*1, 2, 4/],
    ['a tunable that no kernel has', [...NAIVE, '--tunable', 'X=5'], /--tunable: .*BLOCK/],
    ['a host kernel on a GPU', ['--op', 'matmul', '--kernel', 'matmul/cpu-naive'], /--kernel: /],
    ['an unknown epilogue', [...NAIVE, '--epilogue', 'softmax'], /--epilogue .*bias-relu/],
    [
      'an epilogue of a suite',
      ['--suite', 'decode-shapes', '--save', 'x', '--epilogue', 'relu'],
      /--epilogue: the selector knows products alone/,
    ],
    ['an invalid seed', [...NAIVE, '--seed', 'x'], /--seed /],
  ])('refuses %s with one line and code 2', async (_what, args, message) => {
    const { code, stdout, stderr } = await tune(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });
});
