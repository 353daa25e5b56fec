import { readdir, readFile } from 'node:fs/promises';
import { admitKernel, drawSeed, POLICIES, runDuel, runVariant } from '@tilemark/core';
import { bufferBytes, type Problem } from '@tilemark/kernels';
import { afterAll, describe, expect, it, test } from 'vitest';
import { chooseDevice, openDevice } from '../../apps/worker/src/device/select';
import { secretsOf } from '../../packages/core/src/measure/seed';
import { followersOf, unhash32, valuesOf } from '../../packages/core/src/measure/seed.test-helper';

const FOLDER = new URL('./adversaries/', import.meta.url);
const device = await openDevice(await chooseDevice('auto'), 'default', new URL('none:'));
afterAll(() => device.executor.destroy());

const problem = { op: 'matmul', shape: { m: 64, n: 96, k: 512 }, dtype: 'f32' } satisfies Problem;
const { inputs, output } = bufferBytes(problem);
const surroundings = (seed: number) => ({
  deviceClass: device.identity.class,
  // Three sets of buffers cover it: eight there are.
  lastLevelCacheBytes: 1.5 * inputs.reduce((sum, bytes) => sum + bytes, output),
  nowNs: () => performance.now() * 1e6,
  seed,
});

/** Ranked but for its length. */
const policy = { ...POLICIES.default, maxWallNs: 1e9 };

async function admit(name: string) {
  return known(await readFile(new URL(name, FOLDER), 'utf8'));
}

async function known(source: string) {
  const { kernel } = await admitKernel({ author: 'adversary', source });
  return { kernel: kernel.id, tunables: {} };
}

const NAIVE = { kernel: 'matmul/naive', tunables: {} };

/** Kept products take a fiftieth of the time; how two honest loops compare is another matter. */
const MOST_TIMES_NAIVE = 4;

describe.each(await readdir(FOLDER))('%s', (name) => {
  it.each([drawSeed(), drawSeed()])('gains nothing in a run (seed %i)', async (seed) => {
    const { executor, capabilities } = device;
    const run = async (variant: typeof NAIVE) =>
      runVariant(
        ...([executor, variant, problem, policy, capabilities] as const),
        surroundings(seed),
      );
    const outcome = await run(await admit(name));
    if (outcome.kind !== 'measured') return expect(outcome).toMatchObject({ kind: 'incorrect' });
    const { cold, unranked } = outcome.measurement;
    if (unranked?.includes('it keeps results')) return;
    // It had to compute each product that was timed.
    const naive = await run(NAIVE);
    if (naive.kind !== 'measured') throw new Error(`naive ended ${naive.kind}`);
    expect(naive.measurement.cold.medianNs / cold.medianNs).toBeLessThan(MOST_TIMES_NAIVE);
  });

  it('has no use for what it keeps in a duel with the loop that it has', async () => {
    const { executor, capabilities } = device;
    const variants = { a: await admit(name), b: NAIVE };
    const ended = await runDuel(
      executor,
      variants,
      problem,
      capabilities,
      surroundings(drawSeed()),
      {
        longestNs: 1e9,
      },
    );
    if (ended.kind === 'dueled') expect(ended.duel.ratio).toBeLessThan(MOST_TIMES_NAIVE);
    else expect(ended).toMatchObject({ side: 'a', outcome: { kind: 'incorrect' } });
  });
});

test('a kernel that writes the words behind its output to it learns nothing but those', async () => {
  const { kernel } = await known(`/* tilemark
{ "name": "shows-guards", "op": "matmul", "dtypes": ["f32"], "covers": { "rows": 8, "cols": 8 } }
*/
struct Shape { m: u32, n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<u32>;
@group(0) @binding(3) var<uniform> shape: Shape;
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= shape.m || id.x >= shape.n || A[0] + B[0] == 3.0) { return; }
  let at = id.y * shape.n + id.x;
  C[at] = C[shape.m * shape.n + at % 1024u];
}`);
  const seed = drawSeed();
  const secrets = secretsOf(seed);
  const options = { seed: secrets('inputs'), secrets, bufferSets: 1 };
  const prepared = await device.executor.prepare({ kernel, tunables: {} }, problem, options);
  try {
    await prepared.poison('stale');
    await prepared.sample({ dispatches: 1, rotate: true });
    const { bytes } = await prepared.readOutput(0);
    const words = [...new Uint32Array(bytes.slice().buffer, 0, 1024)];
    const { m, n } = problem.shape;
    const streams = words.map((word, i) => (unhash32(word) ^ (1024 + m * n + i)) >>> 0);
    expect(new Set(streams)).toEqual(new Set([secrets('guard')]));
    const followers = followersOf(streams[0]!, 3);
    const others = valuesOf(secrets).filter(([name]) => name !== 'guard 0');
    expect(others.filter(([, value]) => followers.has(value))).toEqual([]);
  } finally {
    prepared.destroy();
  }
});
