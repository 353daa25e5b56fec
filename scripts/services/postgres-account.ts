import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartProblem } from '../start/problem';
import type { Account } from './process';

const run = promisify(execFile);
const USER = 'postgres';

/**
 * Who the embedded Postgres runs as. It refuses to run as root, so root starts it
 * as the owner of an existing cluster, or as user `postgres`, made when missing.
 *
 * @param cluster folder of the cluster, which need not exist yet
 */
export async function postgresAccount(cluster: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const owner = await stat(cluster).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookUp()) ?? (await create());
}

async function lookUp(): Promise<Account | null> {
  try {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, USER])).stdout)),
    );
    return { uid: uid as number, gid: gid as number };
  } catch {
    return null;
  }
}

async function create(): Promise<Account> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', USER]).catch(() => null);
  const account = await lookUp();
  if (account) return account;
  throw new StartProblem(
    `Postgres does not run as root and user "${USER}" could not be made. Start as another user, or set DATABASE_URL to a Postgres of your own.`,
  );
}

/**
 * Lets another account pass through a folder of root's to reach what it owns
 * inside. Only `folder` and its parent (the grid's data folder) are opened, and
 * for passing only; an ancestor that is closed is for its owner to open.
 */
export async function letThrough(folder: string, account: Account): Promise<void> {
  if (account.uid === undefined) return;
  const ours = [folder, dirname(folder)];
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid } = await stat(path);
    const passable = (mode & 0o001) !== 0 || uid === account.uid;
    if (!passable && ours.includes(path)) {
      await chmod(path, (mode & 0o777) | 0o011);
    } else if (!passable) {
      throw new StartProblem(
        `Postgres does not run as root, and user ${account.uid} cannot pass through ${path}. Choose a folder elsewhere (npm start -- --data /var/lib/tilemark), or start as another user.`,
      );
    }
    if (path === dirname(path)) return;
  }
}
