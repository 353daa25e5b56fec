import {
  fromHalves,
  type GpuKernel,
  inputTensors,
  type Problem,
  parseVariant,
} from '@tilemark/kernels';
import { beforeAll, describe, expect, test } from 'vitest';
import { create } from 'webgpu';
import { storedBytes } from '../../../../../kernels/src/verify/stored.test-helper';
import { execute } from '../../../../services.test-helper';
import { questionSchema } from '../../../api/api';
import { kernelNeeds } from '../../../api/kernel';
import { RUN_SNIPPET } from '../../../api/run-snippet';
import { summarise } from '../../../statistics/summary';
import { verdictOn } from '../../../statistics/verdict';
import { sourceOf } from '../../../tune/best-words';
import {
  capabilities,
  identity,
  kernelRun,
  measured,
  planned,
  recordAll,
  recorded,
  square,
  sweepOf,
} from '../fixtures.test-helper';
import { testStore } from '../store.test-helper';
import {
  type Asked,
  bestOf,
  cube,
  deviceWith,
  questionOf,
  type Tile,
  textsOf,
  tileAddress,
  tileRun,
} from './tiles.test-helper';

const gpu = create([]);

const { store, url } = await testStore();

const find = (asked: Asked) => bestOf(store, asked);

test('a device has the features that its results show under the profile', async () => {
  const features = [...capabilities.features, 'shader-f16'];
  const of = identity('Half');
  const key = await deviceWith(store, { ...of, vendor: 'halves' }, []);
  const problem = { ...square(512), dtype: 'f16' } as const;
  const { workerId } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: { ...of, vendor: 'halves' },
    capabilities,
  });
  const run = { ...tileRun(key, 'middle', problem), profile: 'fast' } as const;
  const { runIds } = await sweepOf(store, [run]);
  const record = recorded(runIds[0] ?? '', workerId, measured(1e6), key);
  const environment = { ...record.environment, capabilities: { ...capabilities, features } };
  await store.runs.record({ ...record, environment });
  const asked = { ...cube(512), dtype: 'f16', profile: 'fast' } as const;
  const answer = { address: tileAddress('middle'), quote: { source: 'measured', device: 'Half' } };
  expect(await find({ ...asked, device: key })).toMatchObject(answer);
  expect(await find({ ...asked, vendor: 'halves' })).toMatchObject(answer);
});

test('a token times weights in q4_0 is answered by a program that runs as it is', async () => {
  const halves = { ...capabilities, features: [...capabilities.features, 'shader-f16'] };
  const who = { ...identity('Decoder'), vendor: 'decoders' };
  const key = await deviceWith(store, who, []);
  const worker = { name: 'w', host: 'h', version: '0', identity: who, capabilities: halves };
  const { workerId } = await store.workers.attach(worker);
  const shape = { m: 1, n: 96, k: 64 };
  const problem: Problem = { op: 'matmul', shape, dtype: 'f16-q4' };
  const run = kernelRun(key, 'matmul/rows-of-weights', problem);
  const { runIds } = await sweepOf(store, [run]);
  const record = recorded(runIds[0] ?? '', workerId, measured(1e6), key);
  const environment = { ...record.environment, capabilities: halves };
  await store.runs.record({ ...record, environment });

  const answer = await find({ ...shape, dtype: 'f16-q4', vendor: 'decoders' });
  expect(answer).toMatchObject({ quote: { source: 'measured' }, problem });
  expect(answer?.bindings.map(({ name }) => name)).toEqual(['A', 'B', 'B_scales', 'C', 'shape']);
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice({ requiredFeatures: ['shader-f16'] });
  const prepare = new Function(`${RUN_SNIPPET}\nreturn prepare;`)();
  const output = fromHalves(
    new Uint16Array(await (await prepare(device, answer)).run(storedBytes(problem, { seed: 3 }))),
  );
  const [a, b] = inputTensors(problem, { seed: 3 });
  for (let col = 0; col < shape.n; col++) {
    const want = [...a!].reduce((sum, value, p) => sum + value * b![p * shape.n + col]!, 0);
    expect(output[col]).toBeCloseTo(want, 2);
  }
  device.destroy();
});

