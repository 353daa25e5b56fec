import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openStore } from '@tilemark/core/server';
import pg from 'pg';
import { expect, it } from 'vitest';
import { freePort } from '../../scripts/services/port';
import { startPostgres } from '../../scripts/services/postgres';
import { emptyDataFolder, startGrid } from '../grid';
import { makeNamespace } from './namespace';
import { until } from './until';

const run = promisify(execFile);

/** Starts a grid that must refuse to start. */
async function refusedStart(dataDir: string, port: number): Promise<{ stderr: string }> {
  const start = join(import.meta.dirname, '..', '..', 'scripts', 'start.mjs');
  const flags = ['--port', String(port), '--data', dataDir];
  const refused = await run(process.execPath, [start, ...flags], {
    env: { ...process.env, DATABASE_URL: '', REDIS_URL: '' },
  }).catch((error: { code: number; stderr: string }) => error);
  expect(refused).toMatchObject({ code: 1 });
  return refused;
}

it('a whole `npm start` killed -9 three times over one sweep ends it once', async () => {
  const folder = await emptyDataFolder();
  let grid = await startGrid(folder.dataDir);
  try {
    const token = grid.adminToken;
    const post = async (path: string, body: object) => {
      const answer = await fetch(`${grid.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.ok, `${path}: ${answer.status}`).toBe(true);
      return answer.json();
    };
    // The URL is printed before a worker is attached; without one a sweep has no device to run on.
    await until('a worker', async () => {
      const { items } = await (await fetch(`${grid.url}/api/v1/workers`)).json();
      return items.length > 0;
    });
    const { id, counts } = await post('sweeps', {
      name: 'Interrupted',
      suite: 'transpose-ladder',
      params: { rows: 96, cols: 128 },
      policy: 'smoke',
    });
    for (const afterMs of [500, 3_000, 8_000]) {
      await sleep(afterMs);
      await grid.stop('SIGKILL');
      grid = await startGrid(folder.dataDir, [], {}, grid.port);
    }
    const sweep = await until('the sweep to be done', async () => {
      const now = await (await fetch(`${grid.url}/api/v1/sweeps/${id}`)).json();
      return now.status === 'done' && now;
    });
    expect(sweep.counts).toMatchObject({ total: counts.total, pending: 0, failed: 0 });
  } finally {
    await grid.stop();
    await folder.remove();
  }
});

it('a second start beside a grid that lost its terminal says where that runs and how to end it', async () => {
  const { dataDir, remove } = await emptyDataFolder();
  const grid = await startGrid(dataDir, ['--no-worker']);
  try {
    const refused = await refusedStart(dataDir, grid.port);
    const [line = ''] = refused.stderr.trim().split('\n');
    expect(line).toContain(`is already running at ${grid.url}`);
    const [, pid] = /To end it: kill (\d+)/.exec(line) ?? [];
    process.kill(Number(pid), 'SIGTERM');
    expect(await grid.ended).toBe(0);
  } finally {
    await grid.stop();
    await remove();
  }
});

/** Follows a login link as a browser does, and prints the address that it ends at and the page there. */
const OPEN = `
let [address] = process.argv.slice(1);
let cookie = '';
for (;;) {
  const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
  cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  const next = answer.headers.get('location');
  if (!next) {
    console.log(answer.status, address, await answer.text());
    break;
  }
  address = new URL(next, address).href;
}`;

it('a grid on ::1, and on :: once it has an admin token, logs in by the link it prints', async () => {
  const namespace = await makeNamespace();
  const { dataDir, remove } = await emptyDataFolder();
  const [ip = '', ...args] = [...namespace.wrapper, process.execPath];
  try {
    // Beyond this network nobody may reach it.
    await namespace.cut();
    for (const host of ['::1', '::']) {
      const flags = ['--no-worker', '--host', host];
      const grid = await startGrid(dataDir, flags, {}, undefined, namespace.wrapper);
      try {
        const site = `http://[::1]:${grid.port}/`;
        expect(grid.printedUrl.startsWith(`${site}login?code=`), grid.printedUrl).toBe(true);
        const opened = [...args, '--input-type=module', '-e', OPEN, grid.printedUrl];
        const { stdout } = await run(ip, opened, { maxBuffer: 2 ** 24 });
        expect(stdout.slice(0, 200)).toContain(`200 ${site}`);
        expect(stdout).toContain('Log out');
      } finally {
        await grid.stop();
      }
    }
  } finally {
    await namespace.remove();
    await remove();
  }
});

it('data of a newer version is refused in one line, and left alone', async () => {
  const { dataDir, remove } = await emptyDataFolder();
  const first = await startGrid(dataDir, ['--no-worker']);
  await first.stop();
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count)
     VALUES ('future', 'x', '29991231000000_from_the_future', now(), 1)`,
  );
  await client.end();
  await postgres.stop();
  try {
    const refused = await refusedStart(dataDir, await freePort());
    expect(refused.stderr.trim().split('\n')).toEqual([
      expect.stringMatching(
        /29991231000000_from_the_future is of a newer version.*update Tilemark/,
      ),
    ]);
    const again = await startPostgres({ dataDir: join(dataDir, 'postgres') });
    const store = openStore(again.url);
    expect((await store.sweeps.list()).items).toEqual([]);
    await store.close();
    await again.stop();
  } finally {
    await remove();
  }
});
