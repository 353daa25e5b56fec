import { InputError } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { guess } from './guess';
import { checkKernel } from './kernel';

const SOURCE = `// A licence
enable f16;
struct Meta { M: u32, N: u32, KD4: u32, stride: u32, alpha: f32, _pad: u32 }
override TILE: u32 = 16;
override LANES: u32;
@group(0) @binding(0) var<uniform> info: Meta;
@group(0) @binding(1) var<storage, read_write> y: array<f16>;
@group(1) @binding(0) var<storage, read> x: array<vec4<f16>>;
@group(1) @binding(1) var<storage, read> weight: array<f16>;
@group(1) @binding(2) var<storage, read> bias: array<f16>;
@compute @workgroup_size(TILE, 8)
fn product() { y[0] = 1; }
`;

describe('a manifest from a source', () => {
  it('says what the source says, and what it does not', () => {
    const { manifest, open } = guess('mine', { source: SOURCE });
    expect(manifest).toEqual({
      name: 'mine',
      about: '',
      op: 'matmul',
      dtypes: ['f16'],
      entryPoint: 'product',
      epilogue: 'bias',
      bindings: { A: 'x', B: 'weight', bias: 'bias', C: 'y' },
      sizes: { LANES: 1, M: 'm', N: 'n', KD4: 'k / 4', stride: 0, alpha: 1, _pad: 0 },
      tunables: { TILE: [16] },
      multiples: { k: 4 },
      covers: { rows: 8, cols: 16 },
    });
    expect(open.map((what) => /^\w+: /.exec(what)?.[0])).toEqual([
      'bindings: ',
      'epilogue: ',
      'dtypes: ',
      'tunables: ',
      'sizes: ',
      'sizes: ',
      'covers: ',
    ]);
    expect(open).toContain('sizes: what is stride? 0 is a guess');
  });

  it('is a manifest of that source', () => {
    const { manifest } = guess('mine', { source: SOURCE });
    const file = { author: 'ada', source: SOURCE, manifest: JSON.stringify(manifest) };
    const { kernel } = checkKernel(file);
    expect(kernel.dtypes).toEqual(['f16']);
    expect(
      kernel.entryPoint?.({}, { op: 'matmul', shape: { m: 1, n: 1, k: 1 }, dtype: 'f16' }),
    ).toBe('product');
  });

  it('of a template names its placeholders', () => {
    const source = `@group(0) @binding(0) var<storage, read> a: array<{{ elem }}>;
@group(0) @binding(1) var<storage, read_write> b: array<{{ elem }}>;
@compute @workgroup_size(64) fn main() { b[{{ M }}] = a[\${width}]; }`;
    const { manifest, open } = guess('mine', { source });
    expect(manifest).toMatchObject({
      op: 'transpose',
      placeholders: { '{{ elem }}': { text: 'f32' }, '{{ M }}': 'm', '${width}': 16 },
      workgroups: { linear: 'ceil(rows * cols / 64)' },
    });
    expect(open).toContain(`placeholders: what is \${width}? 16 is a guess`);
  });

  it.each([
    ['{% if bias %}\n{% endif %}', /statements of a template or a preprocessor/],
    ['#ifdef F16\n#endif', /statements of a template or a preprocessor/],
    ['fn f() {}', /no @compute function/],
    [
      'struct A { a: u32; }\n@binding(0) @group(0) var<uniform> a: A;',
      /cannot be read: did not expect ';'/,
    ],
    [' ', /is empty/],
  ])('%s is refused', (source, message) => {
    expect(() => guess('mine', { source })).toThrow(InputError);
    expect(() => guess('mine', { source })).toThrow(message);
  });
});
