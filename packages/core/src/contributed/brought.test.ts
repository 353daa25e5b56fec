import { InputError } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { guess } from './guess';
import { checkKernel } from './kernel';

// Kernels as people have them, each of a kind of its own.

const A = '@group(0) @binding(0) var<storage, read> left: array<f32>;';
const B = '@group(0) @binding(1) var<storage, read> right: array<f32>;';
const C = '@group(0) @binding(2) var<storage, read_write> product: array<f32>;';
const SIZES = 'struct Sizes { m: u32, n: u32, k: u32 }';
const UNIFORM = '@group(0) @binding(3) var<uniform> sizes: Sizes;';
const [READ_A, READ_B] = ['left[row * sizes.k + p]', 'right[p * sizes.n + col]'];
const STORE = 'product[row * sizes.n + col] = sum;';

/** A naive product of these declarations. */
const source = ({
  declares = [SIZES, A, B, C, UNIFORM],
  a = READ_A,
  b = READ_B,
  store = STORE,
}: {
  readonly declares?: readonly string[];
  readonly a?: string;
  readonly b?: string;
  readonly store?: string;
} = {}) =>
  [
    ...declares,
    '@compute @workgroup_size(8, 8)',
    'fn main(@builtin(global_invocation_id) at: vec3u) {',
    'let row = at.y; let col = at.x; var sum = 0.0;',
    `for (var p = 0u; p < sizes.k; p++) { sum += ${a} * ${b}; }`,
    `${store}\n}`,
  ].join('\n');

const completed = (text: string, said: object = {}) =>
  guess('brought', { source: text, manifest: JSON.stringify(said) }).manifest;

function readOf(text: string, said: object = {}) {
  const manifest = JSON.stringify(completed(text, said));
  return checkKernel({ author: 'ada', source: text, manifest });
}

function errorOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

const writable = (declaration: string) => declaration.replace('read>', 'read_write>');
const through = (call: string) => ({
  declares: [
    SIZES,
    writable(A).replace('left', 'product'),
    B.replace('right', 'one'),
    UNIFORM,
    writable(C).replace('product', 'two'),
  ],
  a: 'one[row * sizes.k + p]',
  b: 'two[p * sizes.n + col + 0u * arrayLength(&two)]',
  store: call,
});

it.each([
  ['handed on as a second argument', 'put(row * sizes.n + col, &product, sum);'],
  ['through a pointer', 'let place = &product[row * sizes.n + col]; *place = sum;'],
  ['by an address in brackets', 'store(&(product[row * sizes.n + col]), sum);'],
  ['by atomics', 'atomicStore(&product[row * sizes.n + col], bitcast<u32>(sum));'],
  ['by a store of fragments', 'subgroupMatrixStore(&product, 0, sum, false, sizes.n);'],
])('the output is what is written %s', (_, call) => {
  const { bindings } = completed(source(through(call)));
  expect(bindings).toEqual({ A: 'one', B: 'two', C: 'product' });
});

it('the only array that may be written is the output, wherever it is bound', () => {
  const declares = [SIZES, writable(A), B, C.replace('read_write', 'read'), UNIFORM];
  const { bindings } = completed(source({ declares, store: 'put(&left, sum);' }));
  expect(bindings).toEqual({ A: 'right', B: 'product', C: 'left' });
});

it('features follow from directives and from functions and builtins of subgroups', () => {
  const featuresOf = (...lines: string[]) =>
    readOf(source({ declares: [...lines, SIZES, A, B, C, UNIFORM] })).kernel.needs({}, 'f32')
      .features;
  expect(featuresOf('enable f16, subgroups,;')).toEqual(['subgroups', 'shader-f16']);
  // Of these the compiler knows.
  expect(featuresOf('enable subgroup_size_control;', 'requires linear_indexes;')).toEqual([]);
  expect(featuresOf('fn f(@builtin(num_subgroups) of: u32) {}')).toEqual(['subgroups']);
  expect(featuresOf('fn f(@builtin(subgroup_id) at: u32) {}')).toEqual(['subgroups']);
  expect(featuresOf('const subgroupAdd = 1;')).toEqual([]);
});

