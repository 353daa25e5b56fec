import { readFile } from 'node:fs/promises';
import { shapeText } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { referenceFileSchema } from '../../reference/figures';
import { besideKernel } from '../../reference/reference';
import { sideBySide } from './fixtures.test-helper';
import { openStore, type Store } from './store';

let store: Store;
beforeAll(async () => {
  store = openStore(await testDatabase());
});
afterAll(() => store.close());

const asked = { op: 'matmul', dtype: 'f32', shape: '64' } as const;

test('an imported file is kept once, as figures that say who brought them', async () => {
  const file = sideBySide('Lab GPU');
  const first = await store.references.import(file, 'Ada');
  expect(first.figures).toBe(2);
  expect(await store.references.import(file, 'Eve')).toEqual(first);
  const brought = (await store.references.list(asked)).filter(({ imported }) => imported);
  expect(brought).toMatchObject([
    {
      hardware: 'Lab GPU',
      by: { kind: 'kernel', kernel: 'matmul/naive' },
      profile: 'fast',
      // Of two rounds a kernel’s slower and a library’s faster.
      medianNs: 2_000,
      imported: { by: 'Ada' },
    },
    {
      by: { kind: 'library', name: 'cuBLAS', version: 'PyTorch 2' },
      profile: null,
      medianNs: 1_000,
    },
  ]);
  expect(await store.leaderboard({ ...asked, profile: 'fast' })).toMatchObject({ rows: [] });
});

test('a grid has the shipped figures from the start', async () => {
  const figures = await store.references.list({ ...asked, shape: '4096x4096x4096' });
  expect(figures.map(({ imported }) => imported)).toContain(null);
});

test('a file without a figure is refused', async () => {
  await expect(
    store.references.import({ ...sideBySide(), results: [{ error: 'lost' }] }, 'Ada'),
  ).rejects.toMatchObject({ name: 'InputError', field: 'results' });
});

const shipped = async (name: string) => {
  const file = new URL(`../../../../../docs/results/${name}`, import.meta.url);
  return referenceFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
};

test('a file that ships is not shown twice, and one of a library alone is taken', async () => {
  const of = { op: 'matmul', dtype: 'f32', shape: '4096' } as const;
  const before = await store.references.list(of);
  await store.references.import(await shipped('h200-2026-11-23.json'), 'Ada');
  expect(await store.references.list(of)).toEqual(before);
  const library = await shipped('cublas-families-h200-2026-11-22.json');
  await store.references.import(library, 'Ada');
  const taken = await store.references.list({ op: 'matmul', dtype: 'f16', shape: '1x768x768' });
  expect(taken.filter(({ imported }) => imported)).toMatchObject([
    { hardware: 'NVIDIA H200', by: { kind: 'library', name: 'cuBLAS' }, medianNs: 3623 },
  ]);
});

test('a device shows its fastest kernel of a problem once, whoever brought the figure', async () => {
  // The same problems as the file that ships, measured a day before.
  await store.references.import(await shipped('h200-2026-11-22.json'), 'Ada');
  const shown = await store.references.ofHardware('NVIDIA H200');
  const texts = shown.map(
    ({ problem, profile }) => `${problem.op} ${shapeText(problem)} ${problem.dtype}, ${profile}`,
  );
  expect(texts).toContain('matmul 4096 f32, default');
  expect(texts).toEqual([...new Set(texts)]);
  const ops = shown.map(({ problem }) => problem.op);
  expect(ops).toEqual(ops.toSorted());
  const figures = await store.references.list({ op: 'matmul', dtype: 'f32' });
  const own = besideKernel(figures, 'matmul/warp-tile').filter(({ by }) => by.kind === 'kernel');
  const at4096 = own.filter(({ problem }) => shapeText(problem) === '4096');
  expect(at4096.map(({ profile }) => profile).toSorted()).toEqual(['default', 'fast']);
});
