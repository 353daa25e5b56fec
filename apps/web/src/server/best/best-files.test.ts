import {
  BEST_FORMS,
  type BestRow,
  bestFile,
  bestFileName,
  deviceKey,
  engineOf,
  observationsOf,
  PROFILES,
  type Question,
  questionQuery,
  questionSchema,
  remarkOf,
  shippedEvidence,
  sourceOf,
} from '@tilemark/core';
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

// Kept: Dawn ends with it.
const gpu = create([]);

let grid: TestGrid;
let question: Question;
let rows: BestRow[];

const H200 = 'nvidia-nvidia_h200-vulkan-dawn';

/** What the author of a library asks: f16 decode and prefill, on three vendors. */
beforeAll(async () => {
  grid = await openTestGrid();
  question = questionSchema.parse({
    dtype: 'f16',
    shapes: '1x4096x4096 512x4096x4096',
    gpu: `${H200},apple,amd`,
  });
  rows = await grid.store.best(question);
});
afterAll(() => grid.close());

test('every GPU has an answer for every shape: timed where it is known, else portable and unmeasured', () => {
  expect(rows).toHaveLength(6);
  for (const row of rows) {
    const { best, gpu, problem } = row;
    expect(best?.wgsl, gpu?.id).toContain('@compute');
    // Products of many rows in f16 were timed there by matrices of subgroups alone, which no browser has.
    if (gpu?.id === H200 && shapeText(problem) === '1x4096x4096') {
      expect(best?.quote?.ns).toBeGreaterThan(0);
      expect(sourceOf(row)).toContain('NVIDIA H200');
    } else {
      expect(best?.quote).toBeNull();
      expect(sourceOf(row)).toBe('unmeasured: portable default');
      expect(best?.needs?.features).toEqual(['shader-f16']);
      expect(best?.needs?.workgroupSize.reduce((a, b) => a * b)).toBeLessThanOrEqual(256);
      expect(best?.needs?.workgroupBytes).toBeLessThanOrEqual(16_384);
    }
  }
});

test('under default, no answer needs what no browser compiles', () => {
  expect(question.profile).toBe('default');
  for (const { best } of rows) {
    expect(best?.profile).toBe('default');
    expect(best?.wgsl).not.toContain('chromium_experimental');
    expect(best?.needs?.features.join()).not.toContain('chromium-experimental');
  }
  expect(remarkOf(rows[0]!)).toBe('timed under fast');
});

/** What is said under default of evidence that is of matrices of subgroups alone, or nearly. */
const WITHOUT_MATRICES: Readonly<Record<string, string>> = {
  'NVIDIA H100 80GB HBM3 f16': 'unmeasured: portable default',
  'NVIDIA H100 80GB HBM3 f16acc16': 'nothing fits: no browser compiles',
  'NVIDIA H200 f16acc16': 'nothing fits: no browser compiles',
  'NVIDIA H200 i8-nt': 'unmeasured: portable default',
};

test.each(PROFILES)(
  'what ships is found under %s, whichever profile it was timed under',
  async (profile) => {
    for (const file of shippedEvidence()) {
      const { device, dtype, op } = file;
      const [first] = observationsOf(file);
      const shapes = first ? shapeText(first.problem) : '';
      const gpu = deviceKey(device);
      const question = { op, dtype, profile, shapes, gpu };
      if (profile !== 'default' && engineOf(device.runtime) !== 'tint') {
        expect(() => questionSchema.parse(question)).toThrow('naga has only the profile default');
        continue;
      }
      const asked = questionSchema.parse(question);
      const [row] = await grid.store.best(asked);
      const other = profile === 'default' && WITHOUT_MATRICES[`${device.device} ${dtype}`];
      if (other) {
        expect.soft(row?.best?.quote ?? null, `${gpu} ${op} ${dtype}`).toBeNull();
        expect.soft(sourceOf(row!)).toContain(other);
        continue;
      }
      expect.soft(row?.best?.quote?.ns, `${gpu} ${op} ${dtype}`).toBeGreaterThan(0);
      expect.soft(sourceOf(row!), `${gpu} ${op} ${dtype}`).toContain(device.device);
    }
  },
);

test('an epilogue is in the program, and not in the time', async () => {
  const asked = questionSchema.parse({ shapes: '512', gpu: H200, epilogue: 'bias-gelu' });
  const [row] = await grid.store.best(asked);
  expect(row?.best?.wgsl).toContain('// bias, then gelu, of each sum.');
  expect(remarkOf(row!)).toBe('timed under fast; timed without its epilogue');
  expect(`${questionQuery(asked)}`).toContain('epilogue=bias-gelu');
});

test('a CSV has a column per dimension and per tunable, and a name that says what it is', () => {
  const all = bestFile('csv', rows, question).trim().split('\n');
  const [head = '', ...lines] = all.filter((line) => !line.startsWith('# '));
  const columns = head.split(',');
  expect(columns.slice(0, 6)).toEqual(['gpu', 'op', 'dtype', 'profile', 'engine', 'b']);
  for (const { best } of rows) {
    for (const name of Object.keys(best?.variant.tunables ?? {})) expect(columns).toContain(name);
  }
  expect(lines).toHaveLength(rows.length);
  expect(bestFileName(question, 'csv')).toBe('tilemark-matmul-f16.csv');
});

