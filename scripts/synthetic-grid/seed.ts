import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { migrate } from '../../prisma';
import { givenDatabaseUrl } from '../environment';
import { startPostgres } from '../services/postgres';
import { say, step } from '../start/terminal';
import { fill, isSynthetic } from './fill';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface BigOptions {
  /** Contains the disposable database. */
  readonly dataDir: string;
  readonly devices: number;
  readonly results: number;
}

/** The flags of `seed:big` and `bench:web`. Throws TypeError for unknown flags. */
export function bigOptions(): BigOptions {
  const { values } = parseArgs({
    options: {
      data: { type: 'string', default: '.tilemark-big' },
      devices: { type: 'string', default: '200' },
      results: { type: 'string', default: '1000000' },
    },
  });
  const count = (name: 'devices' | 'results') => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number > 0) return number;
    throw new TypeError(`--${name} must be a whole number above 0, not '${values[name]}'.`);
  };
  return {
    dataDir: resolve(root, values.data),
    devices: count('devices'),
    results: count('results'),
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
  await seedBig(bigOptions(), givenDatabaseUrl()).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
