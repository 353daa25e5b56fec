import {
  bindingsOf,
  constantsOf,
  feasible,
  fileOf,
  InputError,
  isContributed,
  kernelById,
  type Problem,
  passesOf,
  resolveVariant,
  sourceFor,
  specialise,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from '../measure/device';
import { planRuns } from '../plan/expansion';
import { specSchema } from '../plan/spec';
import { guess } from './guess';
import { admitKernel, readKernel } from './kernel';
import { KERNEL_LIMITS, kernelFileSchema, manifestJsonSchema } from './manifest';
import { roundedUp } from './names';
import { kernelTemplate } from './template';

const template = kernelTemplate('mine');
const fileWith = (source: string, manifest?: object) => ({
  author: 'ada',
  source,
  ...(manifest && { manifest: JSON.stringify(manifest) }),
});

/** The template with a change in its manifest. */
const withManifest = (change: object) => {
  const header = /\/\* tilemark([\s\S]*?)\*\//.exec(template)?.[1] ?? '{}';
  return fileWith(template, { ...JSON.parse(header), ...change });
};
const withSource = (from: string | RegExp, to: string) => {
  const source = template.replace(from, to);
  expect(source).not.toBe(template);
  return fileWith(source);
};
const lineOf = (source: string, text: string) =>
  source.slice(0, source.indexOf(text)).split('\n').length;

describe('a kernel in a file', () => {
  it('becomes a kernel as ours are', async () => {
    const { kernel, hash } = await admitKernel(fileWith(template));
    expect(kernel.id).toBe(`ada/mine@${hash.slice(0, 8)}`);
    expect(kernelById(kernel.id)).toBe(kernel);
    expect(fileOf(kernel.id)).toEqual(fileWith(template));
    expect(isContributed(kernel.id)).toBe(true);
    expect(isContributed('matmul/naive')).toBe(false);
    const problem: Problem = { op: 'matmul', shape: { m: 33, n: 65, k: 7 }, dtype: 'f32' };
    expect(passesOf(kernel, { BLOCK: 8 }, problem)).toEqual([
      { entryPoint: 'main', workgroups: [9, 5, 1] },
    ]);
    expect(kernel.needs({ BLOCK: 8 }, 'f32').workgroupSize).toEqual([8, 8, 1]);
    expect(specialise(kernel, { BLOCK: 8 }, 'f32')).toContain('const BLOCK: u32 = 8u;');
  });

  it('may declare constants in a chain, but not without end', async () => {
    const chain = (length: number) =>
      Array.from({ length }, (_, i) => `const C${i + 1} = C${i} + 1;\n`).join('');
    const chained = (length: number) =>
      template
        .replace('struct Shape', `const C0 = 3;\n${chain(length)}\nstruct Shape`)
        .replace('workgroup_size(BLOCK, BLOCK)', `workgroup_size(BLOCK, C${length} / 25)`);
    const { kernel } = await admitKernel(fileWith(chained(200)));
    expect(kernel.needs({ BLOCK: 8 }, 'f32').workgroupSize).toEqual([8, 8, 1]);
    await expect(admitKernel(fileWith(chained(256)))).rejects.toThrow('the most is 256');
  });

  it('may not declare more numbers and types than can be read', async () => {
    const padded = (pad: string, types = '') =>
      fileWith(`${template.replace('k: u32 }', `k: u32, _pad: ${pad} }`)}\n${types}`);
    await expect(admitKernel(padded('u32'))).resolves.toBeDefined();
    for (const pad of ['array<vec4u, 1000000>', 'array<array<vec4u, 60000>, 60000>']) {
      await expect(admitKernel(padded(pad))).rejects.toThrow('the most is 16384');
    }
    const twice = Array.from({ length: 40 }, (_, i) => `struct T${i + 1} { a: T${i}, b: T${i} }`);
    const types = ['alias T0 = u32;', ...twice].join('\n');
    await expect(admitKernel(padded('T40', types))).rejects.toThrow('the most is 16384');
    const deep = `${'array<'.repeat(100)}u32${', 1>'.repeat(100)}`;
    await expect(admitKernel(padded(deep))).rejects.toThrow('types within each other');
  });

  it('may be allowed larger errors than the usual', async () => {
    const errorGrowth = async (change: object) =>
      (await readKernel(withManifest(change))).kernel.errorGrowth;
    expect(await errorGrowth({})).toBeUndefined();
    expect(await errorGrowth({ errorGrowth: 3 })).toBe(3);
    await expect(errorGrowth({ errorGrowth: 0 })).rejects.toThrow(/errorGrowth/);
  });

  it('computes problems with its epilogue, whose bias is bound before the output', async () => {
    const bias = '@group(0) @binding(4) var<storage, read> extra: array<T>;\n\n@compute';
    const source = template
      .replace('@compute', bias)
      .replace('= T(sum);', '= T(sum + Acc(extra[col]));')
      .replace('"op":', '"epilogue": "bias", "bindings": { "bias": "extra" }, "op":');
    const { kernel } = await admitKernel(fileWith(source));
    const problem: Problem = { op: 'matmul', shape: { m: 3, n: 5, k: 7 }, dtype: 'f32' };
    const withBias = { ...problem, epilogue: 'bias' } as const;
    const variant = { kernel: kernel.id, tunables: {} };
    expect(feasible(variant, withBias, PLAIN_WEBGPU)).toEqual({ ok: true });
    expect(feasible(variant, problem, PLAIN_WEBGPU)).toMatchObject({
      why: 'computes the epilogue bias, not the product alone',
    });
    const { tunables } = resolveVariant(kernel.id, {});
    expect(bindingsOf(kernel, tunables, withBias).map(({ name, bytes }) => [name, bytes])).toEqual([
      ['A', 96],
      ['B', 144],
      ['bias', 32],
      ['C', 64],
      ['shape', 16],
    ]);
    const wgsl = sourceFor(kernel, tunables, withBias);
    expect(wgsl).toContain('@group(0) @binding(2) var<storage, read> extra');
    expect(wgsl).toContain('@group(0) @binding(3) var<storage, read_write> C');
    const [run] = planRuns(
      specSchema.parse({ cases: [{ kernel: kernel.id, shapes: [problem.shape] }] }),
      [{ key: 'gpu', class: 'gpu' }],
    );
    expect(run?.problem).toEqual(withBias);
  });

  it('refuses an epilogue of integers', async () => {
    const file = withManifest({ dtypes: ['i32'], epilogue: 'relu' });
    await expect(readKernel(file)).rejects.toMatchObject({
      field: 'manifest.epilogue',
      message: 'i32 has no epilogue: its functions are of floats',
    });
  });

  it('has another id once a letter of source or manifest differs', async () => {
    const ids = await Promise.all(
      [fileWith(template), withSource('sum +=', 'sum  +='), withManifest({ about: 'x' })].map(
        async (file) => (await readKernel(file)).kernel.id,
      ),
    );
    expect(new Set(ids).size).toBe(3);
  });

  it('dispatches what its manifest covers', async () => {
    const covers = { rows: 'BLOCK', cols: '4 * BLOCK', split: 'ceil(BLOCK / 3)', order: 'rows-x' };
    const passes = [{ entryPoint: 'main', covers: { rows: 1, cols: 1, order: 'flat' } }];
    const { kernel } = await readKernel(withManifest({ covers, passes }));
    const problem: Problem = { op: 'matmul', shape: { m: 33, n: 65, k: 7 }, dtype: 'f32' };
    expect(passesOf(kernel, { BLOCK: 8 }, problem)).toEqual([
      { entryPoint: 'main', workgroups: [5, 3, 3] },
      { entryPoint: 'main', workgroups: [33 * 65, 1, 1] },
    ]);
  });

  it('computes one product per dispatch, and is skipped for a batch', async () => {
    const { kernel } = await admitKernel(fileWith(template));
    const batch: Problem = { op: 'matmul', shape: { b: 2, m: 33, n: 65, k: 7 }, dtype: 'f32' };
    const variant = { kernel: kernel.id, tunables: {} };
    expect(feasible(variant, batch, PLAIN_WEBGPU)).toEqual({
      ok: false,
      why: 'computes one product per dispatch, not a batch',
    });
  });

  it('publishes the schema of its manifest', () => {
    expect(manifestJsonSchema()).toMatchObject({ required: ['name', 'op', 'dtypes'] });
  });
});

