import { readdir, readFile } from 'node:fs/promises';
import { parseVariant, shapeText } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { type BenchFile, referenceFigureSchema } from '../api/api';
import { benchFigures } from './bench-figures.test-helper';
import { newestOfEach, sideBySideFigures, sideBySideFileSchema } from './figures.test-helper';
import { bestOfEach, referencesOn, shippedReference } from './reference';

const DOCS = new URL('../../../../docs/results/', import.meta.url);
const read = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(new URL(name, DOCS), 'utf8'));

const sideBySide = async () => sideBySideFileSchema.parse(await read('h200-2026-11-23.json'));

test('what ships is what the files of the docs say', async () => {
  const folder = 'h200-2026-11-21';
  const names = (await readdir(new URL(`${folder}/`, DOCS))).toSorted();
  // Of an earlier methodology, which is no result of today's schema.
  const files = await Promise.all(
    names.map(async (name) => (await read(`${folder}/${name}`)) as BenchFile),
  );
  const figures = newestOfEach([...benchFigures(files), ...sideBySideFigures(await sideBySide())]);
  const lines = figures.map((figure) => JSON.stringify(figure));
  await expect(`[\n${lines.join(',\n')}\n]\n`).toMatchFileSnapshot('./h200.json');
});

test('every shipped figure is whole', () => {
  const figures = shippedReference();
  expect(figures.length).toBeGreaterThan(100);
  for (const figure of figures) {
    expect(referenceFigureSchema.parse(figure)).toEqual(figure);
  }
});

test('a library is what it is, and its f16 sums in f32', async () => {
  const figures = sideBySideFigures(await sideBySide());
  const libraries = figures.filter(({ by }) => by.kind === 'library');
  expect(new Set(libraries.map(({ by }) => by.kind === 'library' && by.name))).toEqual(
    new Set(['cuBLAS', 'TensorFlow.js', 'jax-js']),
  );
  expect(libraries.every(({ profile }) => profile === null)).toBe(true);
  expect(libraries.some(({ problem }) => problem.dtype === 'f16acc16')).toBe(false);
});

test('a figure beside a variant of its own kernel says that it is another', async () => {
  for (const { by, source } of sideBySideFigures(await sideBySide())) {
    if (by.kind === 'kernel') expect(source).not.toContain(`Side by side with ${by.kernel} in`);
  }
});

test('a row whose measuring failed, and one of another program, give no figure', async () => {
  const file = await sideBySide();
  expect(sideBySideFigures({ ...file, results: [{ error: 'lost' }] })).toEqual([]);
  expect(sideBySideFigures({ ...file, environments: {} })).toEqual([]);
});

test('beside f32 4096 stand the H200’s best kernel of the profile and three libraries', () => {
  const figures = referencesOn({ op: 'matmul', dtype: 'f32' }).filter(
    ({ problem }) => shapeText(problem) === '4096',
  );
  const shown = bestOfEach(figures, 'default').filter(({ by }) => by.kind !== 'report');
  expect(shown.map(({ by }) => (by.kind === 'library' ? by.name : by.kind))).toEqual([
    'cuBLAS',
    'kernel',
    'TensorFlow.js',
    'jax-js',
  ]);
  const [, kernel] = shown;
  expect(kernel?.by.kind === 'kernel' && parseVariant(kernel.by.address).kernel).toBe(
    'matmul/warp-tile',
  );
  expect(kernel?.profile).toBe('default');
});

test('a copy is a ceiling beside the best transpose, not the best itself', () => {
  const figures = shippedReference().filter(
    ({ problem }) => problem.op === 'transpose' && shapeText(problem) === '8192',
  );
  const kernels = bestOfEach(figures, 'fast').flatMap(({ by }) =>
    by.kind === 'kernel' ? [by.kernel] : [],
  );
  expect(kernels).toEqual(['transpose/copy', 'transpose/swizzled']);
});

test('of the rounds of a file the middle one counts, of files the newest', async () => {
  const file = await sideBySide();
  const [row] = file.results;
  if (!row || !('rounds' in row)) throw new Error('The file begins with a row of rounds.');
  const [round] = row.rounds;
  if (!round) throw new Error('The row has a round.');
  const mediansOf = (...medians: number[]) => {
    const rounds = medians.map((medianNs) => ({ ...round, ours: { ...round.ours, medianNs } }));
    const figures = sideBySideFigures({ ...file, results: [{ ...row, rounds }] });
    return figures.filter(({ by }) => by.kind === 'kernel').map(({ medianNs }) => medianNs);
  };
  expect(mediansOf(5, 1, 3)).toEqual([3]);
  expect(mediansOf(1, 5)).toEqual([5]);

  const [newer] = sideBySideFigures(file);
  if (!newer) throw new Error('The file has a figure.');
  const older = { ...newer, medianNs: newer.medianNs / 2, measuredAt: '2026-11-22T00:00:00.000Z' };
  expect(newestOfEach([older, newer])).toEqual([newer]);
  expect(newestOfEach([newer, older])).toEqual([newer]);
});

test('no shipped figure has another of the same thing beside it', () => {
  const figures = shippedReference();
  expect(newestOfEach(figures)).toEqual(figures);
});

test('every figure of an earlier methodology names it', () => {
  for (const { by, measuredAt, source } of shippedReference()) {
    if (by.kind === 'kernel' && measuredAt !== null && measuredAt < '2026-11-23') {
      expect(source).toContain('methodology 1');
    }
  }
});
