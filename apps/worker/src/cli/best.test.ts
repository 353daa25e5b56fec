import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerFor, FAMILIES, gpuOf, knownGpus, shippedOf } from '@tilemark/core';
import { InputError, parseProblem, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { type BestOptions, best } from './best';

const H200 = 'nvidia-nvidia_h200-vulkan-dawn';

/** What ships of one device, as `tune --save` would write it. */
const EVIDENCE = fileURLToPath(
  new URL(
    '../../../../packages/core/src/tune/evidence/nvidia-h100-transpose-f32.json',
    import.meta.url,
  ),
);
const family = FAMILIES.find(({ id }) => id === 'transpose-shapes');

async function printed(over: Partial<BestOptions>): Promise<string> {
  const texts: string[] = [];
  const options = { op: 'matmul', dtype: 'f16', profile: 'default', format: 'table' } as const;
  const shape = over.suite ? {} : { shape: '1,4096,11008' };
  await best({ ...options, ...shape, ...over }, (text) => texts.push(text));
  return texts.join('\n');
}

it('prints the choice of /best for every shape and GPU', async () => {
  const problem = parseProblem({ op: 'matmul', shape: '1x4096x11008', dtype: 'f16' });
  const kind = { op: 'matmul', dtype: 'f16', profile: 'default' } as const;
  const evidence = shippedOf(gpuOf(H200, knownGpus()), kind);
  const choice = answerFor(problem, 'default', evidence).best;
  const { items } = JSON.parse(await printed({ format: 'json', gpu: `${H200},apple` }));
  expect(items).toHaveLength(2);
  expect(items[0].best).toMatchObject({ address: choice?.address, quote: choice?.quote });
  expect(items[1].best).toMatchObject({ basis: 'portable', quote: null });
  const text = await printed({ gpu: 'apple,nvidia' });
  expect(text).toContain('1x4096x11008');
  expect(text).toContain('unmeasured: portable default');
});

it('prints every shape of a family by files of evidence, on the device that they are of', async () => {
  const over = { suite: family!, dtype: 'f32', profile: 'fast', evidence: [EVIDENCE] } as const;
  const { items } = JSON.parse(await printed({ ...over, format: 'json' }));
  expect(items).toHaveLength(family?.shapes.length ?? 0);
  for (const { best: choice, gpu } of items) {
    expect(gpu).toMatch(/h100/);
    expect(choice.quote.device).toMatch(/H100/);
    expect(choice.passes[0].workgroups).toHaveLength(3);
  }
});

it('answers under an engine by its times alone, and by the order of those under Tint where it has none', async () => {
  const asked = { op: 'transpose', dtype: 'f32', shape: '4096', format: 'json' } as const;
  const shipped = JSON.parse(await readFile(EVIDENCE, 'utf8'));
  const file = join(await mkdtemp(join(tmpdir(), 'tilemark-')), 'naga.json');
  const device = { ...shipped.device, backend: 'webgpu', runtime: 'deno' };
  await writeFile(file, JSON.stringify({ ...shipped, device, profile: 'default' }));
  const under = async (over: Partial<BestOptions>) => {
    const { items } = JSON.parse(await printed({ ...asked, ...over }));
    return items[0].best;
  };
  const evidence = [file];
  const [tint, naga] = [await under({ gpu: 'nvidia' }), await under({ gpu: 'nvidia', evidence })];
  expect(tint).toMatchObject({ engine: 'tint', basis: 'vendor' });
  expect(naga).toMatchObject({ engine: 'tint', basis: 'portable', quote: null });
  // The key of the file's device names its runtime.
  for (const over of [{}, { engine: 'naga', gpu: 'nvidia' }] as const) {
    const found = await under({ ...over, evidence });
    expect(found).toMatchObject({ engine: 'naga', quote: { profile: 'default' } });
  }
  expect(await under({ engine: 'webkit', gpu: 'nvidia' })).toMatchObject({
    ...{ engine: 'webkit', basis: 'tint', quote: null, address: tint.address },
  });
  // One time of a shape far away says less than their order, and of its own it says all.
  const [{ address }] = tint.others;
  const far = { shape: '64', times: [[0, 1e3]] };
  const thin = { ...shipped, device, profile: 'default', variants: [address], shapes: [far] };
  await writeFile(file, JSON.stringify(thin));
  const both = { engine: 'naga', gpu: 'nvidia', evidence: [EVIDENCE, file] } as const;
  expect(await under(both)).toMatchObject({ basis: 'tint', quote: null });
  expect(await under({ ...both, shape: '64' })).toMatchObject({ address, quote: { ns: 1e3 } });
  const text = await printed({ ...asked, format: 'table', engine: 'webkit', gpu: 'nvidia' });
  expect(text).toContain('timed under tint, not under webkit');
});

it('shows of a decode what it reads of memory, and the share of the fastest copy', async () => {
  const shape = '1x4096x11008';
  const { items } = JSON.parse(await printed({ shape, format: 'json', gpu: H200 }));
  const { error, ns, memory } = items[0].best.quote;
  expect(memory.gigabytesPerSecond).toBeCloseTo((2 * (4096 * 11008 + 4096 + 11008)) / ns, 6);
  expect(memory.part).toBeGreaterThan(0.3);
  expect(memory.part).toBeLessThan(1.05);
  const text = await printed({ shape, gpu: H200 });
  expect(text).toContain(`${Math.round(100 * memory.part)}% of memory`);
  expect(text).toContain(` ${Number((100 * error).toPrecision(2))}% `);
  const square = JSON.parse(
    await printed({ dtype: 'f32', shape: '4096', format: 'json', gpu: H200 }),
  );
  expect(square.items[0].best.quote.memory).toBeNull();
});

it('prints the variant with the best worst share of every shape, and what is timed of it', async () => {
  const shipped = JSON.parse(await readFile(EVIDENCE, 'utf8'));
  const file = join(await mkdtemp(join(tmpdir(), 'tilemark-')), 'three.json');
  const variants = ['naive', 'tiled', 'padded'].map((name) => `transpose/${name}`);
  const addresses = variants.map((id) => parseVariant(id).address);
  const times = (...ns: number[]) => ns.map((each, at) => [at, each]);
  const shapes = [
    { shape: '2048', times: times(100, 400, 125) },
    { shape: '4096', times: times(1600, 400, 500) },
  ];
  await writeFile(file, JSON.stringify({ ...shipped, variants: addresses, shapes, measured: [] }));
  const asked = { op: 'transpose', dtype: 'f32', profile: 'fast', shape: '2048 4096' } as const;
  const one = { ...asked, one: true, evidence: [file] };
  const { items } = JSON.parse(await printed({ ...one, format: 'json' }));
  for (const { best: choice } of items) {
    expect(choice).toMatchObject({ address: addresses[2], one: { isTimed: true, timed: 2 } });
    expect(choice.one.worst).toBeCloseTo(0.8);
    expect(choice.one.cards).toEqual([shipped.device.device]);
  }
  const text = await printed(one);
  expect(text).toMatch(/80% of each card's best on average, 80% at worst/);
  expect(text).toMatch(/Learned from 1 card of nvidia .*; 2 of 2 shares timed, 0 predicted/);
  // Of a shape that nobody has timed, the share is a prediction.
  expect(await printed({ ...one, shape: '4096 3000' })).toMatch(/expected: a prediction/);
  // Where nobody has timed the GPU, the cards that ship decide, and no row has a time.
  const unknown = JSON.parse(await printed({ one: true, gpu: 'apple,amd', format: 'json' }));
  for (const { best: choice } of unknown.items) {
    expect(choice).toMatchObject({ basis: 'portable', quote: null, one: { share: null } });
    expect(choice.one.cards.join()).toMatch(/H200/);
  }
});

it('prints a module whose types TypeScript reads', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-'));
  await writeFile(join(folder, 'kernels.mjs'), await printed({ format: 'js', gpu: H200 }));
  const use = `import { kernelFor, requirements } from './kernels.mjs';
export async function use(adapter: GPUAdapter): Promise<ArrayBuffer> {
  const device = await adapter.requestDevice(requirements(adapter));
  const kernel = await kernelFor(device, '1x4096x11008', adapter.info);
  const bytes: number = kernel.tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
  // @ts-expect-error A shape is text.
  await kernelFor(device, bytes);
  return kernel.run([new Uint16Array(2)]);
}`;
  await writeFile(join(folder, 'use.mts'), use);
  const flags = '--noEmit --allowJs --target esnext --module nodenext --lib esnext,dom'.split(' ');
  const check = (file: string, ...more: string[]) =>
    spawnSync('npx', ['tsc', '--ignoreConfig', ...flags, ...more, join(folder, file)], {
      encoding: 'utf8',
    }).stdout;
  expect(check('use.mts', '--strict')).toBe('');
  expect(check('kernels.mjs', '--checkJs', '--strict', 'false')).toBe('');
});

it.each([
  ['csv', /^# matmul f16, profile default, engine tint, by Tilemark .*\n(# .*\n)+gpu,op,dtype/],
  ['js', /export async function kernelFor/],
  ['ggml', /ggml_webgpu_mul_mat_choice/],
  ['onnxruntime', /kMatMulChoices/],
] as const)('prints %s', async (format, pattern) => {
  expect(await printed({ format, gpu: H200 })).toMatch(pattern);
});

it.each([
  [{ gpu: 'banana' }, '--gpu', /'banana' is no GPU .*nvidia_h200.*apple/],
  [{ engine: 'naga', profile: 'fast' }, '--profile', /naga has only the profile default/],
  [
    { gpu: H200.replace('dawn', 'deno'), profile: 'fast' },
    '--profile',
    /naga has only the profile/,
  ],
  [{ shape: '4x4' }, '--shape', /is not a shape/],
  [{ shape: '1', suite: family }, '--shape', /give this or --suite/],
  [{ evidence: [EVIDENCE] }, '--evidence', /no file is of matmul in f16/],
  [{ evidence: ['none.json'] }, '--evidence', /none.json was not found/],
  [{ op: 'transpose', dtype: 'f16-q4', shape: '64' }, '--dtype', /./],
] as [Partial<BestOptions>, string, RegExp][])('refuses %j at %s', async (over, field, message) => {
  const error = await printed(over).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ field, message: expect.stringMatching(message) });
});
