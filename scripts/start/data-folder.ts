import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWritable } from '../services/folder';
import { commandLine } from '../services/process';
import { StartProblem } from './terminal';

export interface Claim {
  /** Whether the previous grid was killed: its parts may still be shutting down. */
  readonly isLeftBehind: boolean;
  release(): Promise<void>;
}

/**
 * Creates the data folder and claims it for this process, so that two grids never share one. Throws
 * StartProblem if the folder is not writable or is in use.
 *
 * @param url the address of this grid, shown to whoever starts a second one
 */
export async function claimDataFolder(dataDir: string, url: string): Promise<Claim> {
  await ensureWritable(dataDir);
  const claim = join(dataDir, 'grid.pid');
  const [pid = '', place = ''] = (await readFile(claim, 'utf8').catch(() => '')).split('\n');
  const holder = Number(pid);
  if (holder > 0 && holder !== process.pid && (await isGrid(holder))) {
    throw new StartProblem(
      `This grid is already running${place && ` at ${place}`} (process ${holder}, data ${dataDir}). To start another one beside it: npm start -- --data DIR --port PORT. To end it: kill ${holder}`,
    );
  }
  await writeFile(claim, `${process.pid}\n${url}\n`);
  return { isLeftBehind: holder > 0, release: () => rm(claim, { force: true }) };
}

/**
 * Whether a process is a grid. It is not enough that its id exists: it may belong to another program
 * by now, or to a killed grid not yet reaped by its parent, which no longer has a command line.
 */
async function isGrid(pid: number): Promise<boolean> {
  return (await commandLine(pid))?.includes(join('start', 'main.ts')) ?? false;
}
