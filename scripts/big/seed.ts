import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { migrate } from '../../prisma';
import { startPostgres } from '../services/postgres';
import { say, step } from '../start/steps';
import { fill, isSynthetic } from './fill';
import { type BigOptions, readBigOptions } from './options';

/**
 * `npm run seed:big`: a database with a synthetic grid of 200 devices and 1,000,000
 * results, for measuring the site. `DATABASE_URL` set: that, where it is empty;
 * else one of its own in a folder of its own (`--data`, default `.tilemark-big`).
 */
export async function seedBig(options: BigOptions): Promise<void> {
  const { dataDir } = options;
  const given = process.env.DATABASE_URL;
  const postgres = given ? null : await startPostgres({ dataDir: join(dataDir, 'postgres') });
  const url = given || postgres?.url;
  if (!url) throw new Error('There is no database to seed.');
  const client = new pg.Client({ connectionString: url });
  try {
    await migrate(url);
    await client.connect();
    if (await isSynthetic(client)) {
      say('The database holds a synthetic grid already.');
      return;
    }
    const { devices, results } = options;
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
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  await seedBig(readBigOptions(process.argv.slice(2), root)).catch((error: unknown) => {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
