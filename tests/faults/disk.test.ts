import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FaultGrid } from './grid';
import { until } from './until';

/** One disk for everything of a grid: database, queue and logs. It is a tmpfs, which takes root. */

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

let disk: string;
let grid: FaultGrid;
beforeEach(async () => {
  if (!isRoot) return;
  disk = await mkdtemp(join(tmpdir(), 'tilemark-disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=220m,mode=777', 'tmpfs', disk]);
  vi.stubEnv('TMPDIR', disk);
  grid = await FaultGrid.start();
});
afterEach(async () => {
  if (!isRoot) return;
  await rm(join(disk, 'filler'), { force: true });
  await grid?.close();
  vi.unstubAllEnvs();
  await run('umount', [disk]);
  await rmdir(disk);
});

const ANSWERED_WITHIN_MS = 30_000;

it.skipIf(!isRoot)(
  'a grid on a full disk reads on, says why it writes nothing, and is well once there is room',
  async () => {
    const post = (path: string, body: object) =>
      grid.fetch(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
      });
    const read = (path: string) =>
      grid.fetch(path, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
    const token = (name: string) => post('/api/v1/tokens', { name, role: 'member' });
    const tokens = async () =>
      (await grid.json<{ items: { name: string }[] }>('/api/v1/tokens')).items.map(
        ({ name }) => name,
      );
    const before = await tokens();

    // Ends with an error once the disk is full, which is what it is for.
    await run('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k']).catch(() => undefined);
    const made: string[] = [];
    const full = await until('the disk to be full', async () => {
      const name = `token ${made.length}`;
      const answer = await token(name);
      if (answer.status !== 201) return answer;
      made.push(name);
      return false;
    });
    expect(full.status).toBe(503);
    expect((await full.json()).detail).toMatch(/disk .* is full\. Nothing was changed/);
    // Lines of the log cannot be written either, and nobody is answered otherwise for that.
    for (let at = 0; at < 20; at++) {
      expect((await token('too late')).status).toBe(503);
      for (const path of ['/api/v1/sweeps', '/sweeps', '/']) {
        expect((await read(path)).status, path).toBeLessThan(500);
      }
    }
    expect((await tokens()).sort()).toEqual([...before, ...made].sort());

    await rm(join(disk, 'filler'));
    await until('a grid that writes', async () => (await token('in time')).status === 201);
    expect(await tokens()).toContain('in time');
  },
);
