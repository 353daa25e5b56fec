import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureWritable } from '../services/folder';
import { refuseOlder } from '../services/postgres';
import { commandLine } from '../services/process';
import { StartProblem } from './terminal';

export interface Claim {
  /** Whether the previous grid was killed: its parts may still be shutting down. */
  readonly isLeftBehind: boolean;
  release(): Promise<void>;
}

/**
 * Creates the data folder and claims it for this process, so that two grids never share one. Throws
 * StartProblem if the folder is of an older version, is not writable or is in use.
 *
 * @param url the address of this grid, shown to whoever starts a second one
 */
export async function claimDataFolder(dataDir: string, url: string): Promise<Claim> {
  await refuseOlder(join(dataDir, 'postgres'));
  await ensureWritable(dataDir);
  const claim = join(dataDir, 'grid.pid');
  const [pid = '', place = '', claimed = ''] = (
    await readFile(claim, 'utf8').catch(() => '')
  ).split('\n');
  const holder = Number(pid);
  const folder = await identityOf(dataDir);
  if (holder > 0 && holder !== process.pid && (await isGrid(holder))) {
    const where = `${place && ` at ${place}`} (process ${holder}`;
    throw new StartProblem(
      claimed && claimed !== folder
        ? `${dataDir} was copied from a grid that is running${where}), so its files may not fit together. End that grid (kill ${holder}), copy its folder again, and start the copy.`
        : `This grid is already running${where}, data ${dataDir}). To start another one beside it: npm start -- --data DIR --port PORT. To end it: kill ${holder}`,
    );
  }
  await writeFile(claim, `${process.pid}\n${url}\n${folder}\n`);
  return { isLeftBehind: holder > 0, release: () => rm(claim, { force: true }) };
}

/** What a folder keeps when it is moved, and a copy of it does not have. */
async function identityOf(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/**
 * Whether a process is a grid. It is not enough that its id exists: it may belong to another program
 * by now, or to a killed grid not yet reaped by its parent, which no longer has a command line.
 */
async function isGrid(pid: number): Promise<boolean> {
  return (await commandLine(pid))?.includes(join('start', 'main.ts')) ?? false;
}
