import { readdir, readFile } from 'node:fs/promises';
import { drawSeed, POLICIES, runDuel, runVariant } from '@tilemark/core';
import { admitKernel } from '@tilemark/core/contributed';
import {
  bufferBytes,
  type Executor,
  kernelById,
  type Prepared,
  type Problem,
} from '@tilemark/kernels';
import { afterAll, describe, expect, it, test } from 'vitest';
import { chooseDevice, openDevice } from '../../apps/worker/src/device/select';
import { secretsOf } from '../../packages/core/src/measure/seed';
import { followersOf, unhash32, valuesOf } from '../../packages/core/src/measure/seed.test-helper';

const FOLDER = new URL('./adversaries/', import.meta.url);
const device = await openDevice(await chooseDevice('auto'), 'default', new URL('none:'));
afterAll(() => device.executor.destroy());

const problem = { op: 'matmul', shape: { m: 64, n: 96, k: 512 }, dtype: 'f32' } as const;
const { inputs, output } = bufferBytes(problem);
const surroundings = (seed: number) => ({
  deviceClass: device.identity.class,
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

/** The problem in the dtype of a variant's kernel. */
const problemFor = ({ kernel }: { kernel: string }): Problem => {
  const [dtype = 'f32'] = kernelById(kernel).dtypes;
  return { ...problem, dtype };
};

const NAIVE = { kernel: 'matmul/naive', tunables: {} };

/** Kept products take a fiftieth of the time; how two honest loops compare is another matter. */
const MOST_TIMES_NAIVE = 4;

describe.each(await readdir(FOLDER))('%s', (name) => {
  it.each([drawSeed(), drawSeed()])('gains nothing in a run (seed %i)', async (seed) => {
    const { executor, capabilities } = device;
    const variant = await admit(name);
    const run = async (measured: typeof NAIVE) =>
      runVariant(
        ...([executor, measured, problemFor(variant), policy, capabilities] as const),
        surroundings(seed),
      );
    const outcome = await run(variant);
    if (outcome.kind !== 'measured') return expect(outcome).toMatchObject({ kind: 'incorrect' });
    const { cold, disbelieved } = outcome.measurement;
    if (disbelieved) return;
    // It had to compute each product that was timed. A busy machine makes times longer, never shorter.
    let naiveNs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 3 && naiveNs / cold.medianNs >= MOST_TIMES_NAIVE; i++) {
      const naive = await run(NAIVE);
      if (naive.kind !== 'measured') throw new Error(`naive ended ${naive.kind}`);
      naiveNs = Math.min(naiveNs, naive.measurement.cold.medianNs);
    }
    expect(naiveNs / cold.medianNs).toBeLessThan(MOST_TIMES_NAIVE);
  });

  it('has no use for what it keeps in a duel with the loop that it has', async () => {
    const { executor, capabilities } = device;
    const variants = { a: await admit(name), b: NAIVE };
    const ended = await runDuel(
      executor,
      variants,
      problemFor(variants.a),
      capabilities,
      surroundings(drawSeed()),
      {
        longestNs: 1e9,
      },
    );
    if (ended.kind === 'dueled' && ended.duel.a.implausible) return;
    if (ended.kind === 'dueled') expect(ended.duel.ratio).toBeLessThan(MOST_TIMES_NAIVE);
    else expect(ended).toMatchObject({ side: 'a', outcome: { kind: 'incorrect' } });
  });
});

describe('a kernel that works late in samples', () => {
  const small = { op: 'matmul', shape: { m: 16, n: 24, k: 64 }, dtype: 'f32' } as const;

  /**
   * Timed dispatches, and those that left their output as it was. A dispatch takes 400 us within 1%
   * by a clock of the test's own, so that a seed gives the same series on every machine.
   */
  async function undoneBy(variant: typeof NAIVE, seed: number) {
    const { executor, capabilities } = device;
    const found = { timed: 0, undone: 0 };
    const secrets = secretsOf(seed);
    let samples = 0;
    let isCold = false;
    let nowNs = 0;
    const take = (dispatches: number) => {
      const jitter = secrets('jitter', samples++) / 2 ** 32;
      const ns = dispatches * 400_000 * (0.99 + 0.02 * jitter);
      nowNs += ns;
      return { ns, wallNs: ns };
    };
    const watched = (good: Prepared): Partial<Prepared> => {
      const outputs = new Map<number, string>();
      let inputs = 0;
      return {
        refill: (seed, next) => {
          // Repeated inputs give the same outputs.
          if (seed === inputs) outputs.clear();
          inputs = seed;
          return good.refill(seed, next);
        },
        beginFingerprint: () => {
          take(1);
          return good.beginFingerprint();
        },
        beginJudged: (options, sets) => {
          take(options.dispatches);
          return good.beginJudged(options, sets);
        },
        sample: async (options) => {
          if (!isCold || !options.rotate) {
            await good.sample(options);
            return take(options.dispatches);
          }
          // The kernel cannot tell passes of one dispatch from one of all.
          for (let i = 0; i < options.dispatches; i++) {
            await good.sample({ dispatches: 1, rotate: true });
            const { bytes } = await good.readOutput(good.lastSet);
            const text = Buffer.from(bytes).toString('base64');
            found.timed++;
            if (outputs.get(good.lastSet) === text) found.undone++;
            outputs.set(good.lastSet, text);
          }
          return take(options.dispatches);
        },
      };
    };
    const watching: Executor = {
      timer: executor.timer,
      compile: (...args) => executor.compile(...args),
      probe: (...args) => executor.probe(...args),
      destroy: () => undefined,
      prepare: async (...args) => {
        const good = await executor.prepare(...args);
        const own = watched(good);
        return new Proxy(good, {
          get: (target, name) => {
            const from = name in own ? own : target;
            const value: unknown = Reflect.get(from, name, from);
            return typeof value === 'function' ? value.bind(from) : value;
          },
        });
      },
    };
    const outcome = await runVariant(watching, variant, small, policy, capabilities, {
      ...surroundings(seed),
      lastLevelCacheBytes: 8_000,
      nowNs: () => nowNs,
      onStep: (step) => {
        isCold = step === 'cold';
      },
    });
    return { ...found, kind: outcome.kind };
  }

  test('leaves out few dispatches that count, over runs of six seeds', async () => {
    const kernel = await admit('works-late-in-samples.wgsl');
    const sum = { timed: 0, undone: 0 };
    for (const seed of [5, 6, 7, 8, 9, 10]) {
      const { kind, timed, undone } = await undoneBy(kernel, seed);
      expect(timed).toBeGreaterThan(100);
      sum.timed += timed;
      if (kind === 'measured') sum.undone += undone;
      else expect(kind).toBe('incorrect');
    }
    // By chance it guesses right in one series or the other.
    expect(sum.undone / sum.timed).toBeLessThan(0.05);
  }, 60_000);
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
