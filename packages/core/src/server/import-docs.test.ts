import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../../test-services';
import { benchFileSchema } from '../api';
import { importResults } from './import';
import { openStore } from './store/open-store';

const FOLDER = new URL('../../../../docs/results/h200-2026-11-21/', import.meta.url);

test('the files behind docs/results/reports-on-h200.md can be brought to a grid', async () => {
  const store = openStore(await testDatabase());
  try {
    const names = await readdir(FOLDER);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const file = benchFileSchema.parse(JSON.parse(await readFile(new URL(name, FOLDER), 'utf8')));
      const author = { name: 'admin', role: 'admin' } as const;
      const { counts } = await importResults({ store }, file, author);
      const total = file.results.length;
      expect({ name, ...counts }).toMatchObject({ name, total, measured: total });
    }
  } finally {
    await store.close();
  }
});
