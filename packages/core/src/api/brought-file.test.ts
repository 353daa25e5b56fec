import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { benchFileIn } from './brought-file';

const utf16 = (text: string) => new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le'));
const bytesOf = (content: string | object) =>
  new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content));
const told = (bytes: Uint8Array) => {
  try {
    return benchFileIn(bytes);
  } catch (error) {
    return (error as Error).message;
  }
};

const KERNEL_TUNER =
  '{\n"device_name": "A",\n"tune_params_keys": ["x"],\n"cache": {\n"16": {"time": 2},\n';

it.each<[string, string | object, RegExp]>([
  ['nvbench', { meta: {}, devices: [{}], benchmarks: [{ name: 'gemm', states: [] }] }, /nvbench/],
  ["Kernel Tuner's cache", `${KERNEL_TUNER}"32":{"time":3}}}`, /Kernel Tuner/],
  ["Kernel Tuner's cache, unclosed", KERNEL_TUNER, /Kernel Tuner/],
  ['CLBlast', { kernel_family: 'xgemm_1', best_kernel: 'Xgemm', results: [] }, /CLBlast/],
  ['CLBlast, of a single size', { kernel_family: 'selection', results: [{}] }, /CLBlast/],
  ['Google Benchmark', { context: {}, benchmarks: [{ real_time: 1 }] }, /Google Benchmark/],
  ['T4', { results: [{ configuration: { x: 1 }, times: {} }] }, /auto-tuner \(T4\)/],
  [
    'test-backend-ops',
    'Testing 2 devices\n\nBackend 1/2: Vulkan0\n  MUL_MAT(type_a=f16,m=4096): 30 runs\n',
    /test-backend-ops/,
  ],
  ['llama-bench', [{ build_commit: 'a', avg_ts: 5 }], /llama-bench/],
  ['llama-bench, as JSON lines', '{"avg_ts": 5}\n{"avg_ts": 6}\n', /llama-bench/],
  ['llama-bench, as a table', '| model | size |\n| --- | --- |\n', /llama-bench/],
  ['a trace', { traceEvents: [] }, /a profiler/],
  ['a profile of V8', { nodes: [], timeDeltas: [1] }, /a profiler/],
  ['JSON lines', '{"a":1}\n{"a":2}\n', /^is JSON lines/],
  ['CSV', 'kernel,shape,medianNs\nx,1,2\n', /^is CSV/],
  ['figures', { date: '2026-01-01', results: [] }, /without samples/],
  ['whole suites', { about: 'x', runs: [] }, /performance-h200/],
  ['NaN', '{"version":1,"environment":NaN}', /^is broken JSON/],
  ['an end too early', '{"version":1,"environ', /^ends in the middle/],
  ['nothing', ' \n', /^is empty/],
  ['prose', 'hello', /^is not JSON/],
  ['other JSON', { a: 1 }, /^is not a file of `tilemark bench --json`/],
])('%s is named in one sentence', (_tool, content, text) => {
  const said = told(bytesOf(content));
  expect(said).toMatch(text);
  expect(said).not.toMatch(/Unexpected|\n/);
});

it('bytes that are no UTF-8 text are named, too', () => {
  expect(told(utf16('{"version":1}'))).toMatch(/^is UTF-16/);
  expect(told(gzipSync('{"version":1}'))).toMatch(/^is packed/);
});

it('a file of ours is taken, whatever its strings say', () => {
  const file = { version: 1, environment: {}, results: [{ why: '"kernel_family"' }] };
  expect(told(bytesOf(file))).toEqual(file);
  expect(told(bytesOf(`\ufeff${JSON.stringify(file)}`))).toEqual(file);
});
