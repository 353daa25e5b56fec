import { PrismaPg } from '@prisma/adapter-pg';
import {
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

const OID_CHAR = 18;
const OID_TEXT = 25;

/** Migrators hold a lock already; this one anybody in the database could keep from the engine. */
const isEngineLock = (config: unknown): boolean =>
  JSON.stringify(config)?.includes('pg_advisory_lock(72707369)') ?? false;

export interface CatalogueAdapter {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** Ends every connection; the engine leaves them open. */
  close(): Promise<void>;
}

/**
 * adapter-pg as the schema engine needs it. Postgres's catalogue is full of the
 * one-byte type `"char"`, which adapter-pg 7.10 refuses and the engine wants as a
 * character; without this it cannot describe a database that holds a table
 * (2026-11-21).
 */
export function catalogueAdapter(url: string): CatalogueAdapter {
  const pools: pg.Pool[] = [];
  /** Indices of the `"char"` columns of a result, by its rows. */
  const charColumns = new WeakMap<object, number[]>();

  const openPool = (): pg.Pool => {
    const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 5_000 });
    const query = pool.query.bind(pool) as (config: unknown) => Promise<pg.QueryArrayResult>;
    pool.query = (async (config: unknown) => {
      const result = await query(isEngineLock(config) ? 'SELECT 1' : config);
      const columns: number[] = [];
      for (const [index, field] of (result.fields ?? []).entries()) {
        if (field.dataTypeID !== OID_CHAR) continue;
        field.dataTypeID = OID_TEXT;
        columns.push(index);
      }
      if (columns.length > 0) charColumns.set(result.rows, columns);
      return result;
    }) as typeof pool.query;
    pools.push(pool);
    return pool;
  };

  const withCharacters = (adapter: SqlDriverAdapter): SqlDriverAdapter => {
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      for (const index of charColumns.get(result.rows) ?? []) {
        result.columnTypes[index] = ColumnTypeEnum.Character;
      }
      return result;
    };
    return adapter;
  };

  const open = () => new PrismaPg(openPool());
  const { provider, adapterName } = open();
  return {
    factory: {
      provider,
      adapterName,
      connect: async () => withCharacters(await open().connect()),
      connectToShadowDb: async () => withCharacters(await open().connectToShadowDb()),
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
