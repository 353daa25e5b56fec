import { describe, expect, test } from 'vitest';
import { limitsOf, openDevice, useExecutor } from '../gpu/dawn.test-helper';
import { feasible } from '../kernel/feasible';
import type { Kernel } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { specialise } from '../kernel/specialise';
import { resolveVariant } from '../kernel/variant';
import type { Dtype } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { inputTensors } from '../verify/inputs';
import { subgroupMatrix } from './08-subgroup-matrix';
import { subgroupMatrixShort } from './15-subgroup-matrix-short';
import { subgroupMatrixBytes } from './16-subgroup-matrix-bytes';
import { emulated } from './emulated-fragments.test-helper';
import { verify } from './product.test-helper';

// Dawn's null adapter runs nothing and has every feature: it tells whether a shader is valid.
test.each([
  ['subgroup-matrix', subgroupMatrix],
  ['subgroup-matrix-short', subgroupMatrixShort],
  ['subgroup-matrix-bytes', subgroupMatrixBytes],
])('the shader of every variant of %s is valid', async (_id, kernel) => {
  const { device } = await openDevice(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
  const { tunables: defaults } = resolveVariant(kernel.id);
  const variants = kernel.tunables
    .flatMap(({ name, values }) => values.map((value) => ({ ...defaults, [name]: value })))
    .filter((values) => kernel.constraints.every(({ holds }) => holds(values)));
  expect(variants.length).toBeGreaterThan(kernel.tunables.length);
  const cases = variants.flatMap((values) =>
    kernel.dtypes.flatMap((dtype) =>
      [false, true].map((isBatch) => [values, dtype, isBatch] as const),
    ),
  );
  for (const [tunables, dtype, isBatch] of cases) {
    const code = specialise(kernel, tunables, dtype, { batched: isBatch });
    const module = device.createShaderModule({ code });
    const { messages } = await module.getCompilationInfo();
    const { address } = resolveVariant(kernel.id, tunables);
    expect(
      messages.map(({ message }) => message),
      address,
    ).toEqual([]);
  }
  device.destroy();
});

test('a device without matrices of its shape is told which it lacks', async () => {
  const { device } = await openDevice();
  const limits = { ...limitsOf(device), features: ['shader-f16', 'subgroups'] };
  const shape = { m: 64, n: 64, k: 64 };
  const verdict = feasible(
    { kernel: subgroupMatrix.id, tunables: {} },
    { op: 'matmul', shape, dtype: 'f16' },
    limits,
  );
  expect(verdict).toMatchObject({ ok: false });
  expect(verdict.ok || verdict.why).toContain('matrices of 16x16x16');
  device.destroy();
});

// The kernel itself runs on GPUs with matrix units, where every measured run is verified.
// What surrounds its multiplications runs here, with the multiplications emulated.
describe('around the multiplications', () => {
  const gpu = useExecutor();
  const tile = { BM: 32, BN: 32, BK: 16, WM: 16, WN: 32 };
  /** Of few sums per thread. */
  const SMALL = { WM: 16, WN: 16 };

  test.each([
    ['whole tiles', { m: 64, n: 32, k: 48 }, {}],
    ['edges on every side', { m: 37, n: 40, k: 24 }, {}],
    ['rows that start anywhere', { m: 33, n: 35, k: 21 }, {}],
    ['less than one tile', { m: 3, n: 5, k: 7 }, {}],
    ['fragments 8 wide', { m: 37, n: 40, k: 24 }, { FRAGMENT_N: 8 }],
    ['fragments below one another', { m: 37, n: 72, k: 40 }, { WM: 32, WN: 16 }],
    ['several steps per tile', { m: 33, n: 35, k: 77 }, { BK: 32 }],
    ['loads between the steps', { m: 33, n: 40, k: 104 }, { BK: 32, LOADS: 'halfway' }],
    ['loads one after the other', { m: 33, n: 35, k: 85 }, { BK: 32, LOADS: 'staggered' }],
    ['bands, the last of one row', { m: 160, n: 72, k: 24 }, { ORDER: 'bands' }],
    ['two tiles a turn, an even number', { m: 37, n: 40, k: 64 }, { UNROLL: 2 }],
    ['two tiles a turn, an odd number', { m: 37, n: 40, k: 56 }, { UNROLL: 2 }],
    ['a strip, split', { m: 5, n: 72, k: 136 }, { BM: 16, SPLIT: 4 }],
    ['K split, rows that start anywhere', { m: 33, n: 35, k: 77 }, { SPLIT: 2 }],
    ['more parts than tiles of K', { m: 16, n: 40, k: 24 }, { SPLIT: 8 }],
    ['K split, in bands', { m: 160, n: 72, k: 40 }, { SPLIT: 2, ORDER: 'bands' }],
    ['sums in f16, split', { m: 37, n: 40, k: 104 }, { SPLIT: 4 }, 'f16acc16'],
    ['a batch', { b: 3, m: 37, n: 40, k: 24 }, {}],
    ['a batch, rows that start anywhere', { b: 3, m: 33, n: 35, k: 21 }, {}],
    ['a batch, in bands', { b: 2, m: 160, n: 72, k: 24 }, { ORDER: 'bands' }],
    ['a batch, K split', { b: 3, m: 33, n: 35, k: 77 }, { SPLIT: 2 }],
    ['a batch, K split, in bands', { b: 2, m: 160, n: 72, k: 40 }, { SPLIT: 2, ORDER: 'bands' }],
    ['a batch, sums in f16', { b: 3, m: 37, n: 40, k: 24 }, {}, 'f16acc16'],
    ['sums in f16', { m: 37, n: 40, k: 24 }, {}, 'f16acc16'],
    ['sums in f16, 8 wide', { m: 33, n: 35, k: 77 }, { FRAGMENT_N: 8 }, 'f16acc16'],
    ['two tiles ahead, as many in all', { m: 37, n: 40, k: 32 }, { PREFETCH: 2 }],
    ['two tiles ahead, an odd number', { m: 33, n: 35, k: 85 }, { PREFETCH: 2 }],
    ['three tiles ahead of two', { m: 37, n: 40, k: 40 }, { PREFETCH: 3 }],
    ['four tiles ahead, K split', { m: 37, n: 40, k: 264 }, { PREFETCH: 4, SPLIT: 2 }],
    ['two tiles ahead, two per turn', { m: 37, n: 40, k: 120 }, { PREFETCH: 2, UNROLL: 2 }],
    ['B by rows', { m: 37, n: 40, k: 24 }, {}, 'f16-nt'],
    ['B by rows that start anywhere', { m: 33, n: 35, k: 21 }, {}, 'f16-nt'],
    ['B by rows, K split, in a batch', { b: 3, m: 33, n: 35, k: 77 }, { SPLIT: 2 }, 'f16-nt'],
    ['B by rows, 8 wide', { m: 37, n: 72, k: 40 }, { FRAGMENT_N: 8, BK: 32 }, 'f16-nt'],
    ['B by rows, two tiles ahead', { m: 37, n: 40, k: 120 }, { PREFETCH: 2 }, 'f16-nt'],
    ['blocks of 8 bits', { m: 37, n: 40, k: 96 }, {}, 'f16-q8'],
    ['blocks of 4 bits', { m: 37, n: 40, k: 96 }, {}, 'f16-q4'],
    ['blocks of 4 bits in deeper tiles', { m: 33, n: 35, k: 96 }, { BK: 64, BM: 32 }, 'f16-q4'],
    [
      'blocks of 4 bits, K split, in a batch',
      { b: 2, m: 17, n: 35, k: 160 },
      { SPLIT: 2 },
      'f16-q4',
    ],
    ['two tiles ahead, a batch', { b: 3, m: 33, n: 35, k: 77 }, { PREFETCH: 2 }],
    ['8 x 8 x 8', { m: 37, n: 40, k: 24 }, { FRAGMENT: 8, SUBGROUP: 32 }],
    ['8 x 8 x 8, subgroups of 8', { m: 33, n: 35, k: 21 }, { ...SMALL, FRAGMENT: 8, SUBGROUP: 8 }],
    ['8 x 16 x 16', { m: 37, n: 40, k: 24 }, { FRAGMENT: 16, SUBGROUP: 32 }],
    ['8 x 16 x 16, subgroups of 16', { m: 33, n: 35, k: 77 }, { FRAGMENT: 16, SUBGROUP: 16 }],
    ['8 x 8 x 8, sums in f16', { m: 33, n: 35, k: 77 }, { FRAGMENT: 8 }, 'f16acc16'],
    ['8 x 16 x 16, B by rows', { m: 37, n: 40, k: 24 }, { FRAGMENT: 16 }, 'f16-nt'],
    ['8 x 8 x 8, K split, in a batch', { b: 3, m: 33, n: 35, k: 77 }, { FRAGMENT: 8, SPLIT: 2 }],
  ] as const)('%s are right', async (_what, shape, change, dtype: Dtype = 'f16') => {
    const isShort = 'FRAGMENT' in change;
    const kernel = emulated(isShort ? subgroupMatrixShort : subgroupMatrix);
    const problem: Problem<'matmul'> = { op: 'matmul', shape, dtype };
    const kernels = KERNELS as Kernel[];
    kernels.push(kernel);
    try {
      const variant = { kernel: kernel.id, tunables: { ...tile, ...change } };
      expect(feasible(variant, problem, limitsOf(gpu.device))).toEqual({ ok: true });
      const prepared = await gpu.executor.prepare(variant, problem, { seed: 7, bufferSets: 1 });
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 1, rotate: false });
      const output = (await prepared.readOutput(0)).tensor();
      prepared.destroy();
      const inputs = inputTensors(problem, { seed: 7 });
      expect(verify(problem, inputs, output).worst).toBeNull();
    } finally {
      kernels.pop();
    }
  });
});
