import { openStore, type Store } from '@tilemark/core/server';
import { DTYPES, idsOf, kernelsOf, OPS, parseProblem, shapeText } from '@tilemark/kernels';
import { isValidElement, type ReactElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../../../packages/core/services.test-helper';
import {
  attach,
  kernelRun,
  measured,
  recordAll,
  square,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { boardQuerySchema } from './query';
import { loadView } from './view';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const openedOf = async (query: Record<string, string>) => {
  const { board, content } = await loadView(store, boardQuerySchema.parse(query));
  return {
    shape: board.problem && shapeText(board.problem),
    html: isValidElement(content) ? renderToStaticMarkup(content) : '',
  };
};

test('of the reference alone, every view opens on the same problem, with a row per hardware', async () => {
  const views = await Promise.all(['devices', 'heatmap'].map((view) => openedOf({ view })));
  expect(views.map(({ shape }) => shape)).toEqual(['4096', '4096']);
  const rows = views.map(({ html }) => html.match(/<tr/g)?.length ?? 0);
  expect(Math.min(...rows)).toBeGreaterThan(1);
  for (const { html } of views) expect(html).toContain('NVIDIA H200');
});

test('what software adapters and CPUs have is told apart from what GPUs had under an earlier protocol', async () => {
  const query = boardQuerySchema.parse({ dtype: 'i32' });
  const { board, hasOwn } = await loadView(store, query);
  const opening = board.problem && shapeText(board.problem);
  expect([opening === null, hasOwn]).toEqual([false, false]);
  const square = (n: number) => ({ op: 'matmul', shape: { m: n, n, k: n }, dtype: 'i32' }) as const;
  const soft = await attach(store, 'Integer adapter', 'w2', 'software');
  await recordAll(store, soft.deviceKey, soft.workerId, [
    [kernelRun(soft.deviceKey, 'matmul/naive', square(128)), measured(1e6)],
  ]);
  const { content } = await loadView(store, query);
  const text = renderToStaticMarkup(content as ReactElement).replace(/<[^>]*>/g, '');
  expect(text).toMatch(/easured here, on software adapters or CPUs: matmul 128\./);
});

test('groups that hide every device are not taken for a profile without results', async () => {
  const { deviceKey, workerId } = await attach(store, 'Adapter', 'w1', 'software');
  const run = kernelRun(deviceKey, 'matmul/naive');
  await recordAll(store, deviceKey, workerId, [
    [run, measured(1e6)],
    [{ ...run, profile: 'fast' }, measured(1e6)],
  ]);
  const { content } = await loadView(store, boardQuerySchema.parse({ groups: 'gpu' }));
  const html = isValidElement(content) ? renderToStaticMarkup(content) : '';
  expect(html).toContain('No device shown has measured matmul 64 f32 under default yet');
  expect(html).not.toContain('Nothing in f32');
});

test('what nobody has measured leads to the kernel to run, never to a sweep of naive', async () => {
  const { deviceKey, workerId } = await attach(store, 'Software adapter', 'w7', 'software');
  for (const op of idsOf(OPS)) {
    const [kernel] = kernelsOf(op);
    const dtypes = idsOf(DTYPES).filter((dtype) => kernel?.dtypes.includes(dtype));
    for (const dtype of dtypes) {
      const run = kernelRun(deviceKey, `${op}/naive`, parseProblem({ op, shape: '64', dtype }));
      await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
      const { html } = await openedOf({ op, dtype, shape: '96', groups: 'gpu' });
      expect(html).toContain('has measured');
      expect(html.match(/href="[^"]*"/g)?.map((href) => href.replaceAll('&amp;', '&'))).toEqual([
        `href="/best?op=${op}&dtype=${dtype}&profile=default&shape=96"`,
      ]);
    }
  }
});

test('a row states over how many runs its median is', async () => {
  const { deviceKey, workerId } = await attach(store, 'Repeated card', 'w4', 'gpu');
  const run = kernelRun(deviceKey, 'matmul/naive', square(224));
  await recordAll(store, deviceKey, workerId, [
    [run, measured(1e6)],
    [run, measured(1.01e6)],
  ]);
  const { html } = await openedOf({ shape: '224', groups: 'gpu' });
  expect(html.match(/median of 2 runs/g)).toHaveLength(1);
});

test('figures of reference stand below the result of their hardware, and are never ranked', async () => {
  const { deviceKey, workerId } = await attach(store, 'NVIDIA H200', 'w9', 'gpu');
  const run = kernelRun(deviceKey, 'matmul/naive', square(2048));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
  const { html } = await openedOf({ shape: '2048', groups: 'gpu,reference' });
  const rows = html.split('<tr').map((row) => row.replace(/<[^>]*>/g, ' '));
  const own = rows.findIndex((row) => row.includes('matmul/naive') && !row.includes('note'));
  expect(rows[own + 1]).toMatch(/–.*NVIDIA H200.*note/);
  expect(html.match(/never ranked/g)).toHaveLength(1);
});
