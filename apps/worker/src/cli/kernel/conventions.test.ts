import { readFileSync } from 'node:fs';
import { outcomeReason } from '@tilemark/core';
import { admitKernel } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { Runner } from '../../child/runner';
import { enginesText, ranSays } from './engines';

// The manifests of docs/bring.md, each with a naive product behind what it declares.

const bundle = useBundle();
let runner: Runner;
beforeAll(() => {
  runner = new Runner({ entry: bundle.child, device: '0' });
});
afterAll(() => runner.close());

const guide = readFileSync(new URL('../../../../../docs/bring.md', import.meta.url), 'utf8');
const [, section = ''] = /\n## Conventions\n([\s\S]*?)\n## /.exec(guide) ?? [];
const sources = [...section.matchAll(/```wgsl\n([\s\S]*?)```/g)].map(([, source = '']) => source);

/** One thread per element of C, in blocks of 16 x 16. */
const product =
  (m: string, n: string, k: string, side = '16') =>
  ([A, B, C]: readonly [string, string, string], { at = '', last = '' } = {}) =>
    `
@compute @workgroup_size(${side}, ${side})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= u32(${m}) || id.x >= u32(${n})) { return; }
  var sum = 0.0;
  for (var p = 0u; p < u32(${k}); p++) {
    sum += ${A}[${at && `id.z * ${at}.A_OFFSET + `}id.y * ${k} + p] * ${B}[${at && `id.z * ${at}.B_OFFSET + `}p * ${n} + id.x];
  }
  ${C}[${at && `id.z * ${at}.C_OFFSET + `}id.y * ${n} + id.x] = sum${last};
}`;

const BODIES: Readonly<Record<string, string>> = {
  named: product('info.rows', 'info.cols', 'info.row_stride')(['activations', 'weights', 'output']),
  vectors: product(
    'dims.x',
    'dims.y',
    'dims.z',
  )(['x', 'w', 'y'], {
    last: ' * alpha + f32(activation) * 1e9',
  }),
  fused: `${product('params.m', 'params.n', 'params.k')(['x', 'w1', 'y']).replace('= sum;', '= gelu(sum + b1[id.x]);')}
fn gelu(x: f32) -> f32 {
  return 0.5 * x * (1.0 + tanh(sqrt(2.0 / 3.14159265) * (x + 0.044715 * x * x * x)));
}`,
  array: product(
    'info[0]',
    'info[1]',
    'info[2]',
  )(['lhs', 'rhs', 'output'], {
    last: ' + residual[id.y * info[1] + id.x]',
  }),
  overrides: product('M', 'N', 'K', 'TILE')(['a', 'b', 'c']),
  template: product('{{ M }}u', '{{ N }}u', '{{ K }}u', '{{ SIDE }}')(['a', 'b', 'c']),
  batches: product('metadata.M', 'metadata.N', 'metadata.K')(['A', 'B', 'C'], { at: 'metadata' }),
  linear: `
@compute @workgroup_size(64)
fn main(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) lane: u32,
) {
  let index = (group.y * groups.x + group.x) * 64 + lane;
  if (index >= params.m * params.n) { return; }
  let row = index / params.n;
  let col = index % params.n;
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    sum += src0[row * params.k + p] * src1[p * params.n + col];
  }
  dst[index] = sum;
}`,
  'by-rows': `
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    sum += x[id.y * params.k + p] * weights[id.x * params.k + p];
  }
  y[id.y * params.n + id.x] = sum;
}`,
  blocks: `
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= params.m || id.x >= params.n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < params.k; p++) {
    let at = id.x * params.k + p;
    let quant = extractBits(bitcast<i32>(quants[at / 4]), 8 * (at % 4), 8);
    sum += f32(x[id.y * params.k + p]) * f32(quant) * f32(scales[at / 32]);
  }
  y[id.y * params.n + id.x] = f16(sum);
}`,
  mixed: product(
    'shape.m',
    'shape.n',
    'shape.k',
  )(['x', 'f32(weights', 'y']).replace('+ id.x];', '+ id.x]);'),
  'one-row': `
@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) group: vec3<u32>) {
  let quarter = params.n / 4;
  var sum = vec4<f32>();
  for (var p = 0u; p < params.k; p++) {
    sum += f32(a[p]) * vec4<f32>(b[p * quarter + group.x]);
  }
  c[group.x] = vec4<f16>(sum);
}`,
};

