import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type Store } from '@tilemark/core/server';
import { StartProblem } from './problem';

const fileOf = (dataDir: string) => join(dataDir, 'admin-token');

/** The admin token of an earlier start, or null. */
export const readAdminToken = (dataDir: string): Promise<string | null> =>
  readFile(fileOf(dataDir), 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  );

/**
 * Makes sure that an admin can log in: with the token that the deployment has
 * `chosen`, or else with the one in `admin-token` of the data folder (mode 0600),
 * whose secret is returned. One there that the database does not know, or that
 * was revoked or has expired, is replaced.
 *
 * @throws StartProblem when the chosen one was revoked
 */
export async function ensureAdminToken(
  dataDir: string,
  databaseUrl: string,
  chosen: string | null,
): Promise<string> {
  const store = openStore(databaseUrl);
  try {
    return chosen === null ? await ownToken(store, dataDir) : await chosenToken(store, chosen);
  } finally {
    await store.close();
  }
}

/** The code of a link that logs in once, as whom the token is. */
export async function loginCode(databaseUrl: string, secret: string): Promise<string> {
  const store = openStore(databaseUrl);
  try {
    const principal = await store.tokens.verify(secret);
    if (!principal) throw new StartProblem('The admin token was revoked while the grid started.');
    return await store.tokens.loginCode(principal.tokenId);
  } finally {
    await store.close();
  }
}

async function ownToken(store: Store, dataDir: string): Promise<string> {
  const known = await readAdminToken(dataDir);
  if (known && (await store.tokens.verify(known))) return known;
  const { secret } = await store.tokens.create({
    name: 'first start',
    role: 'admin',
    expiresAt: null,
  });
  await writeFile(fileOf(dataDir), `${secret}\n`, { mode: 0o600 });
  return secret;
}

async function chosenToken(store: Store, secret: string): Promise<string> {
  const name = 'TILEMARK_ADMIN_TOKEN';
  await store.tokens.create({ name, role: 'admin', expiresAt: null, secret });
  if (await store.tokens.verify(secret)) return secret;
  throw new StartProblem(`${name} holds a token that was revoked. Set it to a new one.`);
}
