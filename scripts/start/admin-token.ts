import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '@tilemark/core/server';

const fileOf = (dataDir: string) => join(dataDir, 'admin-token');

/** The admin token of an earlier start, or null. */
export const readAdminToken = (dataDir: string): Promise<string | null> =>
  readFile(fileOf(dataDir), 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  );

/**
 * The token in `admin-token` of the data folder (mode 0600). One that the
 * database does not know, or that was revoked or has expired, is replaced.
 */
export async function ensureAdminToken(dataDir: string, databaseUrl: string): Promise<string> {
  const store = openStore(databaseUrl);
  try {
    const known = await readAdminToken(dataDir);
    if (known && (await store.tokens.verify(known))) return known;
    const { secret } = await store.tokens.create({
      name: 'first start',
      role: 'admin',
      expiresAt: null,
    });
    await writeFile(fileOf(dataDir), `${secret}\n`, { mode: 0o600 });
    return secret;
  } finally {
    await store.close();
  }
}
