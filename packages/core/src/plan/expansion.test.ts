import { InputError, variantAddress } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from '../measure/device';
import { countRuns } from './counts';
import { expand } from './expansion';
import { type PlannableDevice, specSchema } from './spec';

const MiB = 2 ** 20;

const gpu: PlannableDevice = { key: 'gpu-a', class: 'gpu', capabilities: PLAIN_WEBGPU };
const software: PlannableDevice = { key: 'soft-b', class: 'software', capabilities: PLAIN_WEBGPU };
const cpu: PlannableDevice = { key: 'cpu-c', class: 'cpu', capabilities: PLAIN_WEBGPU };
const DEVICES = [gpu, software, cpu];

const square = { m: 64, n: 64, k: 64 };
const naive = { kernel: 'matmul/naive', shapes: [square] };
const host = { kernel: 'matmul/cpu-naive', shapes: [square] };
const spec = (input: unknown) => specSchema.parse(input);

const failure = (act: () => unknown): InputError => {
  try {
    act();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('expected an InputError');
};

describe('expand', () => {
  it('multiplies tunables, shapes, dtypes, profiles and devices', () => {
    const runs = expand(
      spec({
        cases: [
          {
            kernel: 'matmul/naive',
            tunables: { BLOCK: [8, 16], MAPPING: ['col-x', 'row-x'] },
            shapes: [square, { m: 31, n: 7, k: 5 }],
            dtypes: ['f32', 'i32'],
          },
        ],
        profiles: ['default', 'fast'],
      }),
      DEVICES,
    );
    expect(runs).toHaveLength(2 * 2 * 2 * 2 * 2 * 2);
    expect(runs[0]).toEqual({
      variant: { kernel: 'matmul/naive', tunables: { BLOCK: 8, MAPPING: 'col-x' } },
      address: 'matmul/naive[BLOCK=8,MAPPING=col-x]',
      problem: { op: 'matmul', shape: square, dtype: 'f32' },
      profile: 'default',
      policy: 'default',
      deviceKey: 'gpu-a',
    });
  });

  it('puts all sums through the epilogue of the spec', () => {
    const [run] = expand(spec({ cases: [naive], epilogue: 'bias-relu' }), [gpu]);
    expect(run?.problem).toMatchObject({ shape: square, epilogue: 'bias-relu' });
    expect(specSchema.safeParse({ cases: [naive], epilogue: 'softmax' }).success).toBe(false);
    const counted = countRuns(spec({ cases: [naive, host], epilogue: 'relu' }), DEVICES);
    expect(counted.skipped).toEqual([
      { why: 'computes the product alone, without an epilogue', runs: 1 },
    ]);
  });

  it('plans a batch, and one product where a batch has one', () => {
    const shapes = [{ b: 4, ...square }, { b: 1, ...square }, square];
    const runs = expand(spec({ cases: [{ ...naive, shapes }] }), [DEVICES[0]!]);
    expect(runs.map(({ problem }) => problem.shape)).toEqual([{ b: 4, ...square }, square]);
  });

  it('sends host kernels to CPUs under one profile, and GPU kernels elsewhere', () => {
    const runs = expand(spec({ cases: [naive, host], profiles: ['default', 'fast'] }), DEVICES);
    const pairs = runs.map((run) => [run.variant.kernel, run.deviceKey, run.profile].join(' '));
    expect(pairs).toEqual([
      'matmul/naive gpu-a default',
      'matmul/naive gpu-a fast',
      'matmul/naive soft-b default',
      'matmul/naive soft-b fast',
      'matmul/cpu-naive cpu-c default',
    ]);
  });

  it('plans a run asked for twice once, also where one spells a default out', () => {
    const runs = expand(
      spec({
        cases: [naive, { ...naive, tunables: { BLOCK: [16, 16] } }],
        profiles: ['default', 'default'],
        devices: ['gpu-a', 'gpu-a'],
      }),
      DEVICES,
    );
    expect(runs).toHaveLength(1);
  });

  it('plans the duels of a variant with several rivals, each once', () => {
    const against = (kernel: string, tunables = {}) => ({ ...naive, rival: { kernel, tunables } });
    const runs = expand(
      spec({
        cases: [
          naive,
          against('matmul/tiled'),
          against('matmul/tiled', { TILE: 32 }),
          against('matmul/tiled', { TILE: 16 }),
        ],
      }),
      [gpu],
    );
    expect(runs.map(({ rival }) => rival && variantAddress(rival.variant))).toEqual([
      undefined,
      variantAddress({ kernel: 'matmul/tiled', tunables: {} }),
      variantAddress({ kernel: 'matmul/tiled', tunables: { TILE: 32 } }),
    ]);
  });

  it('plans what fits on only some of the devices', () => {
    const large: PlannableDevice = {
      key: 'large',
      class: 'gpu',
      capabilities: {
        ...PLAIN_WEBGPU,
        maxStorageBufferBindingSize: 2048 * MiB,
        maxBufferSize: 2048 * MiB,
      },
    };
    const shapes = [{ m: 8192, n: 8192, k: 8192 }];
    expect(expand(spec({ cases: [{ ...naive, shapes }] }), [gpu, large])).toHaveLength(2);
  });

  it.each([
    [
      'an unknown kernel',
      { cases: [naive, { ...naive, kernel: 'matmul/nope' }] },
      'cases[1].kernel',
      /matmul\/naive/,
    ],
    [
      'an undeclared tunable',
      { cases: [{ ...naive, tunables: { TILE: [16] } }] },
      'cases[0].tunables.TILE',
      /BLOCK/,
    ],
    [
      'an undeclared value',
      { cases: [{ ...naive, tunables: { BLOCK: [16, 17] } }] },
      'cases[0].tunables.BLOCK',
      /1, 2, 4, 8, 16, 32/,
    ],
    [
      'a dtype the kernel lacks',
      { cases: [{ ...host, dtypes: ['f32', 'f16'] }] },
      'cases[0].dtypes[1]',
      /f32, i32/,
    ],
    [
      'a shape of the other op',
      { cases: [{ ...naive, shapes: [square, { rows: 4, cols: 4 }] }] },
      'cases[0].shapes[1]',
      /m, n, k/,
    ],
    [
      'a shape too large for every device',
      { cases: [{ ...naive, shapes: [{ m: 8192, n: 8192, k: 8192 }] }] },
      'cases[0].shapes[0]',
      /needs 256\.01 MiB in one buffer.*128 MiB/,
    ],
    [
      'an unknown device',
      { cases: [naive], devices: ['gpu-a', 'gpu-z'] },
      'devices[1]',
      /gpu-a, soft-b, cpu-c/,
    ],
    [
      'a host kernel without a CPU',
      { cases: [host], devices: ['gpu-a'] },
      'devices',
      /host kernels a CPU/,
    ],
  ])('names the field of %s', (_what, input, field, message) => {
    const error = failure(() => expand(spec(input), DEVICES));
    expect(error.field).toBe(field);
    expect(error.message).toMatch(message);
  });

  it('refuses a sweep without devices', () => {
    expect(failure(() => expand(spec({ cases: [naive] }), [])).field).toBe('devices');
  });

  it('refuses too many runs and says the limit and the count, without enumerating them', () => {
    const shapes = Array.from({ length: 64 }, (_, i) => ({ m: i + 1, n: 64, k: 64 }));
    const tunables = {
      TILE: [1, 2, 4, 8, 16, 32],
      A_LAYOUT: ['row', 'col'],
      B_LAYOUT: ['row', 'col'],
      MAPPING: ['col-x', 'row-x'],
    };
    const input = spec({
      cases: [{ kernel: 'matmul/tiled', tunables, shapes, dtypes: ['f32', 'i32', 'f16'] }],
      profiles: ['default', 'fast'],
    });
    const error = failure(() => expand(input, DEVICES));
    expect(error.field).toBe('cases');
    expect(error.message).toMatch(/36864 runs; the limit is 20000/);
    expect(countRuns(input, DEVICES)).toEqual({
      runs: 36_864,
      isTooMany: true,
      skipped: [],
      devices: [],
    });
  });
});
