import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The secret that seals sessions, from `session-secret` in the data folder
 * (mode 0600), made on the first start. Replicas share the folder, or are given
 * one secret by TILEMARK_SESSION_SECRET.
 */
export async function keptSessionSecret(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'session-secret');
  const made = randomBytes(32).toString('base64url');
  try {
    // Fails where the file is there: of two that start at once, one makes it and both read it.
    await writeFile(file, `${made}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readFile(file, 'utf8')).trim();
  }
}