describe('what a manifest does not say', () => {
  const check = (text: string, said: object) =>
    checkKernel({ author: 'ada', source: text, manifest: JSON.stringify(said) });
  const said = { name: 'brought', op: 'matmul', covers: { rows: 8, cols: 8 } };
  const named = [A, B, C].map((line) =>
    line.replace(
      /left|right|product/,
      (word) => ({ left: 'A', right: 'B', product: 'C' })[word] ?? '',
    ),
  );
  const text = source({
    declares: [SIZES, ...named, UNIFORM],
    a: 'A[row * sizes.k + p]',
    b: 'B[p * sizes.n + col]',
    store: 'C[row * sizes.n + col] = sum;',
  });

  it('is taken where the source leaves no choice', () => {
    expect(check(text, said).manifest.dtypes).toEqual(['f32']);
    const scratch = '@group(0) @binding(4) var<storage, read_write> S: array<f32>;';
    const more = { ...said, dtypes: ['f32'], scratchBytes: 4 };
    expect(check(`${scratch}\n${text}`, more).manifest.bindings).toMatchObject({ scratch: 'S' });
  });

  it('is taken of an output that is handed on, and of the usual short names', () => {
    const short = source({
      declares: [
        SIZES,
        A,
        B,
        C,
        UNIFORM,
        'fn put(at: u32, to: ptr<storage, array<f32>, read_write>, sum: f32) { (*to)[at] = sum; }',
      ],
      store: 'put(row * sizes.n + col, &product, sum);',
    });
    const names = { left: 'lhs', right: 'rhs', product: 'dst' };
    const renamed = Object.entries(names).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      short,
    );
    const { A: a, B: b, C: c } = check(renamed, said).manifest.bindings;
    expect([a, b, c]).toEqual(['lhs', 'rhs', 'dst']);
  });

  it('is taken beside words, of a dtype that is said', () => {
    const words = text
      .replace('C: array<f32>', 'C: array<u32>')
      .replace('= sum;', '= bitcast<u32>(sum);');
    const scratch = '@group(0) @binding(4) var<storage, read_write> S: array<u32>;';
    const more = { ...said, dtypes: ['f32'], scratchBytes: 4 };
    expect(check(`${scratch}\n${words}`, more).manifest.bindings).toMatchObject({ scratch: 'S' });
  });

  it('is asked for where it does', () => {
    expect(() => check(source(), said)).toThrow(
      /dtypes is required: say it, or run `tilemark kernel new/,
    );
    const { covers: _, ...fewer } = said;
    expect(() => check(text, { ...fewer, dtypes: ['f32'] })).toThrow(/needs one of "covers"/);
  });

  it.each([
    [
      'one array for two',
      text.replaceAll(/B\[/g, 'A['),
      { bindings: { A: 'A', B: 'A', C: 'C' } },
      'manifest.bindings.B',
      /A is A already/,
    ],
    [
      'A by columns',
      text.replace('row * sizes.k + p', 'p * sizes.m + row'),
      {},
      'wgsl:9',
      /A is read by columns/,
    ],
  ])('comes after what no manifest can say: %s', (_, wgsl, more, field, message) => {
    const file = { source: wgsl, manifest: JSON.stringify({ ...said, ...more }) };
    for (const read of [
      () => checkKernel({ author: 'ada', ...file }),
      () => guess('brought', file),
    ]) {
      const error = errorOf(read);
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ field, message: expect.stringMatching(message) });
    }
  });
});

it('lengths and attributes may be expressions, and variables have names of the language to come', () => {
  const declares = [
    'const TILE = 64; const TAIL = 4 | 8;',
    'struct Sizes { @align(4 * 4) m: u32, @size(16 + 48) n: u32, pad: array<vec4u, (16 >> 2)>, k: u32, tail: array<u32, TAIL> }',
    A.replace('@binding(0)', '@binding(2 - 2)'),
    B,
    C,
    UNIFORM,
  ];
  const text = source({ declares }).replaceAll('left', 'block').replace('(8, 8)', '(TILE / 8, 8)');
  const sizes = Object.fromEntries(
    [
      ...[0, 1, 2, 3].flatMap((i) => ['x', 'y', 'z', 'w'].map((c) => `pad[${i}].${c}`)),
      ...Array.from({ length: 12 }, (_, i) => `tail[${i}]`),
    ].map((path) => [path, 9]),
  );
  const { kernel } = readOf(text, { sizes });
  const problem = { op: 'matmul', shape: { m: 33, n: 65, k: 7 }, dtype: 'f32' } as const;
  const [uniform] = kernel.constants?.({}, problem) ?? [];
  const words = Array.from(uniform?.words ?? []);
  expect(words.slice(0, 2)).toEqual([33, 65]);
  expect(words.slice(20, 37)).toEqual([...Array(16).fill(9), 7]);
  expect(words).toHaveLength(52);
  expect(kernel.needs({}, 'f32').workgroupSize).toEqual([8, 8, 1]);
});

it('a B that is read by rows has the dtype of such', () => {
  const { manifest } = readOf(source({ b: 'right[col * sizes.k + p]' }));
  expect(manifest.dtypes).toEqual(['f32-nt']);
});

const scales = '@group(0) @binding(4) var<storage, read> scales: array<f16>;';
const words = B.replace('array<f32>', 'array<u32>');

it.each<[string, string, object, string, RegExp]>([
  [
    'immediates',
    source({ declares: [SIZES, A, B, C, 'var<immediate> sizes: Sizes;'] }),
    {},
    'wgsl:5',
    /immediates are not supported: bind these sizes as var<uniform>/,
  ],
  [
    'sizes before the values',
    source({
      declares: [
        'struct Tensor { extent: vec2f, values: array<f32> }',
        A.replace('array<f32>', 'Tensor'),
        B,
        C,
      ],
    }),
    {},
    'wgsl:2',
    /left has extent before its values; a tensor is its values alone/,
  ],
  [
    'a tensor in two bindings',
    source({
      declares: [
        SIZES,
        A,
        B,
        `@group(1) @binding(0) var<storage, read> right1: array<f32>;`,
        C,
        UNIFORM,
      ],
    }),
    {},
    'wgsl:4',
    /right and right1 are one tensor in two bindings/,
  ],
  [
    'A and B in one',
    source({
      declares: ['struct Sizes { m: u32, k: u32 }', A, C, UNIFORM],
      b: 'left[col * sizes.k + p]',
    }),
    { op: 'matmul' },
    'manifest.bindings.B',
    /nothing is B \(left, product\): each tensor is bound once, in an array of its own/,
  ],
  [
    'A by columns',
    source({ a: 'left[p * sizes.m + row]' }),
    {},
    'wgsl:9',
    /left is read by columns \(k x m\), and A lies by rows/,
  ],
  [
    'blocks with their scales inside',
    source({ declares: ['enable f16;', SIZES, A, words, C, UNIFORM] }),
    { dtypes: ['f32-q4'] },
    'manifest.bindings.B_scales',
    /nothing is B_scales .*: blocks that hold their own scales are not taken/,
  ],
  [
    'WESL',
    source({ declares: ['import package::util::load;', SIZES, A, B, C, UNIFORM] }),
    {},
    'wgsl:1',
    /this is WESL/,
  ],
  [
    'conditions of WESL',
    source({ declares: ['@if(F16) enable f16;', SIZES, A, B, C, UNIFORM] }),
    {},
    'wgsl:1',
    /this is WESL/,
  ],
])('%s is named as what it is', (_, text, said, field, message) => {
  const error = errorOf(() => guess('brought', { source: text, manifest: JSON.stringify(said) }));
  expect(error).toBeInstanceOf(InputError);
  expect(error).toMatchObject({ field, message: expect.stringMatching(message) });
});

it('quants and scales of their own are what their elements say', () => {
  const [a, c] = [A, C].map((each) => each.replace('f32', 'f16'));
  const text = source({ declares: ['enable f16;', SIZES, words, scales, `${a}`, `${c}`, UNIFORM] });
  const { bindings, dtypes } = completed(text);
  expect(dtypes).toEqual(['f16-q8']);
  expect(bindings).toEqual({
    A: 'left',
    B: 'right',
    B_scales: 'scales',
    C: 'product',
  });
});
