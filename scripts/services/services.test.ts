import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StartProblem } from '../start/terminal';
import { freePort } from './port';
import { startPostgres } from './postgres';
import { startRedis } from './redis';

let dataDir: string;
/** Services that a test left running. */
const running: { stop(): Promise<void> }[] = [];
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tilemark-services-'));
});
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function start(folder = join(dataDir, 'postgres'), port?: number) {
  const postgres = await startPostgres({ dataDir: folder, ...(port !== undefined && { port }) });
  running.push(postgres);
  return postgres;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

const serverPid = async (folder: string) =>
  Number((await readFile(join(folder, 'cluster', 'postmaster.pid'), 'utf8')).split('\n')[0]);

/** A process that starts the services in the folder and is then killed, leaving them behind. */
async function orphan(): Promise<{ postgres: string; redis: string | null }> {
  const script = fileURLToPath(new URL('orphan.test-helper.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const died = once(child, 'exit').then(([code]) => {
    throw new Error(`orphan.test-helper.ts ended with ${code}`);
  });
  const [urls] = await Promise.race([once(child.stdout, 'data'), died]);
  died.catch(() => undefined);
  child.kill('SIGKILL');
  await once(child, 'exit');
  return JSON.parse(String(urls));
}

test('a free port is none that the system gives to connections', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
  expect(Math.max(...ports)).toBeLessThan(32_768);
  expect(new Set(ports).size).toBeGreaterThan(15);
});

describe('the embedded Postgres', () => {
  test('keeps its data, password and port from start to start', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await first.exited;
    const again = await start();
    expect(again.url).toBe(first.url);
    expect(await query(again.url, 'SELECT answer FROM kept')).toEqual([42]);
  });

  test('listens on loopback only and asks for the password', async () => {
    const { url } = await start();
    expect(await query(url, 'SHOW listen_addresses')).toEqual(['127.0.0.1']);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password/);
    expect((await stat(join(dataDir, 'postgres', 'password'))).mode & 0o777).toBe(0o600);
  });

  test('recovers what was committed before it was killed', async () => {
    const folder = join(dataDir, 'postgres');
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    process.kill(await serverPid(folder), 'SIGKILL');
    await first.exited;
    expect(await query((await start()).url, 'SELECT answer FROM kept')).toEqual([42]);
  });

  test('waits for those that a killed server had started', async () => {
    const folder = join(dataDir, 'postgres');
    const first = await start();
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const pid = await serverPid(folder);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    const child = Number(children.split(' ')[0]);
    process.kill(child, 'SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await first.exited;
    const again = start();
    await sleep(1_000);
    process.kill(child, 'SIGCONT');
    expect(await query((await again).url, 'SELECT answer FROM kept')).toEqual([42]);
  });

  test('takes the place of a server whose grid was killed', async () => {
    const left = await orphan();
    await query(left.postgres, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const startOf = (url: string) => query(url, 'SELECT pg_postmaster_start_time()::text AS at');
    const before = await startOf(left.postgres);
    const { url } = await start();
    expect(await query(url, 'SELECT answer FROM kept')).toEqual([42]);
    // At the same address, so that those who are connected find it again.
    expect(url).toBe(left.postgres);
    expect(await startOf(url)).not.toEqual(before);
    const redis = await startRedis({ dataDir: join(dataDir, 'redis') });
    if (redis) running.push(redis);
  });

  test('does not take another process for a server that crashed', async () => {
    const folder = join(dataDir, 'postgres');
    await (await start()).stop();
    const lockFile = join(folder, 'cluster', 'postmaster.pid');
    await writeFile(lockFile, `${process.pid}\n${folder}/cluster\n1\n5432\n\n127.0.0.1\n0 0\n`);
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });

  test('finishes what an interrupted first start had begun', async () => {
    const unfinished = join(dataDir, 'postgres', 'cluster.new');
    await mkdir(unfinished, { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });

  test('says in a line when its folder cannot be written', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    const folder = join(file, 'postgres');
    const error = await start(folder).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartProblem);
    expect((error as Error).message).toMatch(
      /^The data folder .*\/file\/postgres cannot be written/,
    );
  });

  test('says what the server said when it does not start', async () => {
    await (await start()).stop();
    await writeFile(join(dataDir, 'postgres', 'cluster', 'postgresql.conf'), 'nonsense\n');
    const error = await start().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartProblem);
    expect((error as Error).message).toMatch(/did not start:.*postgresql\.conf.*Log: /s);
  });

  test.runIf(process.getuid?.() === 0)('runs for root in a folder closed to others', async () => {
    const closed = join(dataDir, 'closed');
    const folder = join(closed, 'further', 'grid', 'postgres');
    await mkdir(folder, { recursive: true });
    await chmod(closed, 0o700);
    expect(await query((await start(folder)).url, 'SELECT 1')).toEqual([1]);
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, 'cluster'))).uid).not.toBe(0);
  });
});

