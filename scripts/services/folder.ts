import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartProblem } from '../start/terminal';

/** Creates a service's folder. Throws StartProblem if it is not writable. */
export async function ensureWritable(folder: string): Promise<void> {
  const probe = join(folder, `.probe-${process.pid}`);
  try {
    await makeFolders(folder);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      `The data folder ${folder} cannot be written (${code ?? message}). Make it writable, or choose another: npm start -- --data DIR`,
    );
  }
}

/** Node's own recursive `mkdir` tries for ever where a system makes no folders, as in /proc. */
async function makeFolders(folder: string): Promise<void> {
  if (await exists(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolders(parent);
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Another process was first.
    if (error.code !== 'EEXIST') throw error;
  });
}

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A service's password, generated on its first start and kept in its folder (mode 0600). */
export async function ensurePassword(folder: string): Promise<string> {
  const file = join(folder, 'password');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (kept) return kept;
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}
