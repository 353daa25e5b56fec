import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openStore } from '@tilemark/core/server';
import pg from 'pg';
import { migrate } from '../../prisma';
import { freePort } from '../../scripts/services/port';
import { type EmbeddedPostgres, startPostgres } from '../../scripts/services/postgres';
import { type PrivateRedis, startRedis } from '../../scripts/services/redis';
import { waitForSite } from '../../scripts/start/site';
import type { Counts } from './books';
import { type Part, startPart } from './part';
import { startProxy, type TcpProxy } from './proxy';
import { until } from './until';

const run = promisify(execFile);
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** The grid's parts connect as this role: a superuser knows no limits. */
const ROLE = 'tilemark';

export interface NewSweep {
  readonly id: string;
  readonly counts: Counts;
}

export interface FaultSweep extends NewSweep {
  readonly status: string;
}

export interface WorkerOptions {
  /** As `--device` takes it; the host's CPU unless said. */
  readonly device?: string;
  /** Reaches the services through the proxies of the network faults. */
  readonly throughProxies?: boolean;
  /** Another entry than the worker as it ships: one that knows poisonous kernels. */
  readonly script?: string;
  /** Where its journal and machine lock are; the grid's own folder unless said. */
  readonly folder?: string;
}

/**
 * A grid of real parts on data of its own: Postgres and Redis as `npm start` brings
 * them up, the site as built, and workers. Each part is a process to be hurt.
 */
export class FaultGrid {
  readonly #folder: string;
  readonly #port: number;
  readonly #parts: Part[] = [];
  #postgres: EmbeddedPostgres;
  #redis: PrivateRedis;
  #web: Part | null = null;
  #workers = 0;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly postgresProxy: TcpProxy;
  readonly redisProxy: TcpProxy;
  #token = '';

  private constructor(given: {
    folder: string;
    port: number;
    postgres: EmbeddedPostgres;
    redis: PrivateRedis;
    postgresProxy: TcpProxy;
    redisProxy: TcpProxy;
    databaseUrl: string;
  }) {
    this.#folder = given.folder;
    this.#port = given.port;
    this.#postgres = given.postgres;
    this.#redis = given.redis;
    this.postgresProxy = given.postgresProxy;
    this.redisProxy = given.redisProxy;
    this.databaseUrl = given.databaseUrl;
    this.redisUrl = given.redis.url;
  }

