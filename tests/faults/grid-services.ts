import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate } from '../../prisma';
import { startPostgres } from '../../scripts/services/postgres';
import type { PrivateService } from '../../scripts/services/process';
import { startRedis } from '../../scripts/services/redis';
import { startProxy, type TcpProxy } from './proxy';
import { type SmallDisk, smallDisk } from './small-disk';

/** The grid's parts connect as this role: a superuser knows no limits. */
const ROLE = 'tilemark';

/** Where a part finds the services. */
export interface ServiceUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** Proxies before both services, on an address of this machine. */
export interface Proxies {
  readonly postgres: TcpProxy;
  readonly redis: TcpProxy;
  /** The services as they are found through the proxies. */
  readonly urls: ServiceUrls;
}

/** Postgres and Redis as `npm start` brings them up, on data of their own, to be hurt. */
export class FaultServices implements ServiceUrls {
  /** Holds everything of the grid under test. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  #postgres: PrivateService;
  #redis: PrivateService;
  readonly #proxies: Proxies[] = [];

  private constructor(folder: string, postgres: PrivateService, redis: PrivateService) {
    this.folder = folder;
    this.#postgres = postgres;
    this.#redis = redis;
    const asRole = new URL(postgres.url);
    asRole.username = ROLE;
    asRole.password = 'throw-away';
    this.databaseUrl = asRole.href;
    this.redisUrl = redis.url;
  }

  /** Both services, migrated. */
  static async start(): Promise<FaultServices> {
    const folder = await mkdtemp(join(tmpdir(), 'tilemark-faults-'));
    const postgres = await startPostgres({ dataDir: join(folder, 'postgres') });
    const redis = await startRedis({ dataDir: join(folder, 'redis') });
    if (!redis) throw new Error('There is no redis-server on PATH.');
    const services = new FaultServices(folder, postgres, redis);
    await services.sql(
      `CREATE ROLE ${ROLE} LOGIN CREATEROLE PASSWORD 'throw-away'`,
      `ALTER DATABASE tilemark OWNER TO ${ROLE}`,
    );
    await migrate(services.databaseUrl);
    return services;
  }

  /** Postgres stops in order; `startPostgres` starts it on the same data and port. */
  async stopPostgres(): Promise<void> {
    await this.#postgres.stop();
  }

  async startPostgres(): Promise<void> {
    const { port } = this.#postgres;
    this.#postgres = await startPostgres({ dataDir: join(this.folder, 'postgres'), port });
  }

  async stopRedis(): Promise<void> {
    await this.#redis.stop();
  }

  /** @param isEmpty whether it lost its append-only file */
  async startRedis({ isEmpty = false } = {}): Promise<void> {
    const dataDir = join(this.folder, 'redis');
    if (isEmpty) await rm(join(dataDir, 'appendonlydir'), { recursive: true, force: true });
    const redis = await startRedis({ dataDir, port: this.#redis.port });
    if (redis) this.#redis = redis;
  }

  /** Id of a service's process, to be signalled. */
  async pidOf(service: 'postgres' | 'redis'): Promise<number> {
    const file = service === 'redis' ? 'redis/redis.pid' : 'postgres/cluster/postmaster.pid';
    return Number((await readFile(join(this.folder, file), 'utf8')).split('\n')[0]);
  }

  /** SQL as the superuser, who is let in when nobody else is. */
  async sql(...statements: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.#postgres.url });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** Moves the results to a disk that can be filled: needs root. */
  smallDisk(): Promise<SmallDisk> {
    return smallDisk(this.folder, (...statements) => this.sql(...statements));
  }

  /** Proxies before the services on an address of this machine; they end with the services. */
  async proxies(address = '127.0.0.1'): Promise<Proxies> {
    const postgres = await startProxy(this.#postgres.port, address);
    const redis = await startProxy(this.#redis.port, address);
    const via = (url: string, { port }: TcpProxy) => {
      const through = new URL(url);
      through.host = `${address}:${port}`;
      return through.href;
    };
    const urls = {
      databaseUrl: via(this.databaseUrl, postgres),
      redisUrl: via(this.redisUrl, redis),
    };
    const proxies = { postgres, redis, urls };
    this.#proxies.push(proxies);
    return proxies;
  }

  /** A folder for a worker that is to share neither journal nor machine lock, as on another machine. */
  ownFolder(): Promise<string> {
    return mkdtemp(join(this.folder, 'machine-'));
  }

  /** Ends the services and removes the data. */
  async close(): Promise<void> {
    await Promise.all(
      this.#proxies.flatMap(({ postgres, redis }) => [postgres.close(), redis.close()]),
    );
    await Promise.all([this.#postgres.stop(), this.#redis.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}
