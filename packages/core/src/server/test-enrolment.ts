import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../test-services';
import type { EnrolmentRequest } from '../api';
import { enrolWorker } from './enrol';
import type { Queue } from './queue';
import { openQueue } from './queue/open-queue';
import type { Store } from './store';
import { openStore } from './store/open-store';
import { capabilities, identity } from './store/test-fixtures';

/** A grid with its own accounts, and what enrolled workers have of it. */
export interface EnrolmentLab {
  readonly databaseUrl: string;
  /** Null: the queue is in Postgres. */
  readonly redisUrl: string | null;
  readonly store: Store;
  readonly queue: Queue;
  /** A worker token. */
  readonly tokenId: string;
  /** Enrols a worker of the device, and opens what it is told with its own accounts. */
  enrol(
    device: string,
    over?: Partial<EnrolmentRequest>,
    token?: string,
  ): Promise<{
    readonly workerId: string;
    readonly deviceKey: string;
    readonly databaseUrl: string;
    readonly redisUrl: string | null;
    readonly store: Store;
    readonly queue: Queue;
  }>;
  newToken(): Promise<string>;
  /** A store or queue with an account of the test's choosing; closed with the lab. */
  open(databaseUrl: string): Store;
  openQueue(urls: { databaseUrl: string; redisUrl: string | null }): Queue;
  /** Where the keys of the queue of a device begin, in Redis. */
  readonly prefix: string;
  close(): Promise<void>;
}

/**
 * Describes the same with the queue in Redis and in Postgres, each in a lab of its own. Where
 * no Redis is installed that half is a skip, so that it is counted and not forgotten.
 */
export function describeEnrolment(
  tests: (lab: () => EnrolmentLab, kind: 'Redis' | 'Postgres') => void,
): void {
  describe.each([
    ['Redis', testRedisUrl()],
    ['Postgres', null],
  ] as const)('with the queue in %s', (kind, redisUrl) => {
    if (kind === 'Redis' && redisUrl === null) return test.skip('Redis is not installed');
    let lab: EnrolmentLab;
    beforeAll(async () => {
      lab = await openEnrolmentLab(redisUrl);
    });
    afterAll(() => lab.close());
    tests(() => lab, kind);
  });
}

/** @param redisUrl null: the queue is in Postgres */
async function openEnrolmentLab(redisUrl: string | null): Promise<EnrolmentLab> {
  const prefix = `test-${randomUUID()}`;
  const databaseUrl = await testDatabase();
  // As it is before Postgres 15.
  await query(databaseUrl, 'GRANT CREATE ON SCHEMA public TO PUBLIC');
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(each: T): T => {
    opened.push(each);
    return each;
  };
  const store = openStore(databaseUrl);
  const queue = openQueue({ databaseUrl, redisUrl, prefix });
  const newToken = async () =>
    (await store.tokens.create({ name: 't', role: 'worker', expiresAt: null })).id;
  const tokenId = await newToken();
  const open = (url: string) => keep(openStore(url));
  const openOwnQueue: EnrolmentLab['openQueue'] = (urls) => keep(openQueue({ ...urls, prefix }));
  return {
    ...{
      databaseUrl,
      redisUrl,
      store,
      queue,
      tokenId,
      prefix,
      newToken,
      open,
      openQueue: openOwnQueue,
    },
    async enrol(device, over = {}, token = tokenId) {
      const addresses = { databaseUrl, redisUrl };
      const enrolled = await enrolWorker({ store, queue }, request(device, over), token, addresses);
      if (!enrolled) throw new Error('revoked');
      return { ...enrolled, store: open(enrolled.databaseUrl), queue: openOwnQueue(enrolled) };
    },
    async close() {
      await Promise.all(opened.map((each) => each.close()));
      await queue.close();
      await store.close();
    },
  };
}

const request = (device: string, over: Partial<EnrolmentRequest>): EnrolmentRequest => ({
  version: '0.1.0',
  name: 'w',
  host: 'lab',
  instance: randomUUID(),
  identity: identity(device),
  capabilities,
  at: new Date().toISOString(),
  ...over,
});

/** Asks the database as whoever the URL says. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
