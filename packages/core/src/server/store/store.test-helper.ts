import { createClient } from '@tilemark/db';
import { afterAll } from 'vitest';
import { testDatabase } from '../../../services.test-helper';
import { openStore } from './store';

/** A store on a database of its own, a client of that, and its URL, for the tests of a file. */
export async function testStore() {
  const url = await testDatabase();
  const store = openStore(url);
  const db = createClient(url);
  afterAll(async () => {
    await store.close();
    await db.$disconnect();
  });
  return { db, store, url };
}
