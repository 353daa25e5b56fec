import pg from 'pg';
import { expect, test } from 'vitest';
import { emptyDatabase } from '../packages/core/test-services';
import { LOCK_TABLE, withMigrationLock } from './migration-lock';

test('lets one at a time work, also where all of them find no table to lock', async () => {
  const url = await emptyDatabase();
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  let working = 0;
  let done = 0;
  for (let round = 0; round < 30; round++) {
    await owner.query(`DROP TABLE IF EXISTS ${LOCK_TABLE}`);
    const migrator = () =>
      withMigrationLock(url, async () => {
        working += 1;
        await owner.query('SELECT');
        expect(working).toBe(1);
        working -= 1;
        done += 1;
      });
    await Promise.all(Array.from({ length: 8 }, migrator));
  }
  expect(done).toBe(30 * 8);
  await owner.end();
});