async function outcomeOf(source: string, shape: Problem<'matmul'>['shape']) {
  const contributed = await admitKernel({ author: 'ada', source });
  const { kernel, manifest } = contributed;
  const [dtype = 'f32'] = kernel.dtypes;
  const problem: Problem = { op: 'matmul', shape, dtype, epilogue: kernel.epilogue };
  const variant = { kernel: kernel.id, tunables: {} };
  const { outcome } = await runner.run({ variant, problem, profile: 'default', policy: 'smoke' });
  const tint = ranSays('tint', [{ variant, problem, outcome }]);
  return {
    kind: outcome.kind,
    why: outcomeReason(outcome) ?? '',
    name: manifest.name,
    engines: () => enginesText(contributed, tint, 'my.wgsl'),
  };
}

const nameIn = (source: string) => /"name": "([\w-]+)"/.exec(source)?.[1] ?? '';

it('the guide has a manifest of each convention', () => {
  expect(sources.map(nameIn)).toEqual(Object.keys(BODIES));
});

it.each(sources.map((source) => [nameIn(source), source]))('%s is right', async (name, source) => {
  const m = name === 'one-row' ? 1 : 33;
  const batch = name === 'batches' ? { b: 3 } : {};
  const shape = { ...batch, m, n: 68, k: name === 'blocks' ? 64 : 17 };
  const outcome = await outcomeOf(source + BODIES[name], shape);
  expect(outcome).toMatchObject({ kind: 'measured', name });
  const text = await outcome.engines();
  expect(text).toMatch(/^Tint .* accepts +compiled it and ran it here$/m);
  expect(text).toMatch(/^naga .* accepts +naga 30 reads it; it was not run$/m);
  expect(text).toMatch(/^WebKit .* not tried +has all that it names: by its doc/m);
});

it('more workgroups than fit along x go on along y', async () => {
  const source = sources.find((text) => nameIn(text) === 'linear') ?? '';
  const body = BODIES.linear?.replaceAll('64', '1') ?? '';
  const small = source.replace('ceil(m * n / 64)', 'm * n');
  expect(await outcomeOf(small + body, { m: 300, n: 301, k: 2 })).toMatchObject({
    kind: 'measured',
  });
});

it('an input that is written does not compile', async () => {
  const source = sources.find((text) => nameIn(text) === 'named') ?? '';
  const body = BODIES.named?.replace('var sum = 0.0;', 'var sum = 0.0; weights[0] = 1;') ?? '';
  const outcome = await outcomeOf(source + body, { m: 33, n: 68, k: 17 });
  expect(outcome).toMatchObject({ kind: 'failed', why: expect.stringMatching(/^compile: .*read/) });
});

it('numbers lie where the compiler looks for them', async () => {
  const sizes = { m: 'm', 'inner[1].n': 'n', k: 'k', 'flags.x': 1, 'flags.y': 1, 'flags.z': 1 };
  const others = [
    'first',
    'inner[0].a',
    'inner[0].n',
    'inner[1].a',
    'turn[0].x',
    'turn[0].y',
    'turn[0].z',
  ];
  const more = ['turn[1].x', 'turn[1].y', 'turn[1].z', 'tail[0]', 'tail[1]', 'tail[2]', 'tail[3]'];
  const zeros = Object.fromEntries([...others, ...more].map((path) => [path, 9]));
  const manifest = {
    ...{ name: 'layout', op: 'matmul', dtypes: ['f32'], covers: { rows: 16, cols: 16 } },
    sizes: { ...zeros, ...sizes },
  };
  const source = `/* tilemark ${JSON.stringify(manifest)} */
struct Inner { a: f32, @align(4 * 4) @size(16 + 8) n: u32 }
struct Sizes { first: u32, flags: vec3u, m: u32, inner: array<Inner, (4 >> 1)>, turn: mat2x3f, tail: array<u32, 4 | 4>, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
@group(0) @binding(3) var<storage, read> block: Sizes;`;
  const body = product(
    'block.m',
    'block.inner[1].n',
    'block.k',
  )(['A', 'B', 'C'], {
    last: ' * select(0.0, 1.0, block.flags.z == 1 && block.first == 9 && block.tail[3] == 9 && block.turn[1].z == 9 && block.inner[0].a == 9)',
  });
  const outcome = await outcomeOf(source + body, { m: 33, n: 68, k: 17 });
  expect(outcome).toMatchObject({ kind: 'measured' });
});
