import { deviceKey, observationsOf, PROFILES, shippedEvidence } from '@tilemark/core';
import { inputTensors, parseProblem, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { create } from 'webgpu';
import { openTestGrid, type TestGrid } from '@/server/grid.test-helper';
import { parseQuery } from '@/ui/query';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { fileName, fileOf } from './files';
import { type Question, questionQuery, workbenchQuerySchema } from './query';
import { gpusOf, type TableRow, tableOf } from './workbench';

// Kept: Dawn ends with it.
const gpu = create([]);

let grid: TestGrid;
let question: Question;
let rows: TableRow[];

const H200 = 'nvidia-unknown-nvidia_h200-vulkan-dawn';

/** What the author of a library asks: f16 decode and prefill, on three vendors. */
beforeAll(async () => {
  grid = await openTestGrid();
  question = workbenchQuerySchema.parse({
    dtype: 'f16',
    shapes: '1x4096x4096 512x4096x4096',
    gpu: `${H200},apple,amd`,
  });
  rows = await tableOf(grid.store, question, await gpusOf(grid.store));
});
afterAll(() => grid.close());

test('every GPU has an answer for every shape: timed where it is known, else portable and unmeasured', () => {
  expect(rows).toHaveLength(6);
  for (const { best, error, gpu, ns, source } of rows) {
    expect(best?.wgsl, gpu.id).toContain('@compute');
    if (gpu.id === H200) {
      expect(ns).toBeGreaterThan(0);
      expect(error).toBeGreaterThanOrEqual(0);
      expect(source).toContain('NVIDIA H200');
    } else {
      expect(ns).toBeNull();
      expect(source).toBe('unmeasured: portable default');
      expect(best?.needs?.features).toEqual(['shader-f16']);
      expect(best?.needs?.workgroupSize.reduce((a, b) => a * b)).toBeLessThanOrEqual(256);
      expect(best?.needs?.workgroupBytes).toBeLessThanOrEqual(16_384);
    }
  }
});

test('where the profile asked has no f16, the answer is of the one that has, and says so', () => {
  const [row] = rows;
  expect(question.profile).toBe('default');
  expect(row?.best?.profile).toBe('fast');
  expect(row?.remark).toBe('f16 is not offered under default; this is for fast');
});

test.each(PROFILES)(
  'what ships is found under %s, whichever profile it was timed under',
  async (profile) => {
    const known = await gpusOf(grid.store);
    for (const file of shippedEvidence()) {
      const { device, dtype, op } = file;
      const [first] = observationsOf(file);
      const shapes = first ? shapeText(first.problem) : '';
      const gpu = deviceKey(device);
      const asked = workbenchQuerySchema.parse({ op, dtype, profile, shapes, gpu });
      const [row] = await tableOf(grid.store, asked, known);
      expect.soft(row?.ns, `${gpu} ${op} ${dtype}`).toBeGreaterThan(0);
      expect.soft(row?.source, `${gpu} ${op} ${dtype}`).toContain(device.device);
    }
  },
);

test('an epilogue is in the program, and not in the time', async () => {
  const asked = workbenchQuerySchema.parse({ shapes: '512', gpu: H200, epilogue: 'bias-gelu' });
  const [row] = await tableOf(grid.store, asked, await gpusOf(grid.store));
  expect(row?.best?.wgsl).toContain('// bias, then gelu, of each sum.');
  expect(row?.remark).toBe('timed under fast; timed without its epilogue');
  expect(`${questionQuery(asked)}`).toContain('epilogue=bias-gelu');
});

test('a CSV has a column per dimension and per tunable, and a name that says what it is', () => {
  const [head = '', ...lines] = fileOf('csv', rows, question).trim().split('\n');
  const columns = head.split(',');
  expect(columns.slice(0, 8)).toEqual(['gpu', 'op', 'dtype', 'profile', 'b', 'm', 'n', 'k']);
  for (const { best } of rows) {
    for (const name of Object.keys(best?.variant.tunables ?? {})) expect(columns).toContain(name);
  }
  expect(lines).toHaveLength(rows.length);
  expect(fileName(question, 'csv')).toBe('tilemark-matmul-f16.csv');
});

test('the tables of both libraries have a line for each answer', () => {
  for (const form of ['ggml', 'onnxruntime'] as const) {
    expect(fileOf(form, rows, question).match(/^ {4}\{ ?"/gm)).toHaveLength(rows.length);
  }
});

test('a GPU that is named to break out of a table stays within its literal and its line', () => {
  const evil = 'a" }\n#include "/etc/passwd" \\';
  const [row] = rows;
  const named = [{ ...row!, gpu: { ...row!.gpu, id: evil }, source: `measured on ${evil}` }];
  for (const form of ['ggml', 'onnxruntime'] as const) {
    const lines = fileOf(form, named, question).split('\n');
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([]);
    expect(lines.filter((line) => line.endsWith('\\'))).toEqual([]);
    expect(lines.filter((line) => line.includes(JSON.stringify(evil)))).toHaveLength(1);
  }
});

test('the bundle runs', async () => {
  const asked = workbenchQuerySchema.parse({ shapes: '5x7x9 64', gpu: 'apple' });
  const answers = await tableOf(grid.store, asked, await gpusOf(grid.store));
  const source = fileOf('wgsl', answers, asked);
  const bundle = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice(bundle.requirements(adapter, 'apple'));
  const problem = parseProblem({ op: 'matmul', shape: '5x7x9', dtype: 'f32' });
  const [a, b] = inputTensors(problem, { seed: 3 });
  const output = new Float32Array(await bundle.multiply(device, 'apple', '5x7x9', [a, b]));
  let want = 0;
  for (let k = 0; k < 9; k++) want += a![k]! * b![k * 7]!;
  expect(output[0]).toBeCloseTo(want, 4);
  expect(() => bundle.multiply(device, 'apple', '8', [a, b])).toThrow('No kernel for 8 on apple');
  device.destroy();
});

test('an answer rests on a software adapter for that adapter alone', async () => {
  const { store } = grid;
  const { deviceKey, workerId } = await attach(store, 'Software adapter', 'w1', 'software');
  const run = kernelRun(deviceKey, 'matmul/naive', square(512));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e3)]]);
  const gpus = await gpusOf(store);
  expect(gpus.length).toBeGreaterThan(6);
  for (const { id } of gpus) {
    const asked = workbenchQuerySchema.parse({ shapes: '512', gpu: id });
    const [row] = await tableOf(store, asked, gpus);
    expect.soft(row?.source.includes('Software adapter'), id).toBe(id === deviceKey);
  }
});

