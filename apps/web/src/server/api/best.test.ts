import { bestVariantSchema } from '@tilemark/core';
import { type Problem, parseProblem, shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';

const H200 = 'nvidia-nvidia_h200-vulkan-dawn';

let grid: TestGrid;
let own: string;
beforeAll(async () => {
  grid = await openTestGrid();
  const { deviceKey, workerId } = await attach(grid.store, 'Own');
  own = deviceKey;
  await recordAll(grid.store, own, workerId, [
    [kernelRun(own, 'matmul/naive', square(512)), measured(2e6)],
    [kernelRun(own, 'matmul/tiled', square(512)), measured(1e6)],
  ]);
});
afterAll(() => grid.close());

const ask = (path: string, query: Readonly<Record<string, string>>) =>
  call(`GET /${path}`, { query: `?${new URLSearchParams(query)}` });

describe('a question to /best and the same among others to /best/table', () => {
  const gpus = () => [own, H200, 'nvidia', 'apple/metal-3', 'amd'];
  const kinds = [
    ['matmul', 'f32', '512 1x4096x11008 512x4096x4096 33x77x99 12x197x64x197'],
    ['matmul', 'f16', '512 1x4096x11008 7x1000x1000'],
    ['matmul', 'f16-q4', '1x4096x4096 4x1024x1024'],
    ['transpose', 'f32', '4096 1000x3000 65536x16'],
  ] as const;

  it.each(kinds)('are answered alike for %s %s', async (op, dtype, shapes) => {
    for (const profile of ['default', 'fast']) {
      const asked = { op, dtype, profile };
      const table = await ask('best/table', { ...asked, shapes, gpu: gpus().join() });
      const { items } = (await table.json()) as { items: Row[] };
      expect(items).toHaveLength(shapes.split(' ').length * gpus().length);
      for (const { best, gpu, problem } of items) {
        const what = `${shapeText(problem)} on ${gpu}`;
        const { shape } = parseProblem({ ...problem, shape: shapeText(problem) });
        const sizes = Object.entries(shape).map(([name, size]) => [name, String(size)]);
        const [vendor = '', architecture = ''] = gpu.split('/');
        const who = gpu === own || gpu === H200 ? { device: gpu } : { vendor, architecture };
        const one = await ask('best', { ...asked, ...Object.fromEntries(sizes), ...who });
        expect(one.status, what).toBe(best ? 200 : 404);
        if (!best) continue;
        const { bindings, wgsl, ...answer } = bestVariantSchema.parse(await one.json());
        expect(answer, what).toEqual(best);
        expect(wgsl, what).toContain('@compute');
      }
    }
  });
});

it('answers with one variant for every shape and GPU', async () => {
  const asked = { op: 'transpose', shapes: '4096 1000x3000', gpu: `${H200},nvidia`, one: '1' };
  const { items } = await (await ask('best/table', asked)).json();
  const all = bestVariantSchema.omit({ wgsl: true, bindings: true }).array();
  const answers = all.parse(items.map(({ best }: Row) => best));
  expect(new Set(answers.map(({ address }) => address)).size).toBe(1);
  const shares = answers.map(({ one }) => one?.share ?? 0);
  expect(Math.min(...shares)).toBe(answers[0]?.one?.worst);
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
});

interface Row {
  readonly gpu: string;
  readonly problem: Problem;
  readonly best: object | null;
}

it.each([
  [{ gpu: 'banana', shapes: '512' }, 'gpu', /'banana' is no GPU .*nvidia_h200.*apple/],
  [{ device: 'M3', shapes: '512' }, 'gpu', /'M3' is no GPU/],
  [{ gpus: 'apple', shapes: '512' }, 'gpus', /no field `gpus`/],
  [{ dtype: 'fp16', shapes: '512' }, 'dtype', /did you mean f16\?/],
  [{ dtype: 'q4_0', shapes: '512' }, 'dtype', /did you mean f16-q4\?/],
  [{ dtype: 'f32' }, 'shapes', /one shape/],
  [{ shapes: '512 1024' }, 'shapes', /one shape/],
  [{ shapes: '512', shape: '1024' }, 'shapes', /one shape/],
  [{ shapes: '512', m: '8', n: '8', k: '8' }, 'shapes', /one shape/],
  [{ shapes: '512', shape: 'abc' }, 'shape', /'abc' is not a size/],
  [{ shapes: '512', suite: 'gpt2-decode' }, 'suite', /shapes are named, too/],
  [{ gpu: 'apple,amd', shapes: '512' }, 'gpu', /one GPU/],
])('%j is refused at %s', async (query, field, detail) => {
  const answer = await ask('best', query as never);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ field, detail: expect.stringMatching(detail) });
});

it('counts every value of a parameter that is given several times', async () => {
  const twice = 'shapes=1,4096,11008&gpu=apple&gpu=amd';
  const { items } = await (await call('GET /best/table', { query: `?${twice}` })).json();
  expect(items.map(({ gpu }: Row) => gpu)).toEqual(['apple', 'amd']);
  expect(items.map(({ problem }: Row) => shapeText(problem))).toEqual(
    Array(2).fill('1x4096x11008'),
  );
  const both = await call('GET /best/table', { query: '?shapes=1,64,64&shapes=512&gpu=amd' });
  expect((await both.json()).items.map(({ problem }: Row) => shapeText(problem))).toEqual([
    '1x64x64',
    '512',
  ]);
  expect((await call('GET /best', { query: `?${twice}` })).status).toBe(400);
  const op = await call('GET /best', { query: '?op=matmul&op=transpose&shapes=512' });
  expect(await op.json()).toMatchObject({ field: 'op' });
});

it.each(['banana', 'M3'])(
  'lists no changes of a device that is unknown here: %s',
  async (device) => {
    const answer = await ask('changes', { device });
    expect(await answer.json()).toMatchObject({ status: 400, field: 'device' });
    expect((await ask('changes', { device: own })).status).toBe(200);
  },
);

it('refuses a parameter that an operation does not have', async () => {
  const answer = await call('GET /leaderboard', { query: '?shpae=512' });
  expect(await answer.json()).toMatchObject({ status: 400, field: 'shpae' });
});
