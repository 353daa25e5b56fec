import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeInstance } from './instance';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-seat-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** As if another process had taken the seat. */
async function takenBy(seat: { folder: string }, pid: number, bootedAgoMs = 0) {
  const file = join(seat.folder, 'seat.json');
  const { bootedAtMs, ...content } = JSON.parse(await readFile(file, 'utf8'));
  const taken = { ...content, pid, bootedAtMs: bootedAtMs - bootedAgoMs };
  await writeFile(file, JSON.stringify(taken));
}

it('is found again after a restart, one for each device', async () => {
  const first = await takeInstance(folder, 'one');
  expect(await takeInstance(folder, 'one')).toEqual(first);
  expect((await takeInstance(folder, 'two')).id).not.toBe(first.id);
});

it('is not shared with a process that runs, and taken over from one that does not', async () => {
  const first = await takeInstance(folder, 'one');
  await takenBy(first, process.ppid);
  const second = await takeInstance(folder, 'one');
  expect(second.id).not.toBe(first.id);
  expect([first.number, second.number]).toEqual([1, 2]);
  // No process has this id: beyond what Linux gives out.
  await takenBy(first, 2 ** 30);
  expect(await takeInstance(folder, 'one')).toEqual(first);
});

it('is free after a reboot, whoever has the process id now', async () => {
  const first = await takeInstance(folder, 'one');
  await takenBy(first, process.ppid, 3_600_000);
  expect(await takeInstance(folder, 'one')).toEqual(first);
});

it('that cannot be read is a new one', async () => {
  const first = await takeInstance(folder, 'one');
  await writeFile(join(first.folder, 'seat.json'), '{');
  const again = await takeInstance(folder, 'one');
  expect(again.folder).toBe(first.folder);
  expect(again.id).not.toBe(first.id);
});

it('several that are taken at once are found one after the other', async () => {
  const seats = await Promise.all([1, 2, 3].map(() => takeInstance(folder, 'one')));
  // This process takes its own again.
  expect(new Set(seats.map(({ id }) => id)).size).toBe(1);
});
