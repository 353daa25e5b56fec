import { readdirSync, readFileSync } from 'node:fs';
import { outcomeReason } from '@tilemark/core';
import { admitKernel } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { Runner } from '../../child/runner';
import { enginesText, ranSays } from './engines';

// Naive products of examples/conventions, whose manifests docs/bring.md has in parts.

const bundle = useBundle();
let runner: Runner;
beforeAll(() => {
  runner = new Runner({ entry: bundle.child, device: '0' });
});
afterAll(() => runner.close());

const folder = new URL('../../../../../examples/conventions/', import.meta.url);
const sources = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
const guide = readFileSync(new URL('../../../../../docs/bring.md', import.meta.url), 'utf8');
const rows = [...guide.matchAll(/^\| .* \| `("[^`]*)` \| `([\w-]+)\.wgsl` \|$/gm)];

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

it('the guide has a row of each convention, with a part of its manifest', () => {
  expect(rows.map(([, , name]) => name).toSorted()).toEqual(sources.map(nameIn));
});

it.each(rows.map(([, part, name]) => [name, part]))('%s says %s', async (name, part) => {
  const source = sources.find((text) => nameIn(text) === name) ?? '';
  const { manifest } = await admitKernel({ author: 'ada', source });
  expect(manifest).toMatchObject(JSON.parse(`{${part}}`));
});

it.each(sources.map((source) => [nameIn(source), source]))('%s is right', async (name, source) => {
  const m = name === 'one-row' ? 1 : 33;
  const batch = name === 'batches' ? { b: 3 } : {};
  const shape = { ...batch, m, n: 68, k: name === 'blocks' ? 64 : 17 };
  const outcome = await outcomeOf(source, shape);
  expect(outcome).toMatchObject({ kind: 'measured', name });
  const text = await outcome.engines();
  expect(text).toMatch(/^Tint .* compiles +compiled it and ran it here$/m);
  expect(text).toMatch(/^naga .* compiles +naga 30 reads it; it was not run$/m);
  expect(text).toMatch(/^WebKit .* not tried +its documentation names all that the source uses$/m);
});

it('more workgroups than fit along x go on along y', async () => {
  const source = sources.find((text) => nameIn(text) === 'linear') ?? '';
  const small = source.replaceAll('64', '1');
  expect(await outcomeOf(small, { m: 300, n: 301, k: 2 })).toMatchObject({
    kind: 'measured',
  });
});

it('an input that is written does not compile', async () => {
  const source = sources.find((text) => nameIn(text) === 'named') ?? '';
  const writing = source.replace('var sum = 0.0;', 'var sum = 0.0; weights[0] = 1;');
  const outcome = await outcomeOf(writing, { m: 33, n: 68, k: 17 });
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
@group(0) @binding(3) var<storage, read> block: Sizes;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.y >= block.m || id.x >= block.inner[1].n) { return; }
  var sum = 0.0;
  for (var p = 0u; p < block.k; p++) {
    sum += A[id.y * block.k + p] * B[p * block.inner[1].n + id.x];
  }
  let isRight = block.flags.z == 1 && block.first == 9 && block.tail[3] == 9 &&
    block.turn[1].z == 9 && block.inner[0].a == 9;
  C[id.y * block.inner[1].n + id.x] = sum * select(0.0, 1.0, isRight);
}`;
  const outcome = await outcomeOf(source, { m: 33, n: 68, k: 17 });
  expect(outcome).toMatchObject({ kind: 'measured' });
});
