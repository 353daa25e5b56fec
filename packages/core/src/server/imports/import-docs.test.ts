import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { benchFileSchema } from '../../view/api';
import { openStore } from '../store/store';
import { importResults } from './import';

const FOLDER = new URL('../../../../../docs/results/h200-2026-11-21/', import.meta.url);

/** Each is beside the report of its suite. The copies are ceilings measured on their own. */
const SUITES_OF_FILES = {
  'block-size.json': 'block-size',
  'copy-fast.json': null,
  'copy.json': null,
  'layouts-1.json': 'layouts',
  'layouts-2.json': 'layouts',
  'threads-per-block.json': 'threads-per-block',
  'tiled-vs-naive.json': 'tiled-vs-naive',
  'tiling-ladder.json': 'tiling-ladder',
  'transpose-ladder.json': 'transpose-ladder',
};

test('the files behind docs/results/reports-on-h200.md can be brought to a grid', async () => {
  const store = openStore(await testDatabase());
  try {
    const names = await readdir(FOLDER);
    expect(names).not.toEqual([]);
    const suites: Record<string, string | null> = {};
    for (const name of names) {
      const file = benchFileSchema.parse(JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')));
      const author = { name: 'admin', role: 'admin' } as const;
      const { counts, id } = await importResults({ store }, file, author);
      const total = file.results.length;
      expect({ name, ...counts }).toMatchObject({ name, total, measured: total });
      suites[name] = (await store.sweeps.get(id))?.suite?.split('@')[0] ?? null;
    }
    expect(suites).toEqual(SUITES_OF_FILES);
  } finally {
    await store.close();
  }
});
