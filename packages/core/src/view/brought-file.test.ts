import { expect, it } from 'vitest';
import { misplaced } from './brought-file';

it.each([
  [
    'nvbench',
    { meta: { version: {} }, devices: [{}], benchmarks: [{ name: 'gemm', states: [] }] },
    /^This is a file of nvbench, which lacks WGSL, samples under one protocol/,
  ],
  [
    'Kernel Tuner',
    { device_name: 'A', kernel_name: 'mm', tune_params_keys: ['x'], cache: { '1': { time: 2 } } },
    /Kernel Tuner's cache, .*; write T4 with `store_output_file`/,
  ],
  [
    'CLBlast',
    { kernel_family: 'xgemm_1', precision: '32', best_kernel: 'Xgemm', results: [] },
    /CLBlast's tuner, which lacks WGSL/,
  ],
  [
    'Google Benchmark',
    { context: { date: 'x' }, benchmarks: [{ name: 'BM_x', real_time: 1, time_unit: 'ns' }] },
    /Google Benchmark, which lacks the problem, the GPU/,
  ],
  [
    'T4',
    { results: [{ configuration: { x: 1 }, times: {} }] },
    /T4 of an auto-tuner, .* only reference: import it with `tilemark import --hardware NAME`/,
  ],
])('a file of %s is told, with what it lacks', (_tool, json, text) => {
  expect(misplaced(json, 'results')).toMatch(text);
});

it('files of ours are none of those', () => {
  for (const json of [{ version: 1, results: [{ variant: {} }] }, [], null, {}, { results: [] }]) {
    expect(misplaced(json, 'results')).toBeNull();
  }
});
