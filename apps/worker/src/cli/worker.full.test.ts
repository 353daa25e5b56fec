import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '@tilemark/core/server';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../../packages/core/services.test-helper';
import { useBundle } from '../bundle.test-helper';

const bundle = useBundle();
const LONG = { timeout: 200_000, interval: 100 };

it('serves several devices in one process, which goes on where one of them cannot be served', async () => {
  const databaseUrl = await testDatabase();
  const store = openStore(databaseUrl);
  const folder = await mkdtemp(join(tmpdir(), 'tilemark-devices-'));
  const child = spawn(process.execPath, [bundle.main, 'worker', '--device', '0,7,cpu'], {
    env: {
      ...process.env,
      ...{ DATABASE_URL: databaseUrl, REDIS_URL: testRedisUrl() ?? '' },
      ...{ TILEMARK_DATA: folder, TMPDIR: folder },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const classes = async () => (await store.workers.list()).map(({ device }) => device.class);
  await vi.waitFor(async () => expect((await classes()).sort()).toEqual(['cpu', 'software']), LONG);
  await vi.waitFor(() => expect(said).toMatch(/error: cannot serve it: 7, .*no device 7/), LONG);
  child.kill('SIGTERM');
  expect(await ended).toBe(2);
  expect(await classes()).toEqual([]);
  expect(said).toMatch(/^error: --device: There is no device 7/m);
});
