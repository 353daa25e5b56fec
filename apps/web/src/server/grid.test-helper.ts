import { randomUUID } from 'node:crypto';
import { type BenchFile, benchLines, PROTOCOL, PROTOCOL_HEADER } from '@tilemark/core';
import { openQueue, openStore, type Role, sharedReads } from '@tilemark/core/server';
import { afterAll, beforeAll } from 'vitest';
import {
  countRows,
  testDatabase,
  testRedisUrl,
} from '../../../../packages/core/services.test-helper';
import { handle } from './api/app';
import { KEEP_MS, provideServices, type Services, type Settings } from './services';
import { readsOf } from './session/reads';

/** A grid of its own for a test file: a real database and queue behind the routes. */
export interface TestGrid extends Services {
  readonly databaseUrl: string;
  /** Rows of every table, by its name. */
  rows(): Promise<Record<string, number>>;
  /** The secret of a new token. */
  token(role: Role, name?: string): Promise<string>;
  /** Runs in the queue of a device. */
  queued(deviceKey: string): Promise<number>;
}

export async function openTestGrid(settings: Partial<Settings> = {}): Promise<TestGrid> {
  const databaseUrl = await testDatabase();
  const redisUrl = testRedisUrl();
  const store = openStore(databaseUrl);
  const queue = openQueue({ databaseUrl, redisUrl, prefix: `test-${randomUUID()}` });
  const stop = new AbortController();
  const grid: TestGrid = {
    databaseUrl,
    store,
    queue,
    recent: sharedReads(KEEP_MS),
    reads: readsOf(settings.limits?.read ?? 0),
    settings: {
      version: '0.0.0',
      isPublic: true,
      sessionSecret: randomUUID(),
      limits: { logIn: 0, enroll: 0, read: 0, submit: 0 },
      isBehindProxy: false,
      ...settings,
    },
    stopping: stop.signal,
    async close() {
      stop.abort();
      await queue.close();
      await store.close();
    },
    token: async (role, name = role) =>
      (await store.tokens.create({ name, role, expiresAt: null, trusted: true })).secret,
    rows: () => countRows(databaseUrl),
    queued: async (deviceKey) => (await queue.runIds(deviceKey)).size,
  };
  provideServices(grid);
  return grid;
}

/** The grid of a test file from its first test to its last, and calls with a token of one role. */
export function gridOfFile(role: Role) {
  let grid: TestGrid;
  let token: string;
  beforeAll(async () => {
    grid = await openTestGrid();
    token = await grid.token(role);
  });
  afterAll(() => grid.close());
  return {
    grid: () => grid,
    send: (name: string, body: unknown) => call(name, { token, body }),
  };
}

export interface TestCall {
  /** By the names in the path. */
  readonly params?: Readonly<Record<string, string>>;
  /** `?format=csv` */
  readonly query?: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

/** Asks the app as Next does: `call('GET /sweeps/{id}', { params: { id } })`. */
export async function call(
  name: string,
  { params = {}, query = '', token, headers = {}, body }: TestCall = {},
): Promise<Response> {
  const [method = '', path = ''] = name.split(' ');
  const isLines = path === '/results/import' || path === '/invites/hand-in';
  const address = path.replaceAll(/\{(\w+)\}/g, (_, param) => encoded(path, params[param] ?? ''));
  const request = new Request(`http://grid.test/api/v1${address}${query}`, {
    method,
    headers: {
      host: 'grid.test',
      [PROTOCOL_HEADER]: String(PROTOCOL),
      ...(body === undefined ? {} : { 'content-type': `application/${isLines ? 'x-nd' : ''}json` }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: textOf(body, isLines) }),
  });
  return handle(request);
}

const textOf = (body: unknown, isLines: boolean): string => {
  if (typeof body === 'string') return body;
  const isFile =
    isLines &&
    typeof body === 'object' &&
    body !== null &&
    Array.isArray(Reflect.get(body, 'results'));
  return isFile ? benchLines(body as BenchFile) : JSON.stringify(body);
};

/** Ids of kernels stand in addresses with their slash. */
const encoded = (path: string, id: string): string => {
  const parts = path.startsWith('/kernels/') ? id.split('/') : [id];
  return parts.map((part) => encodeURIComponent(part.toWellFormed())).join('/');
};
