import v8 from 'node:v8';
import vm from 'node:vm';
import { InputError, type Problem, sourceFor } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { guess } from './guess';
import { checkKernel } from './kernel';
import { KERNEL_LIMITS } from './manifest';
import { sourceOf } from './source';
import { kernelTemplate } from './template';

// Sources and manifests just above a bound, or made to be misread.

const template = kernelTemplate('mine');
const lineOf = (text: string) => template.slice(0, template.indexOf(text)).split('\n').length;
const STRUCT = lineOf('struct Shape');
const UNIFORM = lineOf('var<uniform>');
const [, header = '{}'] = /\/\* tilemark([\s\S]*?)\*\//.exec(template) ?? [];

/** The template with further fields of its struct, declarations, and more in its manifest. */
function fileWith({
  fields = '',
  declares = '',
  more = {},
}: {
  readonly fields?: string;
  readonly declares?: string;
  readonly more?: object;
}) {
  const source = template.replace('k: u32 }', `k: u32, ${fields} }`) + declares;
  return { author: 'ada', source, manifest: JSON.stringify({ ...JSON.parse(header), ...more }) };
}
type Change = Parameters<typeof fileWith>[0];

const problem: Problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
const textOf = (change: Change) =>
  sourceFor(checkKernel(fileWith(change)).kernel, { BLOCK: 8 }, problem);

