import { expect, test, vi } from 'vitest';
import { limitsOf, useExecutor } from '../gpu/dawn.test-helper';
import { Pipelines } from '../gpu/pipelines';
import { DTYPES, idsOf } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import { feasible } from './feasible';
import type { GpuKernel } from './kernel';
import { nagaFault, needsTint } from './naga.test-helper';
import { KERNELS, kernelById } from './registry';
import { specialise } from './specialise';
import { defaultsOf } from './variant';

const gpu = useExecutor();
const ofGpu = KERNELS.filter((kernel): kernel is GpuKernel => kernel.runsOn === 'gpu');

test.each(ofGpu.map((kernel) => [kernel.id, kernel] as const))('naga reads %s', (id, kernel) => {
  for (const dtype of kernel.dtypes) {
    const source = specialise(kernel, defaultsOf(kernel.tunables), dtype, {}, 'naga');
    const fault = nagaFault(source);
    if (needsTint(kernel)) expect(fault, `${id} in ${dtype}`).not.toBeNull();
    else expect(fault, `${id} in ${dtype}`).toBeNull();
  }
});

test('those that need Tint are few, and say so with the reason', () => {
  const few = ofGpu.filter(needsTint);
  expect(few.map(({ id }) => id)).toEqual([
    'matmul/subgroup-matrix',
    'matmul/subgroup-matrix-short',
    'matmul/subgroup-matrix-bytes',
  ]);
  for (const { dtypes, id } of few) {
    const [dtype = 'f16'] = dtypes;
    const problem: Problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype };
    const fits = feasible({ kernel: id, tunables: {} }, problem, limitsOf(gpu.device));
    expect(fits).toMatchObject({ why: expect.stringContaining('(Tint alone compiles it)') });
  }
});

test('a shader written for Tint is none for naga, nor are halves taken from words', () => {
  const kernel = kernelById('matmul/subgroup') as GpuKernel;
  const source = specialise(kernel, defaultsOf(kernel.tunables), 'f32');
  expect(nagaFault(source)).toContain('subgroups');
  const halves =
    'enable f16; fn halves(w: vec2u) -> vec4f { return vec4f(bitcast<vec4<f16>>(w)); }';
  expect(nagaFault(halves)).not.toBeNull();
});

test('naga reads what verifies and measures', async () => {
  const sources = new Set<string>();
  const { compile } = Pipelines.prototype;
  const spy = vi.spyOn(Pipelines.prototype, 'compile').mockImplementation(function recording(
    this: Pipelines,
    source,
    ...rest
  ) {
    sources.add(source);
    return compile.call(this, source, ...rest);
  });
  const problems: Problem[] = [
    ...idsOf(DTYPES).map(
      (dtype): Problem => ({ op: 'matmul', shape: { m: 9, n: 12, k: 64 }, dtype }),
    ),
    { op: 'matmul', shape: { b: 2, m: 5, n: 7, k: 9 }, dtype: 'f16', epilogue: 'bias-gelu' },
    ...(['f32', 'i32', 'f16'] as const).map(
      (dtype): Problem => ({ op: 'transpose', shape: { rows: 9, cols: 12 }, dtype }),
    ),
  ];
  try {
    for (const problem of problems) {
      const variant = { kernel: `${problem.op}/naive`, tunables: {} };
      const prepared = await gpu.executor.prepare(variant, problem, { seed: 3, bufferSets: 1 });
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 1, rotate: false });
      await prepared.verify([0]);
      await prepared.verifyRegimes();
      await (await prepared.beginFingerprint()).answer;
      prepared.destroy();
    }
    for (const dtype of ['f32', 'i32', 'f16'] as const) {
      (await gpu.executor.probe({ id: 'fma', dtype }))?.destroy();
    }
    (await gpu.executor.probe({ id: 'copy', bytes: 2 ** 16 }))?.destroy();
  } finally {
    spy.mockRestore();
  }
  expect(sources.size).toBeGreaterThan(40);
  for (const source of sources) expect(nagaFault(source), source).toBeNull();
});
