import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWritable } from '../services/folder';
import { commandLine } from '../services/process';
import { StartProblem } from './problem';

export interface Claim {
  /** The grid before was killed: its parts notice, and may be ending still. */
  readonly isLeftBehind: boolean;
  release(): Promise<void>;
}

/**
 * Makes the data folder and claims it for this process, so that two grids never share one.
 * Throws StartProblem when the folder is not writable or in use.
 *
 * @param url where the grid will be open, for who comes second
 */
export async function claimDataFolder(dataDir: string, url: string): Promise<Claim> {
  await ensureWritable(dataDir);
  const claim = join(dataDir, 'grid.pid');
  const [pid = '', place = ''] = (await readFile(claim, 'utf8').catch(() => '')).split('\n');
  const holder = Number(pid);
  if (holder > 0 && holder !== process.pid && (await isGrid(holder))) {
    throw new StartProblem(
      `This grid is running already${place && ` at ${place}`} (process ${holder}, data ${dataDir}). To start another one beside it: npm start -- --data DIR --port PORT. To end it: kill ${holder}`,
    );
  }
  await writeFile(claim, `${process.pid}\n${url}\n`);
  return { isLeftBehind: holder > 0, release: () => rm(claim, { force: true }) };
}

/**
 * Whether a process is a grid. That its id exists says too little: it may be another program's by
 * now, or a killed grid that its parent has not collected, which has no command line any more.
 */
async function isGrid(pid: number): Promise<boolean> {
  return (await commandLine(pid))?.includes(join('start', 'main.ts')) ?? false;
}