function refusalOf(work: () => unknown): InputError {
  try {
    work();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const times = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n');
const bound = (name: string, type: string, at: number) =>
  `@group(1) @binding(${at}) var<storage, read> ${name}: ${type};`;
const zeros = (of: number | string) => ({
  declares: `\n${bound('bias', 'array<f32>', 0)}`,
  more: { zeros: { bias: of } },
});
const deepStructs = (count: number) =>
  [
    'struct D0 { a: u32 }',
    times(count, (at) => `struct D${at + 1} { a: D${at} }`),
    times(count / 30, (at) => bound(`_d${at}`, `D${30 * (at + 1)}`, at)),
  ].join('\n');
const LAST = template.split('\n').length;

const cases: readonly [string, Change, string, RegExp][] = [
  [
    'variables',
    { declares: `\n${times(29, (at) => bound(`_${at}`, 'u32', at))}` },
    `wgsl:${LAST + 29}`,
    /more than 32 variables: put sizes into one struct/,
  ],
  [
    'numbers of all variables',
    { declares: `\n${times(2, (at) => bound(`_${at}`, 'array<u32, 8192>', at))}` },
    `wgsl:${LAST + 2}`,
    /_1 makes it 16387 numbers; the most is 16384/,
  ],
  [
    'infinitely many numbers',
    { fields: `_p: ${'array<'.repeat(40)}u32${', 2000000000>'.repeat(40)}` },
    `wgsl:${UNIFORM}`,
    /makes it Infinity numbers; the most is 16384/,
  ],
  ...['0', '2147483649', '1 / 2'].map((length): (typeof cases)[number] => [
    `an array of ${length}`,
    { fields: `_p: array<u32, ${length}>` },
    `wgsl:${STRUCT}`,
    /write a whole number from 1 to 2147483648/,
  ]),
  [
    'a struct without members',
    { fields: '_p: E', declares: '\nstruct E {}' },
    `wgsl:${LAST + 1}`,
    /struct E has no members/,
  ],
  [
    'a size of a member',
    { fields: '@size(65540) _p: u32' },
    `wgsl:${UNIFORM}`,
    /shape has 65552 bytes; the most is 65536: write a smaller @size/,
  ],
  ['too many zeros', zeros(2 ** 28 + 1), 'manifest.zeros.bias', /write 0 to 1073741824/],
  ['fewer zeros than none', zeros('m - 65'), 'manifest.zeros.bias', /-4 bytes of zeros: write 0/],
  [
    'members',
    { fields: times(1022, (at) => `_${at}: u32,`) },
    `wgsl:${STRUCT + 1021}`,
    /a struct has at most 1024 members/,
  ],
  [
    'characters of a path',
    { fields: `_${'p'.repeat(506)}: u32` },
    `wgsl:${UNIFORM}`,
    /shape has a number whose path is longer than 512 characters: write shorter names/,
  ],
  [
    'types within each other, read before',
    { declares: `\n${deepStructs(90)}` },
    `wgsl:${LAST + 62}`,
    /more than 64 types within each other/,
  ],
  ...['0', '3', '2'].map((align): (typeof cases)[number] => [
    `an @align of ${align}`,
    { fields: `@align(${align}) _p: u32` },
    `wgsl:${STRUCT}`,
    /write a power of two, 4 or more/,
  ]),
  [
    'a @size below that of the type',
    { fields: '@size(4) _p: vec2u' },
    `wgsl:${STRUCT}`,
    /_p has @size\(4\): write 8, the bytes of its type, or more/,
  ],
  [
    'a length that depends on a tunable',
    {
      fields: '_p: array<u32, TWICE>',
      declares: '\nconst BLOCK = 4;\nconst TWICE = 2 * BLOCK;',
    },
    `wgsl:${STRUCT}`,
    /'TWICE' cannot be read: write the number that it is/,
  ],
  [
    'a @size that depends on the shape',
    {
      fields: '@size(WIDTH) _p: u32',
      declares: '\nconst WIDTH = 4;',
      more: { sizes: { WIDTH: 'n' } },
    },
    `wgsl:${STRUCT}`,
    /'WIDTH' cannot be read: write the number that it is/,
  ],
  ...['T', 'bool', 'u23'].map((type): (typeof cases)[number] => [
    `a field of the type ${type}`,
    { fields: `_p: ${type}` },
    `wgsl:${UNIFORM}`,
    new RegExp(`shape has a number of the type ${type}: write one of u32, i32, f32, f16`),
  ]),
];

it.each(cases)('refuses: %s', (_, change, field, message) => {
  expect(refusalOf(() => checkKernel(fileWith(change)))).toMatchObject({
    field,
    message: expect.stringMatching(message),
  });
});

const doubling = Array.from({ length: 5 }, (_, at): [string, { text: string }] => [
  `#${at}${'#'.repeat(10 - at)}`,
  { text: `#${at + 1}${'#'.repeat(9 - at)}`.repeat(100) },
]);

it('placeholders make a source no longer than a source may be', () => {
  const more = { placeholders: Object.fromEntries(doubling) };
  const file = fileWith({
    declares: '\n// #0########## #1######### #2######## #3####### #4######',
    more,
  });
  const refusal = {
    field: /placeholders\.#[12]#+$/,
    message: `more than ${KERNEL_LIMITS.sourceBytes}`,
  };
  for (const read of [() => checkKernel(file), () => guess('mine', file)]) {
    const { field, message } = refusalOf(read);
    expect(field).toMatch(refusal.field);
    expect(message).toContain(refusal.message);
  }
});

it('the text of a placeholder is put as it is', () => {
  const more = { placeholders: { '{{ X }}': { text: "$& $' $$" } } };
  expect(textOf({ declares: '\n// {{ X }}.', more })).toContain("// $& $' $$.");
});

it('has a bound for the placeholders that it guesses', () => {
  const source = `${template}// ${times(65, (at) => `\${P${at}}`).replaceAll('\n', ' ')}`;
  expect(refusalOf(() => guess('mine', { source }))).toMatchObject({
    field: 'wgsl',
    message: expect.stringMatching(/65 placeholders; the most is 64/),
  });
});

it('evaluates a constant once, however often others name it', () => {
  // Without memory of what a name is, these are 16 million evaluations.
  const constants = times(24, (at) => `const C${at + 1} = (C${at} + C${at}) / 2;`);
  const variable = '@group(0) @binding(0) var<uniform> s: S;';
  const source = `const C0 = 1;\n${constants}\nstruct S { m: array<u32, C24> }\n${variable}`;
  expect(() => sourceOf(source)).not.toThrow();
});

it('names of prototypes are names as others', () => {
  expect(textOf({ declares: '\nconst toString = 4u;' })).toContain('const toString = 4u;');
  const declares = `\n${bound('constructor', 'array<f32>', 0)}`;
  expect(refusalOf(() => checkKernel(fileWith({ declares })))).toMatchObject({
    field: 'manifest.zeros.constructor',
  });
  const { manifest, ...file } = fileWith({});
  const said = manifest.replace('{', '{ "sizes": { "__proto__": 1 }, ');
  expect(refusalOf(() => checkKernel({ ...file, manifest: said }))).toMatchObject({
    field: 'manifest',
    message: '"__proto__" cannot be a name: choose another',
  });
});

it('a length may be a constant that the manifest gives one number', () => {
  const change = (sizes: object) => ({
    fields: '@size(16 * SIDE) _p: u32',
    declares: '\nconst SIDE = 1;',
    more: { sizes },
  });
  const wordsIn = (sizes: object) =>
    checkKernel(fileWith(change(sizes))).kernel.constants?.({ BLOCK: 8 }, problem)[0]?.words.length;
  expect(wordsIn({})).toBe(8);
  expect(wordsIn({ SIDE: 3 })).toBe(16);
});

it.each([
  ['0x1f', '8'],
  ['0x1fu', '8u'],
  ['16f', '8f'],
  ['2 * 8u', '8u'],
  ['half', '8'],
])('a tunable that was %s is written %s', (initial, written) => {
  const declares = `\nconst half = 4;\nconst BLOCK = ${initial};`;
  expect(textOf({ declares })).toContain(`const BLOCK = ${written};`);
});

it('keeps a few of the longest sources that it has read, and not their tokens', () => {
  // Of one placeholder, so that the source is another one for each value.
  const body = 'a = a + 1u; '.repeat(20_000);
  const declares = `\nconst _block = {{ B }};\nfn _pad() -> u32 { var a = 0u; ${body} return a; }`;
  const values = Array.from({ length: 24 }, (_, at) => at + 1);
  const tunables = { BLOCK: { values, about: 'Threads along each side' } };
  const more = { placeholders: { '{{ B }}': 'BLOCK' }, tunables };
  v8.setFlagsFromString('--expose-gc');
  const collect: () => void = vm.runInNewContext('gc');
  const bytesNow = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = bytesNow();
  const { kernel } = checkKernel(fileWith({ declares, more }));
  for (const BLOCK of values) sourceFor(kernel, { BLOCK }, problem);
  expect(bytesNow() - before).toBeLessThan(4e6);
  expect(kernel.id).toBe('ada/mine');
});