  /** Services, schema, site and an admin token; no worker yet. */
  static async start(): Promise<FaultGrid> {
    const folder = await mkdtemp(join(tmpdir(), 'tilemark-faults-'));
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
    const redis = await startRedis({ dataDir: join(folder, 'redis') });
    if (!redis) throw new Error('There is no redis-server on PATH.');
    await administer(postgres.url, [
      `CREATE ROLE ${ROLE} LOGIN CREATEROLE PASSWORD 'throw-away'`,
      `ALTER DATABASE tilemark OWNER TO ${ROLE}`,
    ]);
    const asRole = new URL(postgres.url);
    asRole.username = ROLE;
    asRole.password = 'throw-away';
    await migrate(asRole.href);
    const grid = new FaultGrid({
      folder,
      port: await freePort(),
      postgres,
      redis,
      postgresProxy: await startProxy(postgres.port),
      redisProxy: await startProxy(redis.port),
      databaseUrl: asRole.href,
    });
    const store = openStore(grid.databaseUrl);
    const admin = { name: 'admin', role: 'admin', expiresAt: null } as const;
    grid.#token = (await store.tokens.create(admin)).secret;
    await store.close();
    await grid.startWeb();
    return grid;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get token(): string {
    return this.#token;
  }

  get web(): Part {
    if (!this.#web) throw new Error('The site was not started.');
    return this.#web;
  }

  async startWeb(): Promise<void> {
    const logFile = join(this.#folder, 'web.log');
    this.#web = this.#start({
      script: join(root, 'node_modules', 'next', 'dist', 'bin', 'next'),
      args: ['start', '--port', String(this.#port), '--hostname', '127.0.0.1'],
      cwd: join(root, 'apps', 'web'),
      env: this.#environment(),
      logFile,
    });
    await waitForSite(this.url, logFile);
  }

  /** Starts a worker and waits until it is attached; the starter suite is cancelled. */
  async startWorker(options: WorkerOptions = {}): Promise<Part> {
    const { device = 'cpu', throughProxies = false, folder = this.#folder } = options;
    const { script = join(root, 'apps', 'worker', 'dist', 'main.mjs') } = options;
    this.#workers += 1;
    const worker = this.#start({
      script,
      args: ['worker', '--device', device],
      cwd: root,
      env: this.#environment({ throughProxies, folder }),
      logFile: join(this.#folder, `worker-${this.#workers}.log`),
    });
    await until('a worker to attach', async () => {
      if ((await worker.log()).includes('"msg":"attached"')) return true;
      const early = await Promise.race([worker.ended, Promise.resolve('up')]);
      if (early !== 'up') throw new Error(`The worker ended: ${await worker.log()}`);
      return false;
    });
    await this.#cancelStarter();
    return worker;
  }

  /** Postgres stops in order; `again` starts it on the same data and port. */
  async stopPostgres(): Promise<void> {
    await this.#postgres.stop();
  }

  async startPostgres(): Promise<void> {
    const { port } = this.#postgres;
    this.#postgres = await startPostgres({ dataDir: join(this.#folder, 'postgres'), port });
  }

  async stopRedis(): Promise<void> {
    await this.#redis.stop();
  }

  /** @param isEmpty whether it lost its append-only file */
  async startRedis({ isEmpty = false } = {}): Promise<void> {
    const dataDir = join(this.#folder, 'redis');
    if (isEmpty) await rm(join(dataDir, 'appendonlydir'), { recursive: true, force: true });
    const redis = await startRedis({ dataDir, port: this.#redis.port });
    if (redis) this.#redis = redis;
  }

  /** Id of a service's process, to be signalled. */
  async pidOf(service: 'postgres' | 'redis'): Promise<number> {
    const file = service === 'redis' ? 'redis/redis.pid' : 'postgres/cluster/postmaster.pid';
    return Number((await readFile(join(this.#folder, file), 'utf8')).split('\n')[0]);
  }

  /** SQL as the superuser, who is let in when nobody else is. */
  sql(...statements: readonly string[]): Promise<void> {
    return administer(this.#postgres.url, statements);
  }

  /**
   * Moves the results to a disk of 16 MB (a tmpfs: needs root), which can be filled.
   * `remove` brings them back.
   */
  async smallDisk(): Promise<{
    fill(): Promise<void>;
    clear(): Promise<void>;
    remove(): Promise<void>;
  }> {
    const disk = join(this.#folder, 'small-disk');
    const filler = join(disk, 'filler');
    await mkdir(disk);
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=777', 'tmpfs', disk]);
    const tables = ['"Result"', '"Environment"', '"Run"'];
    const move = (place: string) =>
      this.sql(...tables.map((table) => `ALTER TABLE ${table} SET TABLESPACE ${place}`));
    await run('install', ['-d', '-o', 'postgres', join(disk, 'tables')]);
    await this.sql(`CREATE TABLESPACE small LOCATION '${join(disk, 'tables')}'`);
    await move('small');
    return {
      fill: async () => {
        // Ends with an error once the disk is full, which is what it is for.
        await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']).catch(() => undefined);
        // Pages that are there already have room for some results: made full as well.
        await this.sql('VACUUM FULL "Result"').catch(() => undefined);
      },
      clear: () => rm(filler, { force: true }),
      remove: async () => {
        await rm(filler, { force: true });
        await move('pg_default');
        await this.sql('DROP TABLESPACE small');
        await run('umount', [disk]);
      },
    };
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#token}`, ...init.headers };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async json<T>(path: string, init: RequestInit = {}): Promise<T> {
    const response = await this.fetch(path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return this.json(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  /**
   * Submits runs of a host kernel of one or two seconds each, or of another kernel.
   *
   * @param runs how many: one for each shape
   */
  submit(
    runs: number,
    { kernel = 'matmul/cpu-naive', n = 96, policy = 'default' } = {},
  ): Promise<NewSweep> {
    const shapes = Array.from({ length: runs }, (_, at) => ({ m: n + at, n, k: n }));
    return this.post('/api/v1/sweeps', {
      name: `${runs} of ${kernel}`,
      spec: { cases: [{ kernel, shapes }], policy },
    });
  }

  sweep(id: string): Promise<FaultSweep> {
    return this.json(`/api/v1/sweeps/${id}`);
  }

  /** Waits until so many runs of a sweep have ended. */
  async ended(id: string, runs: number): Promise<void> {
    await until(`${runs} runs to end`, async () => {
      const sweep = await this.sweep(id).catch(() => null);
      return sweep && sweep.counts.total - sweep.counts.pending >= runs;
    });
  }

  async deviceKeys(): Promise<string[]> {
    const { items } = await this.json<{ items: { key: string }[] }>('/api/v1/devices');
    return items.map((device) => device.key);
  }

  /** A folder for a worker that is to share neither journal nor machine lock, as on another machine. */
  async ownFolder(): Promise<string> {
    const folder = join(this.#folder, `machine-${this.#workers + 1}`);
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async journal(): Promise<string[]> {
    return readdir(join(this.#folder, 'journal')).catch(() => []);
  }

  /** Ends every part and removes the data. */
  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.end('SIGKILL')));
    await Promise.all([this.postgresProxy.close(), this.redisProxy.close()]);
    await Promise.all([this.#postgres.stop(), this.#redis.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  #start(options: Parameters<typeof startPart>[0]): Part {
    const part = startPart(options);
    this.#parts.push(part);
    return part;
  }

  #environment({ throughProxies = false, folder = this.#folder } = {}): Record<string, string> {
    const through = (url: string, proxy: TcpProxy) => {
      const via = new URL(url);
      if (throughProxies) via.port = String(proxy.port);
      return via.href;
    };
    return {
      DATABASE_URL: through(this.databaseUrl, this.postgresProxy),
      REDIS_URL: through(this.redisUrl, this.redisProxy),
      TILEMARK_DATA: folder,
      // With it a machine lock of its own.
      TMPDIR: folder,
      NEXT_TELEMETRY_DISABLED: '1',
    };
  }

  /** A new device gets a suite of its own, which would only be in the way. */
  async #cancelStarter(): Promise<void> {
    const { items } = await until('the starter suite', async () => {
      const list = await this.json<{
        items: { id: string; suite: string | null; status: string }[];
      }>('/api/v1/sweeps');
      return list.items.some(({ suite }) => suite?.startsWith('starter')) && list;
    });
    for (const { id, suite, status } of items) {
      if (!suite?.startsWith('starter') || status === 'done' || status === 'cancelled') continue;
      await this.fetch(`/api/v1/sweeps/${id}/cancel`, { method: 'POST' });
    }
  }
}

async function administer(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