test('the tables of both libraries have a line for each answer', () => {
  for (const form of ['ggml', 'onnxruntime'] as const) {
    const lines = bestFile(form, rows, question).match(/^ {4}(\{|\/\/ blank:) "/gm);
    expect(lines).toHaveLength(rows.length);
  }
});

test.each(BEST_FORMS)(
  'a file in %s says first who was not timed, then where it is from',
  (form) => {
    const text = bestFile(form, rows, question);
    const [first = ''] = text.split('\n');
    expect(first).toMatch('nobody has timed apple, amd;');
    expect(first).not.toContain(H200);
    for (const part of [
      /Tilemark \d/,
      /20\d\d-\d\d-\d\dT/,
      /methodology\W+\d/,
      /MIT/,
      /580\.159/,
    ]) {
      expect(text).toMatch(part);
    }
    // Of every row, whether anybody has timed it.
    if (form !== 'js') expect(text.match(/\buntimed(; |,|"|$)/gm)?.length).toBeGreaterThan(4);
  },
);

test('a GPU that is named to break out of a table stays within its literal and its line', () => {
  const evil = 'a" }\n#include "/etc/passwd" \\';
  const [row] = rows;
  const named = [{ ...row!, gpu: { ...row!.gpu!, id: evil } }];
  for (const form of ['ggml', 'onnxruntime'] as const) {
    const lines = bestFile(form, named, question).split('\n');
    expect(lines.filter((line) => line.startsWith('#'))).toEqual([]);
    expect(lines.filter((line) => line.endsWith('\\'))).toEqual([]);
    expect(lines.filter((line) => line.includes(JSON.stringify(evil)))).toHaveLength(1);
  }
});

test('the module runs what is for its GPU, and for any other what plain WebGPU runs', async () => {
  const asked = questionSchema.parse({ shapes: '5x7x9 64', gpu: `apple/metal-3,${H200}` });
  const source = bestFile('js', await grid.store.best(asked), asked);
  const { kernelFor, requirements, table } = await import(
    `data:text/javascript,${encodeURIComponent(source)}`
  );
  const adapter = await gpu.requestAdapter();
  const device = await adapter!.requestDevice(requirements(adapter));
  const problem = parseProblem({ op: 'matmul', shape: '5x7x9', dtype: 'f32' });
  const [a, b] = inputTensors(problem, { seed: 3 });
  let want = 0;
  for (let k = 0; k < 9; k++) want += a![k]! * b![k * 7]!;
  const kernel = await kernelFor(device, '5x7x9', adapter!.info);
  expect(Object.keys(kernel.gpus)).toContain('any');
  expect(new Float32Array(await kernel.run([a, b]))[0]).toBeCloseTo(want, 4);
  const ofApple = { vendor: 'apple', architecture: 'metal-3' };
  expect(Object.keys((await kernelFor(device, '64', ofApple)).gpus)).toContain('apple/metal-3');
  // wgpu tells a vendor by its number, Firefox not at all.
  for (const info of [{ vendor: '4318' }, { vendor: '' }, {}]) {
    const { gpus } = await kernelFor(device, '64', info);
    expect(Object.keys(gpus).some((id) => id !== 'any')).toBe(true);
  }
  expect(new Set(table.map(({ shape }: { shape: string }) => shape))).toEqual(
    new Set(['5x7x9', '64']),
  );
  await expect(kernelFor(device, '8', {})).rejects.toThrow('No kernel for 8 runs here.');
  device.destroy();
});

test('an answer rests on a software adapter for that adapter alone', async () => {
  const { store } = grid;
  const { deviceKey, workerId } = await attach(store, 'Software adapter', 'w1', 'software');
  const run = kernelRun(deviceKey, 'matmul/naive', square(512));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e3)]]);
  const gpus = await store.gpus();
  expect(gpus.length).toBeGreaterThan(6);
  for (const { id } of gpus) {
    const asked = questionSchema.parse({ shapes: '512', gpu: id });
    const [row] = await grid.store.best(asked);
    expect.soft(sourceOf(row!).includes('Software adapter'), id).toBe(id === deviceKey);
  }
});

test.each([
  [{ m: '512', n: '256', k: '128' }, [{ m: 512, n: 256, k: 128 }]],
  [{ shape: '512' }, [{ m: 512, n: 512, k: 512 }]],
  [{ op: 'transpose', rows: '8', cols: '4' }, [{ rows: 8, cols: 4 }]],
  [{ shapes: '64..256' }, [64, 128, 256].map((n) => ({ m: n, n, k: n }))],
  [{}, []],
] as const)('%j asks for its shapes', (query, shapes) => {
  expect(questionSchema.parse(query).shapes).toMatchObject(shapes);
});

test.each([
  [{ shapes: '512x256' }, /^shapes: '512x256' is not a shape/],
  [{ m: '512' }, /^n is missing/],
  [{ op: 'transpose', rows: '8', cols: '8', k: '8' }, /^k cannot be “8”: transpose has no/],
  [{ gpu: 'a,b,c,d,e,f,g' }, /at most 6 GPUs/],
  [{ gpu: 'a,b', shapes: '1..49 +1' }, /at most 96 rows/],
  [{ op: 'transpose', suite: 'llama-3.1-8b-decode' }, /^suite/],
])('%j is refused at its field', (given, message) => {
  expect(parseQuery(questionSchema, given).refused.join()).toMatch(message);
});
