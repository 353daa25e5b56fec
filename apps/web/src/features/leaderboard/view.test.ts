import { openStore, type Store } from '@tilemark/core/server';
import { DTYPES, idsOf, kernelsOf, OPS, parseProblem, shapeText } from '@tilemark/kernels';
import { isValidElement } from 'react';
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

test('of the reference alone, the board shows the problem with most figures', async () => {
  const { html } = await openedOf({});
  expect(html).toContain('Measured elsewhere');
  expect(html).toContain('NVIDIA H200');
  expect((await openedOf({ shape: '64' })).html).toContain('No results yet');
});

test('what nobody has measured leads to the kernel to run, never to a sweep of naive', async () => {
  const { deviceKey, workerId } = await attach(store, 'Software adapter', 'w7', 'software');
  for (const op of idsOf(OPS)) {
    const [kernel] = kernelsOf(op);
    const dtypes = idsOf(DTYPES).filter((dtype) => kernel?.dtypes.includes(dtype));
    for (const dtype of dtypes) {
      const run = kernelRun(deviceKey, `${op}/naive`, parseProblem({ op, shape: '64', dtype }));
      await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
      const { html } = await openedOf({ op, dtype, shape: '96' });
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
  const { html } = await openedOf({ shape: '224' });
  expect(html.match(/median of 2 runs/g)).toHaveLength(1);
});

test('a row states its driver and day, and whether others share its rank', async () => {
  for (const [name, medianNs] of [
    ['One', 1e6],
    ['Other', 1.001e6],
    ['Slow', 9e6],
  ] as const) {
    const { deviceKey, workerId } = await attach(store, name, 'w5', 'gpu');
    const run = kernelRun(deviceKey, 'matmul/naive', square(208));
    await recordAll(store, deviceKey, workerId, [[run, measured(medianNs)]]);
  }
  const { html } = await openedOf({ shape: '208' });
  expect(html.match(/1\.2\.3/g)).toHaveLength(3);
  expect(html.match(/>\d{4}-\d\d-\d\d<\/time>/g)).toHaveLength(3);
  expect(html.match(/>Shared rank</g)).toHaveLength(2);
});

test('figures of reference stand below the results, and are never ranked', async () => {
  const { deviceKey, workerId } = await attach(store, 'NVIDIA H200', 'w9', 'gpu');
  const run = kernelRun(deviceKey, 'matmul/naive', square(2048));
  await recordAll(store, deviceKey, workerId, [[run, measured(1e6)]]);
  const { html } = await openedOf({ shape: '2048' });
  const [own = '', reference = ''] = html.split('never ranked');
  expect(own).toContain('Leaderboard: Matrix multiply');
  expect(own).not.toContain('TensorFlow.js');
  expect(reference).toContain('NVIDIA H200');
});