test('where nothing is known, a portable variant is named, unmeasured, that plain WebGPU can run', async () => {
  const halves = { dtype: 'f16', vendor: 'apple' };
  for (const asked of [cube(64), cube(2048), cube(4096), { ...cube(2048), ...halves }]) {
    const found = await find(asked);
    expect(found).toMatchObject({ basis: 'portable', quote: null, others: [] });
    const { features = [], workgroupBytes = 0, workgroupSize = [] } = found?.needs ?? {};
    expect(features).toEqual('vendor' in asked ? ['shader-f16'] : []);
    expect(workgroupBytes).toBeLessThanOrEqual(16_384);
    expect(workgroupSize.reduce((a, b) => a * b, 1)).toBeLessThanOrEqual(256);
    // No workgroups by the processors of the GPU that it was found on.
    expect(found?.variant.tunables).not.toHaveProperty('WAVE');
  }
});

test.each([
  ['f32-q4z', 'nvidia', 1],
  ['f32-q4z', 'apple', 4],
  ['q8-q8', 'apple', 1],
] as const)(
  'weights of %s on %s, which nobody timed, are multiplied as other weights by rows are',
  async (dtype, vendor, m) => {
    const found = await find({ ...cube(4096), m, dtype, vendor });
    expect(found).toMatchObject({
      basis: 'portable',
      variant: { kernel: 'matmul/rows-of-weights' },
    });
    expect(found?.bindings.map(({ name }) => name)).toContain('B_scales');
  },
);