const redisInstalled = (process.env.PATH ?? '')
  .split(':')
  .some((folder) =>
    ['redis-server', 'valkey-server'].some((name) => existsSync(join(folder, name))),
  );

describe.runIf(redisInstalled)('the private Redis', () => {
  async function startOne(port?: number) {
    const redis = await startRedis({
      dataDir: join(dataDir, 'redis'),
      ...(port !== undefined && { port }),
    });
    running.push(redis!);
    const client = new Redis(redis!.url);
    client.on('error', () => undefined);
    running.push({ stop: async () => client.disconnect() });
    return { redis: redis!, client };
  }

  test('keeps its data from start to start, also when it was killed', async () => {
    const { redis, client } = await startOne();
    await client.set('kept', '42');
    await redis.stop();
    const second = await startOne();
    expect(second.redis.url).toBe(redis.url);
    expect(await second.client.get('kept')).toBe('42');
    await second.client.set('kept', '43');
    await second.client.config('SET', 'appendfsync', 'always');
    await second.client.set('kept', '44');
    const { pid } = await pidOf(second.client);
    process.kill(pid, 'SIGKILL');
    await second.redis.exited;
    expect(await (await startOne()).client.get('kept')).toBe('44');
  });

  test('asks for its password, and keeps every job', async () => {
    const { redis, client } = await startOne();
    expect(await client.config('GET', 'maxmemory-policy')).toContain('noeviction');
    const stranger = new Redis({ port: redis.port, lazyConnect: true, retryStrategy: () => null });
    stranger.on('error', () => undefined);
    await expect(stranger.set('a', 'b')).rejects.toThrow(/NOAUTH|Connection is closed/);
    stranger.disconnect();
  });

  test('takes the place of a server whose grid was killed', async () => {
    const left = await orphan();
    const before = new Redis(left.redis!);
    before.on('error', () => undefined);
    await before.set('kept', '42');
    const { client } = await startOne();
    expect(await client.get('kept')).toBe('42');
    before.disconnect();
    await (await start()).stop();
  });

  test('leaves the server of a folder alone that its own is a copy of', async () => {
    const { redis, client } = await startOne();
    await client.set('kept', '42');
    const copy = join(dataDir, 'copy');
    await cp(join(dataDir, 'redis'), copy, { recursive: true });
    const other = await startRedis({ dataDir: copy });
    running.push(other!);
    expect(other?.port).not.toBe(redis.port);
    expect(await client.get('kept')).toBe('42');
  });

  test('is null where none is installed', async () => {
    const { PATH } = process.env;
    process.env.PATH = dataDir;
    try {
      expect(await startRedis({ dataDir })).toBeNull();
    } finally {
      process.env.PATH = PATH;
    }
  });
});

async function pidOf(client: Redis): Promise<{ pid: number }> {
  const info = await client.info('server');
  return { pid: Number(/process_id:(\d+)/.exec(info)?.[1]) };
}
