import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readAdminTokenSetting, readEnv } from '@tilemark/core/server';
import { migrate } from '../../prisma';
import { ensureAdminToken } from './admin-token';
import { exitWith } from './exit';
import { requireServices } from './services';

/**
 * `node deployed.mjs SERVE PORT HOST`: what the site's image runs. The site is built, Postgres and
 * Redis are given by URL; it migrates the database, makes sure that an admin can log in, and serves.
 * `npm start` is the same for a machine that has nothing yet (grid.ts).
 */
try {
  const [serve = '', ...listen] = process.argv.slice(2);
  const { databaseUrl, dataDir, redisUrl } = readEnv();
  await requireServices(databaseUrl, redisUrl);
  await migrate(databaseUrl);
  await ensureAdminToken(dataDir, databaseUrl, readAdminTokenSetting());
  process.argv = [process.execPath, serve, ...listen];
  await import(pathToFileURL(resolve(serve)).href);
} catch (error) {
  exitWith(error);
}
