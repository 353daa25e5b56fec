import { randomUUID } from 'node:crypto';
import { openQueue, openStore, queueBoard, type Role } from '@tilemark/core/server';
import { countRows, testDatabase, testRedisUrl } from '../../../../packages/core/test-services';
import { BOARD_PATH } from './board-path';
import {
  accessOperations,
  provideServices,
  type Services,
  type Settings,
  sweepOperations,
} from './services';

/** A grid of its own for a test file: a real database and queue behind the routes. */
export interface TestGrid extends Services {
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
    store,
    queue,
    sweeps: sweepOperations({ store, queue }),
    access: accessOperations({ store, queue }),
    board: queueBoard(queue, BOARD_PATH),
    settings: {
      version: '0.0.0',
      isPublic: true,
      sessionSecret: randomUUID(),
      services: { databaseUrl, redisUrl },
      limits: { logIn: 0, enroll: 0, submit: 0 },
      isBehindProxy: false,
      workerDatabaseUrl: null,
      workerRedisUrl: null,
      ...settings,
    },
    stopping: stop.signal,
    async close() {
      stop.abort();
      await queue.close();
      await store.close();
    },
    token: async (role, name = role) =>
      (await store.tokens.create({ name, role, expiresAt: null })).secret,
    rows: () => countRows(databaseUrl),
    queued: async (deviceKey) => (await queue.runIds(deviceKey)).size,
  };
  provideServices(grid);
  return grid;
}

export interface TestCall {
  readonly method?: string;
  readonly path?: string;
  readonly params?: Record<string, string | string[]>;
  readonly token?: string | undefined;
  readonly headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
}

export type TestRoute = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>;

/** Calls a route's function as Next would. */
export function call(
  route: TestRoute,
  { method = 'GET', path = '/', params = {}, token, headers = {}, body }: TestCall = {},
): Promise<Response> {
  const request = new Request(`http://grid.test/api/v1${path}`, {
    method,
    headers: {
      host: 'grid.test',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return route(request, { params: Promise.resolve(params) });
}
