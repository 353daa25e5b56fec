import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openStore } from '@tilemark/core/server';
import { freePort } from '../../scripts/services/port';
import { SITE_FLAGS, waitForSite } from '../../scripts/start/site';
import type { Counts } from './books';
import { FaultServices, type ServiceUrls } from './grid-services';
import type { Namespace } from './namespace';
import { type Part, startPart } from './part';
import { until } from './until';

/** Of what a part has logged, this much is shown. */
const LOG_TAIL_CHARS = 4_000;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

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
  /** Where it finds the services; absent: where the site finds them. */
  readonly services?: ServiceUrls | undefined;
  /** Where it finds the site, over http; absent: it uses the services. */
  readonly site?: string | undefined;
  /** Of the site; the admin's unless said. */
  readonly token?: string;
  /** The network that it has; absent: this machine's. */
  readonly namespace?: Namespace;
  /** A module that is loaded before the worker as it ships. */
  readonly preload?: string | undefined;
  /** Where its journal and machine lock are; the grid's own folder unless said. */
  readonly folder?: string | undefined;
}

/**
 * A grid of real parts on data of its own: Postgres and Redis as `npm start` brings
 * them up, the site as built, and workers. Each part is a process to be hurt.
 */
export class FaultGrid {
  readonly services: FaultServices;
  readonly #port: number;
  readonly #parts: Part[] = [];
  #web: Part | null = null;
  #workers = 0;
  /** Devices that have had a worker: their suites have been started, and cancelled. */
  readonly #knownDevices = new Set<string>();
  #token = '';

  private constructor(services: FaultServices, port: number) {
    this.services = services;
    this.#port = port;
  }

  /** Services, schema, site and an admin token; no worker yet. */
  static async start(): Promise<FaultGrid> {
    const grid = new FaultGrid(await FaultServices.start(), await freePort());
    try {
      const store = openStore(grid.services.databaseUrl);
      const admin = { name: 'admin', role: 'admin', expiresAt: null } as const;
      grid.#token = (await store.tokens.create(admin)).secret;
      await store.close();
      await grid.startWeb();
      return grid;
    } catch (error) {
      await grid.close();
      throw error;
    }
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

  /** @param preload a module that is loaded before it */
  async startWeb({ preload }: { readonly preload?: string | undefined } = {}): Promise<void> {
    const logFile = join(this.services.folder, 'web.log');
    this.#web = this.#start({
      script: join(root, 'apps', 'web', 'dist', 'serve.mjs'),
      args: [String(this.#port), '127.0.0.1'],
      flags: SITE_FLAGS,
      cwd: join(root, 'apps', 'web'),
      env: this.#environment({ preload }),
      logFile,
    });
    await waitForSite(this.url, logFile);
  }

  /** Starts a worker and waits until it is attached; the standard suites are cancelled. */
  async startWorker(options: WorkerOptions = {}): Promise<Part> {
    const { device = 'cpu', services, site, namespace, preload, folder } = options;
    this.#workers += 1;
    const worker = this.#start({
      script: join(root, 'apps', 'worker', 'dist', 'main.mjs'),
      args: [
        ...['worker', '--device', device, '--log', 'json'],
        ...(site ? ['--server', site, '--token', options.token ?? this.#token] : []),
      ],
      cwd: root,
      env: {
        ...this.#environment({ services, folder, preload }),
        ...(site && { DATABASE_URL: '', REDIS_URL: '' }),
      },
      logFile: join(this.services.folder, `worker-${this.#workers}.log`),
      wrapper: namespace?.wrapper ?? [],
    });
    const has = (message: string) =>
      until(`a worker that says: ${message}`, async () => {
        if ((await worker.log()).includes(`"msg":"${message}"`)) return true;
        const early = await Promise.race([worker.ended, Promise.resolve('up')]);
        if (early !== 'up') throw new Error(`The worker ended: ${await worker.log()}`);
        return false;
      });
    await has('attached');
    if (!this.#knownDevices.has(device)) {
      await has('started the standard suites');
      this.#knownDevices.add(device);
      await this.#cancelStandingSuites();
    }
    return worker;
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

  /** Results that the workers of the grid's folder have still to hand in, and those refused. */
  async journal(): Promise<string[]> {
    const { folder } = this.services;
    // Workers over http have one each.
    const seats = await readdir(join(folder, 'workers')).catch(() => []);
    const folders = [folder, ...seats.map((seat) => join(folder, 'workers', seat))];
    const names = await Promise.all(
      folders.map((each) => readdir(join(each, 'journal')).catch(() => [])),
    );
    return names.flat().filter((name) => !name.startsWith('.'));
  }

  /** The ends of what its parts have logged, to tell why a test failed. */
  async logs(): Promise<string> {
    const { folder } = this.services;
    const names = (await readdir(folder)).filter((name) => name.endsWith('.log'));
    const ends = names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return `== ${name}\n${text.slice(-LOG_TAIL_CHARS)}`;
    });
    return (await Promise.all(ends)).join('\n');
  }

  /** Ends every part and removes the data. */
  async close(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.end('SIGKILL')));
    await this.services.close();
  }

  #start(options: Parameters<typeof startPart>[0]): Part {
    const part = startPart(options);
    this.#parts.push(part);
    return part;
  }

  #environment({
    services = this.services,
    folder = this.services.folder,
    preload,
  }: Pick<WorkerOptions, 'services' | 'folder' | 'preload'>): Record<string, string> {
    return {
      DATABASE_URL: services.databaseUrl,
      REDIS_URL: services.redisUrl,
      TILEMARK_DATA: folder,
      // Hundreds attach at once with one token.
      TILEMARK_LIMIT_ENROLL: '0',
      // With it a machine lock of its own.
      TMPDIR: folder,
      NEXT_TELEMETRY_DISABLED: '1',
      ...(preload && { NODE_OPTIONS: `--import ${preload}` }),
    };
  }

  /** A new device gets suites of its own, which would only be in the way. */
  async #cancelStandingSuites(): Promise<void> {
    const { items } = await this.json<{ items: { id: string; suite: string | null }[] }>(
      '/api/v1/sweeps',
    );
    for (const { id, suite } of items) {
      // 409: it is done already.
      if (suite) await this.fetch(`/api/v1/sweeps/${id}/cancel`, { method: 'POST' });
    }
  }
}