describe('with results', () => {
  let own: string;
  beforeAll(async () => {
    // On its own, `large` wins; over both devices of the architecture, `middle` does.
    own = await deviceWith(store, { device: 'Own' }, [
      ['small', 512, 4],
      ['middle', 512, 2.2],
      ['large', 512, 2],
      ['large', 2048, 100],
    ]);
    await deviceWith(store, { device: 'Sibling' }, [
      ['small', 512, 8],
      ['middle', 512, 1],
      ['large', 512, 3],
    ]);
    await deviceWith(store, { device: 'Cousin', architecture: 'bellows' }, [
      ['small', 512, 1],
      ['middle', 512, 50],
      ['large', 512, 50],
      ['small', 8192, 9_000],
    ]);
    // Another compiler, other times.
    await deviceWith(store, { device: 'Under wgpu', runtime: 'deno' }, [
      ['small', 512, 5],
      ['middle', 512, 50],
      ['large', 512, 0.1],
    ]);
    await deviceWith(store, { device: 'Stranger', vendor: 'other', architecture: 'loom' }, [
      ['small', 512, 1],
      ['large', 512, 40],
    ]);
    await deviceWith(
      store,
      { device: 'Software', vendor: 'mesa', architecture: '', class: 'software' },
      [
        ['middle', 512, 0.1],
        ['middle', 16, 0.1],
      ],
    );
  });

  test('a device with results decides for itself', async () => {
    expect(await find({ ...cube(512), device: own })).toMatchObject({
      basis: 'device',
      address: tileAddress('large'),
      quote: {
        ns: 2e6,
        source: 'measured',
        device: 'Own',
        shape: '512',
        rate: { unit: 'GFLOP/s' },
      },
      others: [{ address: tileAddress('middle'), ns: 2.2e6, source: 'measured' }, {}],
    });
  });

  test('else its architecture, by what is nearest to the best of each', async () => {
    const found = await find({ ...cube(512), vendor: 'ACME', architecture: 'Anvil' });
    expect(found).toMatchObject({ basis: 'architecture', address: tileAddress('middle') });
  });

  test('else its vendor; where no GPU is named every GPU; software where it is asked for', async () => {
    const vendor = await find({ ...cube(512), vendor: 'acme', architecture: 'unseen' });
    expect(vendor).toMatchObject({ basis: 'vendor', address: tileAddress('small') });
    const any = await find(cube(512));
    expect(any).toMatchObject({ basis: 'any', address: tileAddress('small') });
    // Software alone has this shape.
    expect(await find(cube(16))).toMatchObject({ quote: { shape: '512' } });
    const software = await find({ ...cube(512), vendor: 'mesa' });
    expect(software).toMatchObject({ basis: 'vendor', address: tileAddress('middle') });
  });

  test.each([{ device: 'M3' }, { gpu: 'banana' }, { vendor: 'unseen' }, { gpu: 'apple,banana' }])(
    '%j is refused by name, with those that are known',
    async (gpu) => {
      const failure = await find({ ...cube(512), ...gpu }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ field: 'gpu' });
      const name = Object.values(gpu)[0]?.split(',').at(-1);
      expect(String(failure)).toMatch(new RegExp(`'${name}' is no GPU .*${own}.*apple`));
    },
  );

  test('a device without results takes the vendor and architecture that it has', async () => {
    const fresh = await deviceWith(store, { device: 'Fresh' }, []);
    expect(await find({ ...cube(512), device: fresh })).toMatchObject({
      basis: 'architecture',
      address: tileAddress('middle'),
    });
  });

  test('a device takes the times of its engine alone', async () => {
    const fresh = await deviceWith(store, { device: 'Fresh under wgpu', runtime: 'firefox' }, []);
    expect(await find({ ...cube(512), device: fresh })).toMatchObject({
      basis: 'architecture',
      address: tileAddress('large'),
    });
  });

  test('a card is answered under another engine by the times that another runtime took of it', async () => {
    const card = { device: 'Card 7', vendor: 'cards', architecture: '' };
    const key = await deviceWith(store, card, [
      ['small', 512, 4],
      ['middle', 512, 2],
    ]);
    await deviceWith(store, { ...card, runtime: 'deno' }, [
      ['small', 512, 5],
      ['large', 512, 9],
    ]);
    expect(await find({ ...cube(512), device: key })).toMatchObject({
      engine: 'tint',
      quote: { ns: 2e6 },
    });
    const found = await find({ ...cube(512), device: key, engine: 'naga' });
    expect(found).toMatchObject({
      ...{ engine: 'naga', basis: 'device', address: tileAddress('small') },
      ...{ quote: { ns: 5e6 }, others: [{ address: tileAddress('large') }] },
    });
    expect(await find({ ...cube(512), vendor: 'cards', engine: 'naga' })).toMatchObject({
      basis: 'vendor',
      quote: { ns: 5e6 },
    });
  });

  test.each(['naga', 'webkit'] as const)(
    'without a time under %s, those under Tint give the order and no time, among what it compiles',
    async (engine) => {
      const lanes = parseVariant('matmul/subgroup');
      const { features } = kernelNeeds(lanes.definition as GpuKernel, lanes.tunables, 'f32');
      const able = { ...capabilities, features: [...capabilities.features, ...features] };
      const who = { ...identity(`Lanes ${engine}`), vendor: 'lanes', architecture: engine };
      const worker = { name: 'w', host: 'h', version: '0', identity: who, capabilities: able };
      const { deviceKey, workerId } = await store.workers.attach(worker);
      for (const [run, ms] of [
        [kernelRun(deviceKey, 'matmul/subgroup', square(512)), 1],
        [tileRun(deviceKey, 'small', square(512)), 4],
        [tileRun(deviceKey, 'middle', square(512)), 3],
      ] as const) {
        const { runIds } = await sweepOf(store, [run]);
        const record = recorded(runIds[0] ?? '', workerId, measured(ms * 1e6), deviceKey);
        const environment = { ...record.environment, capabilities: able };
        await store.runs.record({ ...record, environment });
      }
      const asked = questionOf({ ...cube(512), device: deviceKey, engine });
      const [row] = await store.best(asked);
      expect(row?.best).toMatchObject({
        ...{ engine, basis: 'tint', quote: null, others: [], address: tileAddress('middle') },
        excluded: expect.arrayContaining([
          { reason: expect.stringContaining('subgroups'), variants: expect.any(Number) },
        ]),
      });
      expect(sourceOf(row!)).toBe(`timed under tint, not under ${engine}`);
      expect(await find({ ...cube(512), device: deviceKey })).toMatchObject({
        ...{ engine: 'tint', address: lanes.address, quote: { ns: 1e6 } },
      });
    },
  );

  test('an engine without toggles has no profile but default, and an unknown one is refused', () => {
    const refused = (asked: Asked) =>
      questionSchema.safeParse(textsOf({ ...cube(512), ...asked })).error?.issues[0];
    expect(refused({ engine: 'naga', profile: 'fast' })).toMatchObject({
      path: ['profile'],
      message: 'fast needs Dawn (engine tint): naga has only the profile default',
    });
    expect(refused({ engine: 'gecko' })).toMatchObject({
      path: ['engine'],
      message: expect.stringMatching(/tint.*naga.*webkit/),
    });
  });

  test('another shape takes the nearest, and says which', async () => {
    const near = await find({ m: 500, n: 600, k: 700, device: own });
    expect(near).toMatchObject({ basis: 'device', quote: { source: 'predicted', shape: '512' } });
    expect(near?.problem).toMatchObject({ shape: { m: 500, n: 600, k: 700 } });
    expect(await find({ ...cube(1500), device: own })).toMatchObject({
      quote: { shape: '2048' },
    });
  });

  test('a batch of one is a product, and a batch runs the shader of a batch', async () => {
    expect((await find({ b: 1, ...cube(512), device: own }))?.problem).toEqual(square(512));
    const batch = await find({ b: 8, ...cube(512), device: own });
    expect(batch?.quote?.source).toBe('predicted');
    expect(batch?.problem).toMatchObject({ shape: { b: 8, ...cube(512) } });
    expect(batch?.wgsl).toContain('product * shape.m');
    expect(batch?.passes[0]?.workgroups[2]).toBe(8);
    expect(batch?.bindings.find(({ name }) => name === 'shape')?.values).toEqual([512, 512, 512]);
  });

  test('the shader is what this release writes, with how to dispatch it on the asked problem', async () => {
    const found = await find({ m: 500, n: 600, k: 700, device: own });
    expect(found?.wgsl).toContain('const TILE: u32 = 32u;');
    expect(found?.needs?.workgroupSize).toEqual([32, 32, 1]);
    expect(found?.passes).toEqual([{ entryPoint: 'main', workgroups: [19, 16, 1] }]);
  });

  test('a duel decides between times that cannot be told apart', async () => {
    const key = await deviceWith(store, { device: 'Dueling', architecture: 'duel' }, [
      ['small', 512, 2.01],
      ['middle', 512, 2],
      ['large', 512, 1.4],
      ['small', 256, 1],
      ['middle', 256, 0.5],
    ]);
    const { workerId } = await store.workers.attach({
      name: 'duels',
      host: 'h',
      version: '0',
      capabilities,
      identity: { ...identity('Dueling'), architecture: 'duel' },
    });
    /** `a` takes 2% less in turns. */
    const hold = async (a: Tile, b: Tile, n: number, ms: number) => {
      const side = (ns: number) => ({
        ...summarise(Array.from({ length: 16 }, () => ns)),
        implausible: null,
      });
      const alone = measured(ms * 1e6, { policy: 'screen', samples: 40 });
      if (alone.kind !== 'measured') throw new Error('it was measured');
      const duel = {
        ...verdictOn(1.02, 1.02, 1.02),
        ...({ rounds: 8, stop: 'converged', a: side(1e6), b: side(1.02e6) } as const),
      };
      const rival = { variant: tileRun(key, b, square(n)).variant };
      await recordAll(store, key, workerId, [
        [
          { ...tileRun(key, a, square(n)), policy: 'screen', rival },
          {
            ...alone,
            measurement: {
              ...alone.measurement,
              duel: { against: tileAddress(b), duel, why: null },
            },
          },
        ],
      ]);
    };
    expect(await find({ ...cube(512), device: key })).toMatchObject({
      address: tileAddress('large'),
    });
    await hold('small', 'middle', 512, 2.01);
    await hold('small', 'middle', 256, 1);
    // It changes nothing where another is first, or where times of their own say otherwise.
    expect((await find({ ...cube(512), device: key }))?.address).toBe(tileAddress('large'));
    expect((await find({ ...cube(256), device: key }))?.address).toBe(tileAddress('middle'));
    const noted = await deviceWith(store, { device: 'Dueling', architecture: 'duel' }, [
      ['large', 512, 2.6],
      ['large', 512, 2.6],
      ['large', 512, 2.6],
      ['large', 512, 2.6],
    ]);
    expect(noted).toBe(key);
    expect(await find({ ...cube(512), device: key })).toMatchObject({
      address: tileAddress('small'),
      basis: 'device',
    });
    // One that is not trusted decides nothing.
    await execute(url, `UPDATE "Result" SET "trusted" = false WHERE "workerId" = '${workerId}'`);
    expect(await find({ ...cube(512), device: key })).toMatchObject({
      address: tileAddress('middle'),
    });
  });

  test('neither unranked nor other profiles decide', async () => {
    const noisy = await deviceWith(store, { device: 'Noisy', architecture: 'noise' }, [
      ['small', 512, measured(1, { unranked: 'noisy' })],
    ]);
    expect(await find({ ...cube(512), device: noisy })).toMatchObject({ basis: 'vendor' });
    const fast = await find({ ...cube(512), device: own, profile: 'fast' });
    expect(fast).toMatchObject({ basis: 'portable', quote: null });
    expect(await find({ ...cube(512), device: own, dtype: 'f16' })).toBeNull();
  });

  test('what few devices measured comes after what many did', async () => {
    const wide = await Promise.all(
      ['W1', 'W2', 'W3'].map((name) =>
        deviceWith(store, { device: name, vendor: 'many', architecture: 'crowd' }, [
          ['small', 512, 2],
          ['middle', 512, 1.9],
        ]),
      ),
    );
    await deviceWith(store, { device: 'W4', vendor: 'many', architecture: 'crowd' }, [
      ['middle', 512, 3],
      ['large', 512, 1],
    ]);
    expect(wide).toHaveLength(3);
    expect(await find({ ...cube(512), vendor: 'many', architecture: 'crowd' })).toMatchObject({
      address: tileAddress('middle'),
    });
  });

  test('a variant that cannot run the asked problem is out, with the reason', async () => {
    const { deviceKey, workerId } = await store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      identity: { ...identity('Tight'), vendor: 'tight' },
      capabilities: { ...capabilities, maxComputeInvocationsPerWorkgroup: 256 },
    });
    await recordAll(store, deviceKey, workerId, [
      [tileRun(deviceKey, 'large', square(64)), measured(1e6)],
      [tileRun(deviceKey, 'middle', square(64)), measured(2e6)],
      [planned(deviceKey, { address: 'matmul/gone[X=1]' }), measured(0.5e6)],
    ]);
    expect(await find({ ...cube(64), device: deviceKey })).toMatchObject({
      basis: 'device',
      address: tileAddress('middle'),
      excluded: expect.arrayContaining([
        { reason: expect.stringContaining('256'), variants: expect.any(Number) },
      ]),
    });
  });

  test('a host is answered with a kernel of the host, and a GPU never is', async () => {
    const { deviceKey, workerId } = await store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      identity: identity('Host', 'cpu'),
      capabilities,
    });
    const kernel = 'matmul/cpu-naive';
    const host = planned(deviceKey, {
      variant: { kernel, tunables: {} },
      address: kernel,
      problem: square(512),
    });
    await recordAll(store, deviceKey, workerId, [[host, measured(1)]]);
    expect(await find({ ...cube(512), device: deviceKey })).toMatchObject({
      address: kernel,
      wgsl: null,
      needs: null,
      passes: [],
    });
    expect((await find({ ...cube(512), vendor: 'acme' }))?.wgsl).not.toBeNull();
  });

  test.each([
    [{ m: 1, n: 1 }, 'k'],
    [{ b: 2, m: 1, n: 1 }, 'k'],
    [{ op: 'transpose', rows: 1, cols: 1, b: 2 }, 'b'],
    [{ ...cube(1), rows: 1 }, 'rows'],
    [{ m: 1, n: 48, k: 48, dtype: 'f16-q4' }, 'k'],
    [{ op: 'transpose', rows: 1, cols: 1, dtype: 'f16-nt' }, 'dtype'],
    [{ op: 'transpose', rows: 1 }, 'cols'],
    [{ op: 'transpose', rows: 1, cols: 1, k: 1 }, 'k'],
  ] as [Asked, string][])('%j is refused at %s', (asked, field) => {
    const { error } = questionSchema.safeParse(textsOf(asked));
    expect(error?.issues[0]?.path).toEqual([field]);
  });
});