describe('bad input has one answer, at its place', () => {
  const entry = { entryPoint: 'main', covers: { rows: 1, cols: 1 } };
  const cases: readonly [string, () => { author: string; source: string }, string, RegExp][] = [
    ['empty', () => fileWith(' \n'), 'wgsl', /is empty/],
    ['10 MB', () => fileWith('x'.repeat(1e7)), 'wgsl', /limit is 262144/],
    [
      'not text',
      () => fileWith(`${template}\n\0`),
      `wgsl:${template.split('\n').length + 1}`,
      /UTF-8/,
    ],
    [
      'no manifest',
      () => fileWith(template.slice(template.indexOf('*/') + 2)),
      'manifest',
      /kernel new --from FILE/,
    ],
    [
      'no dtypes',
      () => withManifest({ dtypes: undefined }),
      'manifest.dtypes',
      /is required: say it, or run `tilemark kernel new --from FILE`/,
    ],
    ['broken JSON', () => withSource('"op":', 'op:'), 'wgsl:5', /not JSON/],
    ['no such op', () => withManifest({ op: 'sort' }), 'manifest.op', /one of matmul/],
    ['unknown field', () => withManifest({ tile: 3 }), 'manifest', /tile/],
    ['no entry point', () => withManifest({ entryPoint: 'run' }), 'manifest.entryPoint', /main/],
    [
      'no compute shader',
      () => withSource('@compute @workgroup_size(BLOCK, BLOCK)', ''),
      'manifest.entryPoint',
      /there are: none/,
    ],
    [
      'no entry point of a pass',
      () => withManifest({ passes: [{ ...entry, entryPoint: 'sum' }] }),
      'manifest.passes[0]',
      /there is no @compute function sum/,
    ],
    [
      'an output that is read only',
      () => withSource('<storage, read_write> C', '<storage, read> C'),
      `wgsl:${lineOf(template, '@binding(2)')}`,
      /C is C, the output: declare it var<storage, read_write>/,
    ],
    [
      'another op',
      () => withManifest({ op: 'transpose' }),
      `wgsl:${lineOf(template, '@binding(1)')}`,
      /B is B, the output: declare it var<storage, read_write>/,
    ],
    [
      'tensors that are nothing',
      () => withSource(/\b[AB]\b(?=: array|\[)/g, 'of$&'),
      'manifest.bindings.A',
      /no array A; it binds ofA, ofB, C: which is A\?/,
    ],
    [
      'one array for two tensors',
      () => withManifest({ bindings: { B: 'A' } }),
      'manifest.bindings.B',
      /A is A already/,
    ],
    [
      'a texture',
      () => withSource('var<storage, read> B: array<T>', 'var B: texture_2d<f32>'),
      `wgsl:${lineOf(template, '@binding(1)')}`,
      /binding 1 must be a buffer: var<storage, read>/,
    ],
    [
      'a binding too many',
      () =>
        withSource(
          'struct Shape',
          '@group(0) @binding(4) var<storage> x: array<u32>;\nstruct Shape',
        ),
      'manifest.zeros.x',
      /what is x\? say it, or run `tilemark kernel new --from FILE`/,
    ],
    [
      'unused tunable',
      () => withManifest({ tunables: { BLOCK: [8], TILE: [4] } }),
      'manifest.tunables.TILE',
      /never uses TILE/,
    ],
    [
      'an override without a value',
      () => withSource('struct Shape', 'override WIDTH: u32;\nstruct Shape'),
      `wgsl:${lineOf(template, 'struct Shape')}`,
      /override WIDTH has no value: make it a tunable, or say in "sizes" what it is/,
    ],
    [
      'a size of nothing in the source',
      () => withManifest({ sizes: { lda: 'k' } }),
      'manifest.sizes.lda',
      /no field, override, or const lda; its fields: shape.m, shape.n, shape.k/,
    ],
    [
      'a placeholder that the source has not',
      () => withManifest({ placeholders: { '{{ M }}': 'm' } }),
      'manifest.placeholders.{{ M }}',
      /the source has no {{ M }}/,
    ],
    [
      'both covers and workgroups',
      () => withManifest({ workgroups: [1] }),
      'manifest',
      /needs one of "covers" and "workgroups"/,
    ],
    [
      'immediates',
      () => withSource('var<uniform> shape', 'var<uniform> x: u32;\nvar<immediate> shape'),
      `wgsl:${lineOf(template, '@binding(3)') + 1}`,
      /immediates are not supported: bind these sizes as var<uniform>/,
    ],
    [
      'WESL',
      () => withSource('struct Shape', 'import package::util::load;\nstruct Shape'),
      `wgsl:${lineOf(template, 'struct Shape')}`,
      /this is WESL.*link it first/,
    ],
    [
      'sizes before the values of a tensor',
      () =>
        withSource('B: array<T>;', 'B: Tensor; struct Tensor { extent: vec2f, values: array<T> }'),
      `wgsl:${lineOf(template, '@binding(1)')}`,
      /B has extent before its values; .* the sizes as a uniform/,
    ],
    [
      'a length that is not read',
      () => withSource('k: u32 }', 'k: u32, pad: array<u32, vec2u(3, 5).y> }'),
      `wgsl:${lineOf(template, 'struct Shape')}`,
      /'vec2u\(3 5\)\.y' cannot be read: write the number that it is/,
    ],
    [
      'a byte-order mark',
      () => fileWith(`\ufeff${template}`),
      'wgsl:1',
      /byte-order mark: save it as UTF-8 without one/,
    ],
    [
      'a uniform with more than the dimensions',
      () =>
        withSource('{ m: u32, n: u32, k: u32 }', '{ m: u32, n: u32, k: u32, lda: u32, ldb: u32 }'),
      'manifest.sizes.lda',
      /what is lda\? say it, or run `tilemark kernel new --from FILE`/,
    ],
    [
      'lines of a preprocessor',
      () => withSource('struct Shape', '#ifdef F16\nstruct Shape'),
      `wgsl:${lineOf(template, 'struct Shape')}`,
      /this is not WGSL: '#ifdef F16'; of a template or a preprocessor/,
    ],
    [
      'covers 0 rows',
      () => withManifest({ covers: { rows: 0, cols: 1 } }),
      'manifest.covers.rows',
      /0 rows/,
    ],
    [
      'an unknown name',
      () => withManifest({ covers: { rows: 'TILE', cols: 1 } }),
      'manifest.covers.rows',
      /TILE is not known here; known: BLOCK, b, m, n, k/,
    ],
    [
      'defaults that break a requirement',
      () => withManifest({ requires: [{ that: 'BLOCK < 8', because: 'small only' }] }),
      'manifest.requires',
      /small only/,
    ],
    [
      'a default that is not one of the values',
      () => withManifest({ tunables: { BLOCK: { values: [8], default: 9 } } }),
      'manifest.tunables.BLOCK.default',
      /one of its values/,
    ],
  ];
  it.each(cases)('%s', async (_name, file, field, message) => {
    const error = await readKernel(file()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect((error as InputError).field).toMatch(
      new RegExp(`^${field.replace(/[[\].^$]/g, '.?')}$`),
    );
  });

  it('sources made to be read slowly are read quickly, or refused', async () => {
    const { sourceBytes } = KERNEL_LIMITS;
    for (const part of ['@a(', '@a ', 'const a=', 'enable a', '@group(0)', '/*', 'fn f(){}\n']) {
      const source = template + part.repeat((sourceBytes - template.length) / part.length);
      const ended = await readKernel(fileWith(source)).catch((error: unknown) => error);
      if (ended instanceof Error) expect(ended).toBeInstanceOf(InputError);
    }
  });

  it.each([
    ['{ M: u32, N: u32, K: u32, _0: u32 }', [33, 65, 7]],
    ['{ M: u32, K: u32, N: u32 }', [33, 7, 65]],
    ['{ M: u32, inner: u32, N: u32, pad: u32 }', [33, 7, 65, 0]],
    ['{ a: u32, b: u32, c: u32 }', [33, 65, 7]],
    ['{ size: vec3u }', [33, 65, 7]],
  ])('the fields of a uniform are guessed by their names: %s', async (fields, words) => {
    const file = withSource('{ m: u32, n: u32, k: u32 }', fields);
    const manifest = JSON.stringify(guess('mine', file).manifest);
    const { kernel } = await readKernel({ ...file, manifest });
    const problem: Problem = { op: 'matmul', shape: { m: 33, n: 65, k: 7 }, dtype: 'f32' };
    const [uniform] = constantsOf(kernel, { BLOCK: 8 }, problem);
    expect(Array.from(uniform?.words ?? []).slice(0, words.length)).toEqual(words);
  });

  it('every line stays where it is, directives too', async () => {
    const lines = '// why\nenable f16;\ndiagnostic(off, derivative_uniformity);\nstruct Shape';
    const { source, manifest } = withManifest({ dtypes: ['f16'] });
    const text = source.replace('/* tilemark', '/*').replace('struct Shape', lines);
    const { kernel } = await readKernel({
      author: 'ada',
      source: text,
      ...(manifest && { manifest }),
    });
    const wgsl = specialise(kernel, { BLOCK: 8 }, 'f16');
    expect(wgsl).toMatch(/^enable f16; \/\*/);
    expect(lineOf(wgsl, 'struct Shape')).toBe(lineOf(text, 'struct Shape'));
    expect(wgsl).toMatch(/\nalias T = f16;\nalias Acc = f32;\nconst BLOCK: u32 = 8u;$/);
  });

  it('an override that is a tunable is declared by Tilemark', async () => {
    const { kernel } = await readKernel(
      withSource('struct Shape', '@id(0) override BLOCK: u32 = 4; // side\nstruct Shape'),
    );
    expect(specialise(kernel, { BLOCK: 8 }, 'f32').match(/^const BLOCK.*/gm)).toEqual([
      'const BLOCK: u32 = u32(8); // side',
    ]);
    expect(kernel.needs({ BLOCK: 8 }, 'f32').workgroupSize).toEqual([8, 8, 1]);
  });

  it('a manifest may follow a licence', async () => {
    const { kernel } = await readKernel(fileWith(`// MIT\n/* Copyright */\n${template}`));
    expect(kernel.id).toMatch(/^ada\/mine@/);
  });

  it('sides are rounded up to the multiples that a kernel takes', async () => {
    const kernel = await readKernel(withManifest({ multiples: { n: 4, k: '2 * BLOCK' } }));
    const shape = { m: 17, n: 31, k: 5 };
    expect(roundedUp(kernel, {}, shape)).toEqual({ m: 17, n: 32, k: 32 });
    expect(roundedUp(kernel, { BLOCK: 4 }, shape)).toEqual({ m: 17, n: 32, k: 8 });
  });

  it('what a device lacks skips the variant there, with the reason', async () => {
    const problem: Problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
    const whyNot = async (change: object) => {
      const { kernel } = await admitKernel(withManifest(change));
      const fit = feasible({ kernel: kernel.id, tunables: {} }, problem, PLAIN_WEBGPU);
      return fit.ok ? '' : fit.why;
    };
    expect(await whyNot({})).toBe('');
    expect(await whyNot({ features: ['subgroups'] })).toMatch(/subgroups/);
    expect(await whyNot({ tunables: { BLOCK: [64] } })).toMatch(/4096 threads|64 threads/);
    expect(await whyNot({ workgroupBytes: 65_536 })).toMatch(/64 KiB|65536/);
  });

  it('an author and a source have limits', () => {
    expect(kernelFileSchema.safeParse({ author: 'Ada!', source: '' }).success).toBe(false);
  });
});
