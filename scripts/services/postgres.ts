import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StartProblem } from '../start/terminal';
import { ensurePassword, ensureWritable, exists } from './folder';
import { keptPort } from './port';
import { postgresAccount } from './postgres-account';
import { type Binaries, postgresBinaries } from './postgres-binaries';
import {
  type Account,
  commandLine,
  type Daemon,
  isRunning,
  logTail,
  type PrivateService,
  runAs,
  type ServiceOptions,
  startDaemon,
} from './process';

const DATABASE = 'tilemark';

/** Beside the cluster from its first start on: clusters without it are of versions that are not read. */
const FORMAT_FILE = 'format';
const START_WITHIN_MS = 60_000;

/** How long the child processes of a killed server may live on, ms. */
const LEFTOVERS_END_WITHIN_MS = 10_000;

/** What Postgres reports while they do. */
const MEMORY_IS_HELD = 'pre-existing shared memory block';

interface PostgresOptions extends ServiceOptions {
  /** Server settings on top of ours, for example `{ fsync: 'off' }` in tests. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** What every step needs. */
interface Place {
  readonly bin: Binaries;
  readonly account: Account;
  readonly cluster: string;
  readonly logFile: string;
}

/**
 * Starts a real Postgres with a database `tilemark`, from binaries installed by npm, on loopback.
 * The first start creates the cluster. A server that outlived its grid (kill -9) is stopped first;
 * its data is kept and recovered.
 *
 * @throws StartProblem with what to do, for example when the folder is not writable
 */
export async function startPostgres(options: PostgresOptions): Promise<PrivateService> {
  const { dataDir, settings = {} } = options;
  await ensureWritable(dataDir);
  const cluster = join(dataDir, 'cluster');
  const account = await postgresAccount(dataDir, cluster);
  const bin = await postgresBinaries(account);
  const place: Place = { bin, account, cluster, logFile: join(dataDir, 'server.log') };

  const password = await ensurePassword(dataDir);
  await makeCluster(place, dataDir, password);
  await stopLeftover(place);

  const port = options.port ?? (await keptPort(join(dataDir, 'port')));
  const flags = Object.entries({
    listen_addresses: '127.0.0.1',
    hba_file: await writeAccessRules(dataDir, account),
    // Loopback only: no socket folder that might be missing, too long or not writable.
    unix_socket_directories: '',
    ...settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const urlOf = (database: string) =>
    `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  const server = await startServer(place, ['-p', String(port), ...flags], urlOf('postgres'));
  return {
    url: urlOf(DATABASE),
    port,
    exited: server.exited,
    stop: async () => {
      if (!isRunning(server)) return;
      await shutDown(place);
      await server.exited;
    },
  };
}

/**
 * Throws StartProblem if a folder of `startPostgres` is of a version whose databases this one does not
 * read. Changes nothing: neither does looking at it start a server.
 */
export async function refuseOlder(dataDir: string): Promise<void> {
  const isOlder =
    (await exists(join(dataDir, 'cluster'))) && !(await exists(join(dataDir, FORMAT_FILE)));
  if (!isOlder) return;
  throw new StartProblem(
    `${dataDir} is of an older version of Tilemark, which this one does not read; nothing was changed. Start with a new folder: npm start -- --data NEWDIR. Or keep the older version for this one.`,
  );
}

/** Who may connect from where: anyone with a password, from this machine. Written at each start. */
async function writeAccessRules(dataDir: string, { owner }: Account): Promise<string> {
  const file = join(dataDir, 'pg_hba.conf');
  const rules = [
    ['host', 'all', 'all', '127.0.0.1/32', 'scram-sha-256'],
    ['host', 'all', 'all', '::1/128', 'scram-sha-256'],
  ];
  await writeFile(file, `${rules.map((rule) => rule.join(' ')).join('\n')}\n`, { mode: 0o600 });
  if (owner) await chown(file, owner.uid, owner.gid);
  return file;
}

/** Creates the cluster elsewhere and moves it into place, so that an incomplete one is never used. */
async function makeCluster(place: Place, dataDir: string, password: string): Promise<void> {
  const { bin, account, cluster } = place;
  if (await exists(cluster)) return;
  await writeFile(join(dataDir, FORMAT_FILE), '1\n');
  const unfinished = `${cluster}.new`;
  const passwordFile = join(dataDir, 'initdb-password');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account.owner) {
    for (const path of [unfinished, passwordFile]) {
      await chown(path, account.owner.uid, account.owner.gid);
    }
  }
  try {
    await runAs(account, bin.initdb, [
      ...['--pgdata', unfinished, '--username=postgres', `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
    ]);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() || (error as Error).message;
    throw new StartProblem(`The embedded Postgres could not be set up in ${dataDir}:\n${said}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, cluster);
}

/**
 * Stops a server that still runs on the cluster. A lock file whose process has ended, or is another
 * program by now, is left over from a crash and is removed: Postgres itself would mistake any process
 * with that id for a server.
 */
async function stopLeftover(place: Place): Promise<void> {
  const lockFile = join(place.cluster, 'postmaster.pid');
  const pid = Number((await readFile(lockFile, 'utf8').catch(() => '')).split('\n')[0]);
  if (!(pid > 0)) return;
  if ((await commandLine(pid))?.includes(place.cluster)) await shutDown(place);
  else await rm(lockFile, { force: true });
}

async function shutDown({ account, bin, cluster }: Place): Promise<void> {
  const stop = (mode: string) =>
    runAs(account, bin.pg_ctl, ['stop', '-D', cluster, '-m', mode, '-w', '-t', '20']);
  // `immediate` leaves recovery to the next start; better than never ending.
  await stop('fast').catch(() => stop('immediate'));
}

/**
 * Starts the server and waits until it answers. The child processes of a killed server live on for
 * a moment and keep its shared memory, which makes a new server exit at once; it is then started
 * again.
 */
async function startServer(
  { bin, account, cluster, logFile }: Place,
  flags: readonly string[],
  url: string,
): Promise<Daemon> {
  const deadlineMs = performance.now() + LEFTOVERS_END_WITHIN_MS;
  for (;;) {
    const server = startDaemon(bin.postgres, ['-D', cluster, ...flags], logFile, account);
    try {
      await waitUntilReady(server, url, logFile);
      return server;
    } catch (error) {
      server.child.kill('SIGKILL');
      const isHeld = error instanceof StartProblem && error.message.includes(MEMORY_IS_HELD);
      if (!isHeld || performance.now() > deadlineMs) throw error;
      await sleep(100);
    }
  }
}

/** Waits until the server answers and has the product's database. */
async function waitUntilReady(server: Daemon, url: string, logFile: string): Promise<void> {
  const deadlineMs = performance.now() + START_WITHIN_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [
        DATABASE,
      ]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
      return;
    } catch (error) {
      if (!isRunning(server) || performance.now() > deadlineMs) {
        const said = (await logTail(logFile)) || (error as Error).message;
        throw new StartProblem(`The embedded Postgres did not start:\n${said}\nLog: ${logFile}`);
      }
      await sleep(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
