import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { gridOfFile } from '../grid.test-helper';

const { send } = gridOfFile('member');

const RESULTS = 'POST /results/import';
const FIGURES = 'POST /reference';

test.each([
  ['h200-2026-11-23.json', RESULTS, /^This file contains figures .* \/api\/v1\/reference/],
  ['cublas-families-h200-2026-11-22.json', RESULTS, /^This file contains figures/],
  [
    'h200-2026-11-21/copy.json',
    FIGURES,
    /^This file contains results .* \/api\/v1\/results\/import/,
  ],
  ['suites-h200-2026-11-25.json', RESULTS, /^This file sums up .* no grid imports/],
  ['suites-h200-2026-11-25.json', FIGURES, /^This file sums up .* no grid imports/],
] as const)('%s is told by %s where it belongs', async (name, path, words) => {
  const file = new URL(`../../../../../docs/results/${name}`, import.meta.url);
  const response = await send(path, await readFile(file, 'utf8'));
  expect(response.status).toBe(400);
  const { detail, field } = await response.json();
  expect(detail).toMatch(words);
  expect(field).toBeUndefined();
});

test('a file of the right kind is told what is wrong with it', async () => {
  const response = await send(RESULTS, { version: 1, results: [] });
  expect(await response.json()).toMatchObject({ field: 'environment' });
});
