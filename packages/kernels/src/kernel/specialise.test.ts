import { expect, test } from 'vitest';
import { naive } from '../matmul/01-naive';
import type { GpuKernel } from './kernel';
import { featuresOf, specialise } from './specialise';

const kernel: GpuKernel = {
  ...naive,
  tunables: [
    { name: 'TILE', about: '', values: [8, 16], default: 16 },
    { name: 'A_LAYOUT', about: '', values: ['row', 'col'], default: 'row' },
    { name: 'B_LAYOUT', about: '', values: ['row', 'col'], default: 'row' },
    { name: 'MAPPING', about: '', values: ['col-x', 'row-x'], default: 'col-x' },
  ],
  wgsl: '// the body',
  needs: () => ({ workgroupSize: [1, 1, 1], workgroupBytes: 0, features: [] }),
};
const values = { TILE: 16, A_LAYOUT: 'col', B_LAYOUT: 'row', MAPPING: 'row-x' };

test('declarations come before the body: the type, words as constants, then the tunables', () => {
  expect(specialise(kernel, values, 'f32').split('\n')).toEqual([
    'alias T = f32;',
    'alias Acc = f32;',
    'const ROW: u32 = 0u;',
    'const COL: u32 = 1u;',
    'const COL_X: u32 = 2u;',
    'const ROW_X: u32 = 3u;',
    'const TILE: u32 = 16u;',
    'const A_LAYOUT: u32 = COL;',
    'const B_LAYOUT: u32 = ROW;',
    'const MAPPING: u32 = ROW_X;',
    '// the body',
  ]);
});

test('f16 is enabled, kept in f16 and summed in f32', () => {
  const source = specialise(kernel, values, 'f16');
  expect(source).toMatch(/^enable f16;\nalias T = f16;\nalias Acc = f32;\n/);
  expect(featuresOf(kernel, values, 'f16')).toEqual(['shader-f16']);
});

test('subgroups are enabled before anything else', () => {
  const needs = { workgroupSize: [1, 1, 1], workgroupBytes: 0, features: ['subgroups'] } as const;
  const source = specialise({ ...kernel, needs: () => needs }, values, 'f32');
  expect(source).toMatch(/^enable subgroups;\n/);
});

test('a body that keeps its lines has directives on its first and declarations behind it', () => {
  const needs = { workgroupSize: [1, 1, 1], workgroupBytes: 0, features: ['subgroups'] } as const;
  const kept = { ...kernel, wgsl: '// one\n// two', needs: () => needs, keepsLines: true } as const;
  const source = specialise(kept, values, 'f16');
  expect(source).toMatch(/^enable subgroups; enable f16; \/\/ one\n\/\/ two\nalias T = f16;\n/);
});

test('a tunable may be left open until the pipeline is built', () => {
  const source = specialise({ ...kernel, overrides: () => ['TILE'] }, values, 'f32');
  expect(source).toContain('override TILE: u32 = 16u;');
  expect(source).toContain('const A_LAYOUT: u32 = COL;');
});

test('a value that is missing is an error, not `undefined` in the shader', () => {
  expect(() => specialise(kernel, { TILE: 16 }, 'f32')).toThrow('no value for A_LAYOUT');
});

test('for naga, short loops are written out, but for those of a body that keeps its lines', () => {
  const wgsl = 'fn main() {\n  for (var i = 0u; i < TILE / 8; i++) {\n    a[i] += 1;\n  }\n}';
  const written = specialise({ ...kernel, wgsl }, values, 'f32', {}, 'naga');
  expect(written).toContain('{ const i = 1u;\n    a[i] += 1;\n  }');
  expect(written).not.toContain('for (');
  const kept = { ...kernel, wgsl, keepsLines: true } as const;
  expect(specialise(kept, values, 'f32', {}, 'naga')).toContain(wgsl);
  expect(specialise({ ...kernel, wgsl }, values, 'f32')).toContain(wgsl);
});
