import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { admitKernel, type Checked, type Contributed } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../../bundle.test-helper';
import { Runner } from '../../child/runner';
import { lanesText, runSizes } from './check';
import { enginesText, ranSays } from './engines';

const bundle = useBundle();
let runner: Runner;
beforeAll(() => {
  runner = new Runner({ entry: bundle.child, device: '0' });
});
afterAll(() => runner.close());

const HEAD = `/* tilemark { "name": "tried", "op": "matmul", "dtypes": ["f32"], "covers": { "rows": 1, "cols": 1 } } */
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(3) var<uniform> shape: Shape;
var<workgroup> sums: array<f32, 8>;`;
const MAIN = `@compute @workgroup_size(8)
fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  var sum = 0.0;
  for (var p = lane; p < shape.k; p += 8) { sum += A[at.y * shape.k + p] * B[p * shape.n + at.x]; }`;
const SHARED = `  sums[lane] = sum;
  workgroupBarrier();
  if (lane == 0) { C[at.y * shape.n + at.x] = total(&sums); }
}`;
const TOTAL = `{ var all = 0.0; for (var i = 0; i < 8; i++) { all += sums[i]; } return all; }`;

const lineOf = (source: string, part: string) =>
  source.slice(0, source.indexOf(part)).split('\n').length;

const problem: Problem = { op: 'matmul', shape: { m: 5, n: 7, k: 33 }, dtype: 'f32' };

async function run({ kernel }: Contributed, on = runner): Promise<Checked> {
  const variant = { kernel: kernel.id, tunables: {} };
  const { outcome } = await on.run({ variant, problem, profile: 'default', policy: 'smoke' });
  return { variant, problem, outcome };
}

async function engines(source: string) {
  const contributed = await admitKernel({ author: 'ada', source });
  const checked = await run(contributed);
  return {
    text: await enginesText(contributed, ranSays('tint', [checked]), 'my.wgsl'),
    ...checked,
  };
}

describe('the three engines', () => {
  it('a pointer to workgroup memory is for Tint alone', async () => {
    const source = `${HEAD}
fn total(sums: ptr<workgroup, array<f32, 8>>) -> f32 ${TOTAL}
${MAIN}
${SHARED}`;
    const { text } = await engines(source);
    const line = lineOf(source, 'fn total');
    expect(text).toMatch(/^Tint .* compiles +compiled it and ran it here$/m);
    expect(text).toMatch(
      new RegExp(`^naga .* refuses +my\\.wgsl:${line}: .*'total'.*pointer of space WorkGroup`, 'm'),
    );
    expect(text).toMatch(
      /^WebKit .* not tried +its documentation names all that the source uses$/m,
    );
  });

  it('a barrier that some threads do not reach is for naga alone', async () => {
    const source = `${HEAD}\n${MAIN}\n  if (sum > 1.0) {\n${SHARED}\n}`.replace(
      'total(&sums)',
      'sum',
    );
    const { text } = await engines(source);
    const line = lineOf(source, 'workgroupBarrier');
    expect(text).toMatch(new RegExp(`^Tint .* refuses +my\\.wgsl:${line}: .*uniform`, 'm'));
    expect(text).toMatch(/^naga .* compiles/m);
  });

  it('WebKit lacks what its list does not have, and halves of words differ', async () => {
    const { text } = await engines(`${HEAD.replace('\n', '\nenable f16;\n')}
${MAIN.replace('lane: u32', 'lane: u32, @builtin(global_invocation_index) all: u32')}
  let half = bitcast<vec2<f16>>(all);
  if (lane == 0) { C[0] = sum + f32(half.x); }\n}`);
    expect(text).toMatch(
      /^WebKit .* refuses +my\.wgsl:\d+: lacks @builtin global_invocation_index: by its doc/m,
    );
    expect(text).toMatch(/^my\.wgsl:\d+: takes halves out of words by bitcast/m);
  });
});

describe('check --engine deno', () => {
  const run = promisify(execFile);
  const deno = dirname(createRequire(import.meta.url).resolve('@deno/linux-x64-glibc/deno'));

  it('compiles and runs a kernel under Deno, or says how to get one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tilemark-deno-'));
    const one = '"requires": [{ "that": "m == 1" }], "covers"';
    const source = `${HEAD}\n${MAIN}\n${SHARED}`.replace(
      'total(&sums)',
      `sums[0] + sums[1]
    + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7]`,
    );
    await writeFile(join(folder, 'my.wgsl'), source.replace('"covers"', one));
    const check = (path: string) => {
      const args = [bundle.main, 'check', 'my.wgsl', '--shape', '1x8x8', '--engine', 'deno'];
      const env = { ...process.env, PATH: path, TMPDIR: folder };
      return run(process.execPath, args, { cwd: folder, env });
    };
    try {
      const { stdout } = await check(`${deno}:${process.env.PATH}`);
      expect(stdout).toMatch(/^naga .* compiles +compiled it and ran it here$/m);
      expect(stdout).toContain('my.wgsl is right on this device');
      await expect(check('/nowhere')).rejects.toMatchObject({
        code: 2,
        stderr: expect.stringContaining('npm install -g deno'),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('the sizes of subgroups', () => {
  const eight = `${HEAD.replace('"covers"', '"features": ["subgroups"], "covers"').replace('\n', '\nenable subgroups;\n')}
${MAIN}
  sum = subgroupAdd(sum);
  if (lane == 0) { C[at.y * shape.n + at.x] = sum; }
}`;
  const has = ['subgroups', 'subgroup-size-4', 'subgroup-size-8'];

  /** The software device has as many lanes as its vectors have floats; its cache takes no account of that. */
  async function onLanes(lanes: number, contributed: Contributed): Promise<Checked[]> {
    process.env.LP_NATIVE_VECTOR_WIDTH = String(32 * lanes);
    process.env.MESA_SHADER_CACHE_DISABLE = 'true';
    const on = new Runner({ entry: bundle.child, device: '0' });
    try {
      const { capabilities } = await on.open('default');
      expect(capabilities.features).toContain(`subgroup-size-${lanes}`);
      return [await run(contributed, on)];
    } finally {
      delete process.env.LP_NATIVE_VECTOR_WIDTH;
      delete process.env.MESA_SHADER_CACHE_DISABLE;
      await on.close();
    }
  }

  it('are each tried, and one that a kernel is wrong with is named', async () => {
    const contributed = await admitKernel({ author: 'ada', source: eight });
    const checked = await onLanes(8, contributed);
    const tried: string[] = [];
    const sized = await runSizes(contributed, checked, has, async (sized) => {
      const [, lanes] = /@subgroup_size\((\d+)\)/.exec(sized.file.source) ?? [];
      tried.push(sized.file.source.split('\n', 1)[0] ?? '');
      return onLanes(Number(lanes), sized);
    });
    expect(tried).toEqual(Array(2).fill(expect.stringMatching(/^enable subgroup_size_control; /)));
    const [four, other] = sized.map((each) => lanesText(each, 'my.wgsl'));
    expect(four).toMatch(/^Subgroups: wrong with 4 lanes: 5x7x33 f32: .* should be/);
    expect(other).toBe('Subgroups: right with 8 lanes');
  });
});