test.each([
  [{ m: '512', n: '256', k: '128' }, [{ m: 512, n: 256, k: 128 }]],
  [{ shape: '512' }, [{ m: 512, n: 512, k: 512 }]],
  [{ op: 'transpose', rows: '8', cols: '4' }, [{ rows: 8, cols: 4 }]],
  [{ shapes: '64..256' }, [64, 128, 256].map((n) => ({ m: n, n, k: n }))],
  [{}, []],
] as const)('%j asks for its shapes', (query, shapes) => {
  expect(workbenchQuerySchema.parse(query).shapes).toMatchObject(shapes);
});

test.each([
  [{ shapes: '512x256' }, /^shapes: '512x256' is not a shape/],
  [{ m: '512' }, /^n is missing/],
  [{ op: 'transpose', rows: '8', cols: '8', k: '8' }, /^k cannot be “8”: transpose has no/],
  [{ gpu: 'a,b,c,d,e,f,g' }, /at most 6 GPUs/],
  [{ gpu: 'a,b', shapes: '1..49 +1' }, /at most 96 rows/],
  [{ op: 'transpose', suite: 'llama-3.1-8b-decode' }, /^suite/],
])('%j is refused at its field', (given, message) => {
  expect(parseQuery(workbenchQuerySchema, given).refused.join()).toMatch(message);
});
