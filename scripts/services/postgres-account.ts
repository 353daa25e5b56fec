import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartProblem } from '../start/terminal';
import type { Account } from './process';
import { type Owner, systemUser } from './system-user';

const run = promisify(execFile);
const USER = 'postgres';

/**
 * The account that the embedded Postgres runs as. It refuses to run as root, so root starts it as
 * the owner of an existing cluster, or as the user `postgres`, created if missing.
 *
 * @param dataDir contains the cluster; made traversable if only root can enter it
 */
export async function postgresAccount(dataDir: string, cluster: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const there = await stat(cluster).catch(() => null);
  const owner = there && there.uid !== 0 ? { uid: there.uid, gid: there.gid } : await made();
  // The service's folder and the grid's around it are ours, so they may be made traversable.
  for (const path of [dataDir, dirname(dataDir)]) await letPass(path);
  const closed = await closedAbove(dataDir);
  return closed === null ? { owner } : { owner, wrapper: await passingWrapper(owner, closed) };
}

async function made(): Promise<Owner> {
  const owner = await systemUser(USER);
  if (owner) return owner;
  throw new StartProblem(
    `Postgres does not run as root and user "${USER}" could not be made. Start as another user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

const OTHERS_PASS = 0o001;

async function letPass(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  if (uid === 0 && (mode & OTHERS_PASS) === 0) await chmod(path, (mode & 0o777) | 0o011);
}

/** The nearest folder at or above `path` that other users cannot traverse, or null. */
export async function closedAbove(path: string): Promise<string | null> {
  for (let folder = path; ; folder = dirname(folder)) {
    if (((await stat(folder)).mode & OTHERS_PASS) === 0) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/**
 * A data folder in root's home (mode 0700) is closed to every other account. There, `setpriv` changes
 * the account and keeps the one capability that lets it through.
 */
async function passingWrapper({ uid, gid }: Owner, closed: string): Promise<string[]> {
  const wrapper = [
    'setpriv',
    ...[`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'],
    ...['--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
  ];
  const [command = '', ...args] = wrapper;
  const passes = await run(command, [...args, 'test', '-d', `${closed}/.`]).then(
    () => true,
    () => false,
  );
  if (passes) return wrapper;
  throw new StartProblem(
    `Postgres does not run as root, and user ${uid} cannot pass through ${closed}. Start as another user, choose a folder elsewhere (npm start -- --data /var/lib/tilemark), or set DATABASE_URL to a Postgres of your own.`,
  );
}
