import { constantsOf, feasible, type Problem, sourceFor } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from '../measure/device';
import { guess } from './guess';
import { admitKernel, readKernel } from './kernel';
import { roundedUp } from './names';

describe('conventions of real kernels', () => {
  const problem: Problem = {
    op: 'matmul',
    shape: { b: 2, m: 33, n: 65, k: 7 },
    dtype: 'f32',
  };
  const manifest = { name: 'real', op: 'matmul', covers: { rows: 16, cols: 16 } };
  const main = '@compute @workgroup_size(16, 16) fn main() { result[0] = 1; }';
  /** What a manifest leaves out is guessed, and then read. */
  const read = async (text: string, more: object = {}) => {
    const source = `${text}\n${main}`;
    const said = { source, manifest: JSON.stringify({ ...manifest, ...more }) };
    const completed = JSON.stringify(guess('real', said).manifest);
    return readKernel({ author: 'ada', source, manifest: completed });
  };
  const bound = 'var<storage, read> ';
  const out = 'var<storage, read_write> result: array<f32>;';
  const tensors = `@group(1) @binding(4) ${bound}weights: array<f32>;
@group(0) @binding(9) ${bound}x: array<vec4<f32>>;
@binding(7) @group(0) ${out}`;
  const bindingsIn = (wgsl: string) =>
    wgsl.match(/@group\(0\) @binding\(\d\) var<[\w, ]+> \w+/g)?.map((text) => text.slice(10));

  it('bindings in any order and group are bound in ours, by order and by name', async () => {
    const { kernel } = await read(tensors);
    expect(kernel.dtypes).toEqual(['f32']);
    expect(bindingsIn(sourceFor(kernel, {}, problem))).toEqual([
      '@binding(1) var<storage, read> weights',
      '@binding(0) var<storage, read> x',
      '@binding(2) var<storage, read_write> result',
    ]);
    const swapped = await read(tensors, { bindings: { A: 'weights', B: 'x' } });
    expect(bindingsIn(sourceFor(swapped.kernel, {}, problem))).toContain(
      '@binding(0) var<storage, read> weights',
    );
  });

  it('inputs that are declared writable are read only', async () => {
    const { kernel } = await read(tensors.replace('read> x', 'read_write> x'));
    expect(sourceFor(kernel, {}, problem)).toContain('var<storage, read> x');
  });

  it('variables without numbers are given some', async () => {
    const { kernel } = await read(tensors.replaceAll(/@\w+\(\d\) /g, ''));
    expect(bindingsIn(sourceFor(kernel, {}, problem))).toHaveLength(3);
  });

  it('sizes are written into the structs of the source', async () => {
    const struct = `struct Dims { @align(16) size: vec3<u32>, alpha: f32, strides: array<vec4<i32>, 2>, pair: Pair }
struct Pair { first: u32, second: u32 }
@group(2) @binding(0) var<uniform> dims: Dims;
@group(2) @binding(1) var<storage, read> more: array<u32>;
@group(2) @binding(2) var<storage, read_write> K: u32;
${tensors}`;
    const sizes = {
      'size.x': 'm',
      'size.y': 'n',
      'dims.size.z': 'k',
      alpha: 0.5,
      'strides[0].x': 'k',
      'strides[0].y': 0,
      'strides[0].z': 0,
      'strides[0].w': 0,
      'strides[1].x': 'ceil(m * n / 2)',
      'strides[1].y': 0,
      'strides[1].z': 0,
      'strides[1].w': 3,
      'pair.first': 'n',
      'pair.second': 4,
      'more[0]': 'b',
      'more[1]': 'n % 4',
    };
    const { kernel } = await read(struct, { sizes, batches: true });
    const [dims, more, k] = constantsOf(kernel, {}, problem).map(({ type, words }) => [
      type,
      ...Array.from(words),
    ]);
    const half = new Uint32Array(new Float32Array([0.5]).buffer)[0];
    const words = [33, 65, 7, half, 7, 0, 0, 0, 1073, 0, 0, 3, 65, 4, 0, 0];
    expect(dims).toEqual(['uniform', ...words]);
    expect(more).toEqual(['read-only-storage', 2, 1, 0, 0]);
    expect(k?.slice(0, 2)).toEqual(['read-only-storage', 7]);
  });

  it('bias is bound to zeros', async () => {
    const bias = `@group(0) @binding(3) ${bound}bias: array<f32>;\n${tensors}`;
    const { kernel } = await read(bias, { zeros: { bias: 'n' } });
    expect(constantsOf(kernel, {}, problem)).toEqual([
      { type: 'read-only-storage', words: [], bytes: 260 },
    ]);
  });

  it('sizes are overrides, constants, and literals of a template', async () => {
    const source = `override M: u32;\nconst N = 1u;\n${tensors}\nconst K: i32 = {{ K }};\n`;
    const { kernel } = await read(source, {
      sizes: { M: 'm', N: 'n' },
      placeholders: { '{{ K }}': 'k * 2' },
    });
    const wgsl = sourceFor(kernel, {}, problem);
    expect(wgsl).toContain('const M: u32 = u32(33);\nconst N = 65u;\n');
    expect(wgsl).toContain('const K: i32 = 14;');
  });

  it('constants of the source are tunables', async () => {
    const { kernel } = await read(`const TILE = 16u;\n${tensors}`, {
      tunables: { TILE: [8, 16] },
      covers: { rows: 'TILE', cols: 'TILE' },
    });
    const wgsl = sourceFor(kernel, { TILE: 16 }, problem);
    expect(wgsl.match(/^const TILE.*/gm)).toEqual(['const TILE = 16u;']);
  });

  it('a source may have its own T', async () => {
    const { kernel } = await read(`alias T = f32;\n${tensors}`);
    expect(sourceFor(kernel, {}, problem).match(/alias T/g)).toHaveLength(1);
  });

  it('workgroups are dispatched by formulas, and go on along y', async () => {
    const dispatched = async (workgroups: unknown, shape = problem.shape) => {
      const { kernel } = await read(tensors, { covers: undefined, workgroups });
      return kernel.workgroups({}, { ...problem, shape } as Problem);
    };
    expect(await dispatched(['ceil(n / 16)', 'max(m, 40) / 4', 'b'])).toEqual([5, 10, 2]);
    // Either way as many as cover a side, and no more.
    expect(await dispatched(['n / 16', '(m + 31) / 32'])).toEqual([5, 2, 1]);
    expect(await dispatched({ linear: 'm * n / 64' })).toEqual([34, 1, 1]);
    expect(await dispatched({ linear: 'm * n' })).toEqual([33 * 65, 1, 1]);
    expect(await dispatched({ linear: 'm * n' }, { m: 600, n: 700, k: 1 })).toEqual([60_000, 7, 1]);
    await expect(dispatched([0])).rejects.toThrow(/there are 0 workgroups/);
  });

  it('shapes that it does not take are skipped, and those of check are made to fit', async () => {
    const requires = [{ that: 'm == 1' }, { that: 'k <= 64', because: 'K fits in one tile' }];
    const contributed = await read(tensors, { requires });
    const { kernel } = await admitKernel(contributed.file);
    const variant = { kernel: kernel.id, tunables: {} };
    const reasons = (shape: Problem<'matmul'>['shape']) => {
      const fit = feasible(variant, { ...problem, op: 'matmul', shape }, PLAIN_WEBGPU);
      return fit.ok ? [] : fit.why;
    };
    expect(reasons({ m: 1, n: 5, k: 64 })).toEqual([]);
    expect(reasons({ m: 2, n: 5, k: 64 })).toMatch(/needs m == 1/);
    expect(reasons({ m: 1, n: 5, k: 65 })).toMatch(/K fits in one tile/);
    expect(roundedUp(contributed, {}, { m: 17, n: 5, k: 3 })).toEqual({ m: 1, n: 5, k: 4 });
  });

  it('features follow from what the source uses, and dtypes from its elements', async () => {
    const f16 = tensors.replaceAll('f32', 'f16');
    const { kernel } = await read(`${f16}\nfn sum(x: f32) -> f32 { return subgroupAdd(x); }`);
    expect(kernel.dtypes).toEqual(['f16']);
    expect(kernel.needs({}, 'f16').features).toEqual(['subgroups']);
    const mixed = await read(tensors.replace('array<f32>', 'array<f16>'));
    expect(mixed.kernel.dtypes).toEqual(['f32-f16']);
    const ints = tensors.replace('array<f32>', 'array<i32>');
    await expect(read(ints, { dtypes: ['f32'] })).rejects.toThrow(/nothing is B/);
  });
});
