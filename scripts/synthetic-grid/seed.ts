import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { countOf, flagsOf } from '../../bench/flags';
import { migrate } from '../../prisma';
import { givenDatabaseUrl } from '../environment';
import { startPostgres } from '../services/postgres';
import { say, step } from '../start/terminal';
import { fill, isSynthetic } from './fill';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface BigOptions {
  /** Contains the disposable database. */
  readonly dataDir: string;
  readonly devices: number;
  readonly results: number;
}

/** The flags of `seed:big` and `bench:web`. Exits with 2 if one is wrong. */
export function bigOptions(script: 'seed:big' | 'bench:web'): BigOptions {
  const flags = flagsOf(
    `usage: npm run ${script} [-- [--data .tilemark-big] [--devices 200] [--results 1000000]]`,
    { data: '.tilemark-big', devices: '200', results: '1000000' },
  );
  return {
    dataDir: resolve(root, flags.data),
    devices: countOf(flags, 'devices'),
    results: countOf(flags, 'results'),
  };
}

/**
 * `npm run seed:big`: writes a synthetic grid of 200 devices and 1,000,000 results, for measuring
 * the site, to the database `given` (`DATABASE_URL`) if it is empty, or without one to a separate
 * database in its own folder (`--data`, default `.tilemark-big`).
 */
export async function seedBig(options: BigOptions, given: string | null): Promise<void> {
  const { dataDir, devices, results } = options;
  const postgres = given ? null : await startPostgres({ dataDir: join(dataDir, 'postgres') });
  const url = given || postgres?.url;
  if (!url) throw new Error('There is no database to seed.');
  const client = new pg.Client({ connectionString: url });
  try {
    await migrate(url);
    await client.connect();
    if (await isSynthetic(client)) {
      say('The database already contains a synthetic grid.');
      return;
    }
    await step(`Write ${results} synthetic results of ${devices} devices`, () =>
      fill(client, options, (written) => {
        if (written % Math.floor(results / 5) === 0) say(`${written} of ${results}`);
      }),
    );
  } finally {
    await client.end();
    await postgres?.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await seedBig(bigOptions('seed:big'), givenDatabaseUrl()).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
