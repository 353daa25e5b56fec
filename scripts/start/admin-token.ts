import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore, type Store } from '@tilemark/core/server';
import { StartProblem } from './terminal';

const fileOf = (dataDir: string) => join(dataDir, 'admin-token');

export const readAdminToken = (dataDir: string): Promise<string | null> =>
  readFile(fileOf(dataDir), 'utf8').then(
    (text) => text.trim() || null,
    () => null,
  );

/**
 * Ensures that an admin can log in: with the token `chosen` by the deployment, or else with the one
 * in the file `admin-token` of the data folder (mode 0600), whose secret is returned. A token in
 * the file that is unknown to the database, revoked or expired is replaced.
 *
 * @throws StartProblem if the chosen token was revoked
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

/** The code of a link that logs in once, as the token's owner. */
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
    name: 'Grid owner',
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
  throw new StartProblem(`${name} is a token that was revoked. Set it to a new one.`);
}
