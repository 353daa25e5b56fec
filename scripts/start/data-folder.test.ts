import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimDataFolder } from './data-folder';

let dataDir: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tilemark-claim-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts a program; resolves with the first line that it prints. */
async function started(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}

const URL = 'http://localhost:3000';
/** A program with the command line of a grid; resolves to its process id. */
const grid = () => {
  const code = 'console.log(process.pid); setInterval(() => undefined, 1e6)';
  return started(process.execPath, ['-e', code, join('scripts', 'start', 'main.ts')]);
};
const claimedBy = (pid: string) => writeFile(join(dataDir, 'grid.pid'), `${pid}\n${URL}\n`);
const claims = async () => {
  const { isLeftBehind, release } = await claimDataFolder(dataDir, URL);
  expect(isLeftBehind).toBe(true);
  expect(await readFile(join(dataDir, 'grid.pid'), 'utf8')).toMatch(
    new RegExp(`^${process.pid}\n${URL}\n\\d+:\\d+\n$`),
  );
  await release();
};

test('a folder in use by a running grid is refused, and said where it runs and how to end it', async () => {
  const pid = await grid();
  await claimedBy(pid);
  const claim = claimDataFolder(dataDir, 'http://localhost:3001');
  await expect(claim).rejects.toThrow(
    new RegExp(`already running at ${URL} \\(process ${pid}, .*To end it: kill ${pid}$`),
  );
});

test('a folder copied from a running grid is refused as a copy', async () => {
  await claimDataFolder(dataDir, URL);
  const file = join(dataDir, 'grid.pid');
  const [, ...rest] = (await readFile(file, 'utf8')).split('\n');
  const pid = await grid();
  await writeFile(file, [pid, ...rest].join('\n'));
  const copy = join(dataDir, 'copy');
  await mkdir(copy);
  await cp(file, join(copy, 'grid.pid'));
  await expect(claimDataFolder(copy, URL)).rejects.toThrow(
    `${copy} was copied from a grid that is running at ${URL} (process ${pid})`,
  );
  await expect(claimDataFolder(dataDir, URL)).rejects.toThrow(/^This grid is already running/);
});

test('a grid that was killed and not reaped does not keep its folder', async () => {
  // The parent turns into a program that never asks how its child ended; only then does that one end.
  const child = 'until grep -qx sleep /proc/$PPID/comm; do sleep 0.01; done';
  const pid = await started('sh', ['-c', `sh -c '${child}' & echo $!; exec sleep 60`]);
  const isZombie = async () => (await readFile(`/proc/${pid}/stat`, 'utf8')).includes(') Z ');
  while (!(await isZombie())) await new Promise((resolve) => setTimeout(resolve, 10));
  await claimedBy(pid);
  await claims();
});

test('another program with the process id of a dead grid does not keep its folder', async () => {
  await claimedBy(await started('sh', ['-c', 'echo $$; exec sleep 60']));
  await claims();
});

test('an unclaimed folder is claimed and left as it was', async () => {
  const { isLeftBehind, release } = await claimDataFolder(dataDir, URL);
  expect(isLeftBehind).toBe(false);
  await release();
  expect(await readdir(dataDir)).toEqual([]);
});

test('a folder of an older version is refused in words and left as it was, byte for byte', async () => {
  await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });
  await writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '18\n');
  await writeFile(join(dataDir, 'admin-token'), 'secret');
  const content = async () => {
    const entries = await readdir(dataDir, { recursive: true });
    const all = entries.sort().map(async (name) => {
      const { mtimeNs, size } = await stat(join(dataDir, name), { bigint: true });
      return [name, size, mtimeNs];
    });
    return [(await stat(dataDir, { bigint: true })).mtimeNs, ...(await Promise.all(all))];
  };
  const before = await content();
  await expect(claimDataFolder(dataDir, URL)).rejects.toThrow(
    /is of an older version of Tilemark.*nothing was changed.*--data NEWDIR.*keep the older version/,
  );
  expect(await content()).toEqual(before);
});
