import { mkdtemp, readdir, rm, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { RunOutcome } from '@tilemark/core';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Journal } from './journal';

let folder: string;
const lines: string[] = [];
const log = pino({}, { write: (line) => lines.push(line) });
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tilemark-journal-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const record = (runId: string, endedAt: string): RunOutcome => ({
  runId,
  workerId: 'w1',
  environment: {
    device: {
      vendor: 'v',
      architecture: 'a',
      device: 'd',
      backend: 'b',
      runtime: 'r',
      class: 'gpu',
    },
    capabilities: {
      features: [],
      maxComputeInvocationsPerWorkgroup: 1,
      maxComputeWorkgroupSizeX: 1,
      maxComputeWorkgroupSizeY: 1,
      maxComputeWorkgroupSizeZ: 1,
      maxComputeWorkgroupStorageSize: 1,
      maxComputeWorkgroupsPerDimension: 1,
      maxStorageBufferBindingSize: 1,
      maxBufferSize: 1,
    },
    profile: 'default',
    driver: '',
    toggles: { enabled: [], disabled: [] },
    runtimeVersions: {},
    os: 'os',
    cpu: { model: 'c', cores: 1 },
    memoryBytes: 1,
    tilemarkVersion: '0',
  },
  wgsl: 'fn main() {}',
  outcome: { kind: 'failed', stage: 'compile', message: 'line 1\nline 2' },
  endedAt,
});
const first = record('run-1', '2026-01-01T00:00:00.000Z');
const second = record('run-2', '2026-01-01T00:00:01.000Z');

it('gives back what was appended, oldest first, also to the next process', async () => {
  const journal = await Journal.open(folder, log);
  await journal.append(second);
  await journal.append(first);
  expect(await (await Journal.open(folder, log)).pending()).toEqual([first, second]);
});

it('forgets what was struck, and does not mind striking twice', async () => {
  const journal = await Journal.open(folder, log);
  await journal.append(first);
  await journal.append(second);
  await journal.strike('run-1');
  await journal.strike('run-1');
  expect(await journal.pending()).toEqual([second]);
});

it('never offers a record that was half written when the machine stopped', async () => {
  const journal = await Journal.open(folder, log);
  await writeFile(join(folder, '.run-9-torn'), '{"runId":"run-9","outc');
  await journal.append(first);
  expect(await journal.pending()).toEqual([first]);
});

it('leaves what is being written alone, and removes what a killed process left behind', async () => {
  const journal = await Journal.open(folder, log);
  await writeFile(join(folder, '.run-8-torn'), '{"runId":"run-8","outc');
  await writeFile(join(folder, '.run-9-torn'), '{"runId":"run-9","outc');
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(join(folder, '.run-8-torn'), longAgo, longAgo);
  expect(await journal.pending()).toEqual([]);
  expect(await readdir(folder)).toEqual(['.run-9-torn']);
});

it('writes a record again that another process took for left behind', async () => {
  const journal = await Journal.open(folder, log);
  let removed = false;
  const removing = (async () => {
    while (!removed) {
      const [name] = (await readdir(folder)).filter((entry) => entry.startsWith('.'));
      if (name === undefined) await setImmediate();
      else {
        // Fails where the file has got its name in the meantime: then the next one is tried.
        removed = await unlink(join(folder, name)).then(
          () => true,
          () => false,
        );
      }
    }
  })();
  while (!removed) await journal.append(first);
  await removing;
  expect(await journal.pending()).toEqual([first]);
});

it('keeps a refused record for people and offers it no more', async () => {
  const journal = await Journal.open(folder, log);
  await journal.append(first);
  await journal.setAside('run-1');
  expect(await journal.pending()).toEqual([]);
  expect(await readdir(folder)).toEqual(['run-1.refused']);
});

it.each([
  ['nothing', ''],
  ['half a record', '{"runId":"run-0","outc'],
  ['no record', '[]'],
  ['null', 'null'],
  ['the record of another run', JSON.stringify(second)],
  ['JSON that is no record', JSON.stringify({ runId: 'run-0', endedAt: first.endedAt })],
])('sets a file that holds %s aside, says where it is, and goes on', async (_what, text) => {
  const journal = await Journal.open(folder, log);
  await journal.append(first);
  await writeFile(join(folder, 'run-0.json'), text);
  lines.length = 0;
  expect(await journal.pending()).toEqual([first]);
  expect(await readdir(folder)).toEqual(['run-0.json.unreadable', 'run-1.json']);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    path: join(folder, 'run-0.json.unreadable'),
    msg: expect.stringContaining('cannot be read'),
  });
  expect(await journal.pending()).toEqual([first]);
  expect(lines).toHaveLength(1);
});
