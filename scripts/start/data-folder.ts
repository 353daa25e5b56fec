import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWritable } from '../services/folder';
import { StartProblem } from './problem';

/**
 * Makes the data folder and claims it for this process, so that two
 * grids never share one. Returns the release. Throws StartProblem when the
 * folder is not writable or in use.
 */
export async function claimDataFolder(dataDir: string): Promise<() => Promise<void>> {
  await ensureWritable(dataDir);
  const claim = join(dataDir, 'grid.pid');
  const holder = Number(await readFile(claim, 'utf8').catch(() => ''));
  if (holder > 0 && holder !== process.pid && isRunning(holder)) {
    throw new StartProblem(
      `A grid is already running on ${dataDir} (process ${holder}). Stop it, or choose another folder: npm start -- --data DIR`,
    );
  }
  await writeFile(claim, `${process.pid}\n`);
  return () => rm(claim, { force: true });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
