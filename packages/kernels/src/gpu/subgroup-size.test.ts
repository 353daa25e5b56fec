import { describe, expect, it } from 'vitest';
import { combinations } from '../kernel/combinations';
import { feasible } from '../kernel/feasible';
import type { GpuKernel, TunableValues } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { specialise } from '../kernel/specialise';
import { defaultsOf } from '../kernel/variant';
import type { Problem } from '../problem/problem';
import { limitsOf, openDevice } from './dawn.test-helper';
import { createGpuExecutor } from './executor';
import { choosesSize, SIZE_CONTROL, subgroupSizes, withSubgroupSize } from './subgroup-size';

const gpuKernels = KERNELS.filter((kernel): kernel is GpuKernel => kernel.runsOn === 'gpu');

describe('the sizes of subgroups that a shader may rely on', () => {
  const several = { subgroupMinSize: 8, subgroupMaxSize: 32 };
  const fixed = { subgroupMinSize: 32, subgroupMaxSize: 32 };

  it('are the only one, those that can be chosen, or none', () => {
    expect(subgroupSizes(fixed, new Set())).toEqual(['subgroup-size-32']);
    expect(subgroupSizes(several, new Set())).toEqual([]);
    expect(subgroupSizes(several, new Set([SIZE_CONTROL]))).toEqual([
      'subgroup-size-8',
      'subgroup-size-16',
      'subgroup-size-32',
    ]);
    expect(subgroupSizes({} as never, new Set([SIZE_CONTROL]))).toEqual([]);
    expect(choosesSize(fixed, new Set([SIZE_CONTROL]))).toBe(false);
    expect(choosesSize(several, new Set())).toBe(false);
  });

  it('are declared by every kernel whose shader does not ask for its own', () => {
    for (const kernel of gpuKernels) {
      for (const [values, dtype] of variantsOf(kernel)) {
        const { features, subgroupSize } = kernel.needs(values, dtype);
        if (!features.includes('subgroups')) continue;
        const asks = specialise(kernel, values, dtype).includes('@builtin(subgroup_size)');
        expect(asks, `${kernel.id} ${JSON.stringify(values)}`).toBe(subgroupSize === undefined);
      }
    }
  });
});

/** A kernel's defaults and, of its words, every value. */
const variantsOf = (kernel: GpuKernel) => {
  const words = kernel.tunables.filter(({ default: initial }) => typeof initial === 'string');
  const axes = Object.fromEntries(words.map(({ name, values }) => [name, values]));
  return combinations(axes).flatMap((chosen) =>
    kernel.dtypes.map((dtype) => [{ ...defaultsOf(kernel.tunables), ...chosen }, dtype] as const),
  );
};

// Dawn's null adapter runs nothing, has subgroups of 4 to 128, and lets shaders choose.
it('a device with several sizes is told which one a kernel relies on', async () => {
  const { device } = await openDevice(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
  expect(choosesSize(device.adapterInfo, device.features)).toBe(true);
  expect(limitsOf(device).features).toContain('subgroup-size-16');
  const executor = await createGpuExecutor(device);
  const variant = { kernel: 'matmul/few-rows', tunables: { LANES: 4, DEEP: 64, REDUCE: 16 } };
  const problem: Problem = { op: 'matmul', shape: { m: 1, n: 64, k: 64 }, dtype: 'f32' };
  expect(feasible(variant, problem, limitsOf(device))).toEqual({ ok: true });
  await executor.compile(variant, problem);

  const [kernel] = gpuKernels.filter(({ id }) => id === variant.kernel);
  if (!kernel) throw new Error('there is no such kernel');
  const values = { ...defaultsOf(kernel.tunables), ...variant.tunables };
  const forced = withSubgroupSize(specialise(kernel, values, 'f32'), 16);
  expect(forced.match(/^@compute @subgroup_size\(16\) @workgroup_size/gm)).toHaveLength(2);
  const module = device.createShaderModule({ code: forced });
  const { messages } = await module.getCompilationInfo();
  expect(messages.map(({ message }) => message)).toEqual([]);
  executor.destroy();
  device.destroy();
});

/** What every WebGPU device has, and no optional feature: the least a phone or a browser has. */
const LEAST = {
  features: [],
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 16_384,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 2 ** 27,
  maxBufferSize: 2 ** 28,
};

describe('256 threads and 16 KiB of workgroup memory', () => {
  const shapes = [
    { op: 'matmul', shape: { m: 512, n: 512, k: 512 } },
    { op: 'matmul', shape: { m: 1, n: 1024, k: 1024 } },
    { op: 'matmul', shape: { m: 1024, n: 1, k: 1024 } },
    { op: 'matmul', shape: { m: 8, n: 512, k: 640 } },
    { op: 'matmul', shape: { m: 1111, n: 333, k: 222 } },
    { op: 'matmul', shape: { m: 64, n: 64, k: 2048 } },
    { op: 'transpose', shape: { rows: 512, cols: 513 } },
  ] as const;
  const withAll = (
    kernel: GpuKernel,
    values: TunableValues,
    dtype: GpuKernel['dtypes'][number],
  ) => {
    const { features, subgroupSize } = kernel.needs(values, dtype);
    const size = subgroupSize === undefined ? [] : [`subgroup-size-${subgroupSize}`];
    return { ...LEAST, features: [...features, ...size, 'shader-f16'] };
  };

  it.each(gpuKernels.map((kernel) => [kernel.id, kernel] as const))(
    'are enough for a variant of %s',
    (_id, kernel) => {
      for (const dtype of kernel.dtypes) {
        const found = shapes.some(({ op, shape }) => {
          if (op !== kernel.op) return false;
          const problem = { op, shape, dtype } as Problem;
          const changes = kernel.tunables.flatMap(({ name, values }) =>
            values.map((value) => ({ [name]: value })),
          );
          const values = [...changes, ...(kernel.candidates?.(problem) ?? [])];
          return values.some((tunables) => {
            const all = { ...defaultsOf(kernel.tunables), ...tunables };
            return feasible({ kernel: kernel.id, tunables }, problem, withAll(kernel, all, dtype))
              .ok;
          });
        });
        expect(found, dtype).toBe(true);
      }
    },
  );

  it.each(shapes)('are enough for an answer to $op $shape, without subgroups', ({ op, shape }) => {
    for (const dtype of ['f32', 'i32', 'f16'] as const) {
      const problem = { op, shape, dtype } as Problem;
      const device = { ...LEAST, features: dtype === 'f16' ? ['shader-f16'] : [] };
      const answers = gpuKernels
        .filter((kernel) => kernel.op === op && kernel.dtypes.includes(dtype))
        .flatMap((kernel) =>
          (kernel.candidates?.(problem) ?? []).filter(
            (tunables) => feasible({ kernel: kernel.id, tunables }, problem, device).ok,
          ),
        );
      expect(answers.length, dtype).toBeGreaterThan(0);
    }
  });
});
