import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A user of this system, by its numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The user of a name, made if missing; null where this process cannot make one. */
export async function systemUser(name: string): Promise<Owner | null> {
  const there = await lookUp(name);
  if (there) return there;
  await run('useradd', ['--system', '--user-group', '--no-create-home', name]).catch(() => null);
  return lookUp(name);
}

async function lookUp(name: string): Promise<Owner | null> {
  const id = async (flag: string) => Number((await run('id', [flag, name])).stdout);
  try {
    return { uid: await id('-u'), gid: await id('-g') };
  } catch {
    return null;
  }
}