test('an epilogue is put into the program of what is best for the product alone', async () => {
  const fuser = { device: 'Fuser', vendor: 'fusers' };
  const asked = { ...cube(512), device: await deviceWith(store, fuser, [['middle', 512, 4]]) };
  const alone = await find(asked);
  const answer = await find({ ...asked, epilogue: 'bias-silu' });
  expect(answer).toMatchObject({
    address: alone?.address,
    quote: alone?.quote,
    problem: { epilogue: 'bias-silu' },
  });
  expect(answer?.bindings.map(({ name }) => name)).toEqual(['A', 'B', 'bias', 'C', 'shape']);
  const refused = textsOf({ ...asked, dtype: 'i32', epilogue: 'relu' });
  expect(questionSchema.safeParse(refused).error?.issues[0]?.path).toEqual(['epilogue']);
});

test('under default, what no browser compiles is no answer, even where it was measured', async () => {
  const who = { ...identity('Matrices'), vendor: 'matrices' };
  const matrices = parseVariant('matmul/subgroup-matrix');
  const { features } = kernelNeeds(matrices.definition as GpuKernel, matrices.tunables, 'f16');
  const able = { ...capabilities, features: [...capabilities.features, ...features] };
  const problem: Problem = { ...square(512), dtype: 'f16' };
  const worker = { name: 'w', host: 'h', version: '0', identity: who, capabilities: able };
  const { deviceKey, workerId } = await store.workers.attach(worker);
  for (const profile of ['default', 'fast'] as const) {
    for (const [run, ms] of [
      [kernelRun(deviceKey, 'matmul/subgroup-matrix', problem), 1],
      [tileRun(deviceKey, 'middle', problem), 4],
    ] as const) {
      const { runIds } = await sweepOf(store, [{ ...run, profile }]);
      const record = recorded(runIds[0] ?? '', workerId, measured(ms * 1e6), deviceKey);
      const environment = { ...record.environment, capabilities: able };
      await store.runs.record({ ...record, environment });
    }
    const found = await find({ ...cube(512), dtype: 'f16', profile, device: deviceKey });
    const address = profile === 'fast' ? matrices.address : tileAddress('middle');
    const quote = { ns: profile === 'fast' ? 1e6 : 4e6, source: 'measured' };
    expect(found).toMatchObject({ address, quote });
  }
});
