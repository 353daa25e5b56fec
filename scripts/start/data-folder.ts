import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWritable } from '../services/folder';
import { commandLine } from '../services/process';
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
  if (holder > 0 && holder !== process.pid && (await isGrid(holder))) {
    throw new StartProblem(
      `A grid is already running on ${dataDir} (process ${holder}). Stop it, or choose another folder: npm start -- --data DIR`,
    );
  }
  await writeFile(claim, `${process.pid}\n`);
  return () => rm(claim, { force: true });
}

/**
 * Whether a process is a grid. That its id exists says too little: it may be another program's by
 * now, or a killed grid that its parent has not collected, which has no command line any more.
 */
async function isGrid(pid: number): Promise<boolean> {
  return (await commandLine(pid))?.includes(join('start', 'main.ts')) ?? false;
}
