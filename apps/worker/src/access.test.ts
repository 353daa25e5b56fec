import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { enrolmentRequestSchema } from '@tilemark/core';
import {
  enrolWorker,
  openQueue,
  openStore,
  type Queue,
  reconcileAccess,
  type Store,
} from '@tilemark/core/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../packages/core/test-services';
import { type PrivateRedis, startRedis } from '../../../scripts/services/redis';
import { useBundle } from './bundle.test-helper';

const bundle = useBundle();
/** Of this file alone: the workers of other files have the same device, and would take its runs. */
let redis: PrivateRedis | null;
let redisUrl: string | null;
let redisFolder: string;
beforeAll(async () => {
  redisFolder = await mkdtemp(join(tmpdir(), 'tilemark-access-redis-'));
  redis = testRedisUrl() === null ? null : await startRedis({ dataDir: redisFolder });
  redisUrl = redis?.url ?? null;
});
afterAll(async () => {
  await redis?.stop();
  await rm(redisFolder, { recursive: true, force: true });
});

let databaseUrl: string;
let folder: string;
let store: Store;
let queue: Queue;
let token: { id: string; secret: string };
beforeEach(async () => {
  databaseUrl = await testDatabase();
  store = openStore(databaseUrl);
  queue = openQueue({ databaseUrl, redisUrl });
  folder = await mkdtemp(join(tmpdir(), 'tilemark-access-'));
  token = await store.tokens.create({ name: 't', role: 'worker', expiresAt: null });
});
afterEach(async () => {
  await queue.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

/** What the site does for workers, without its pages. */
async function startSite(): Promise<{ url: string; enrolments: () => number }> {
  let enrolments = 0;
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    const secret = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const principal = await store.tokens.verify(secret);
    if (!principal) return answer(401, { detail: 'The token is unknown, expired or revoked.' });
    const enrolled = await enrolWorker(
      { store, queue },
      enrolmentRequestSchema.parse(await bodyOf(request)),
      principal.tokenId,
      { databaseUrl, redisUrl },
    );
    if (!enrolled) return answer(403, { detail: 'This worker was revoked.' });
    enrolments++;
    answer(200, { ...enrolled, clockAheadMs: 3_600_000 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address && typeof address === 'object' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, enrolments: () => enrolments };
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly output: () => string;
}

function start(site: string, secret = token.secret): Started {
  const child = spawn(
    process.execPath,
    [bundle.main, 'worker', '--device', 'cpu', '--server', site, '--token', secret],
    {
      env: {
        ...process.env,
        DATABASE_URL: '',
        REDIS_URL: '',
        TILEMARK_DATA: folder,
        TMPDIR: folder,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, ended, output: () => output };
}

/** The CPU's starter runs take seconds each. */
const TIMEOUT_MS = 120_000;

async function eventually<T>(read: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const listed = () => eventually(async () => (await store.workers.list())[0]);
const measuredRuns = async () =>
  (await store.sweeps.list()).items.reduce((sum, { counts }) => sum + counts.measured, 0);

it(
  'works with accounts of its own, by the clock of the grid, and takes over its row',
  async () => {
    const site = await startSite();
    const first = start(site.url);
    const { id } = await listed();
    await eventually(async () => (await measuredRuns()) > 0);
    expect(first.output()).toContain('clock is off');
    const sweep = (await store.sweeps.list()).items.find(({ counts }) => counts.measured > 0);
    const { items } = await store.sweeps.results(sweep!.id);
    const resultId = items.find((item) => item.resultId !== null)?.resultId;
    const { createdAt } = (await store.results.get(resultId!))!;
    // The site says that this machine is an hour ahead, so an hour is taken off.
    expect(Date.parse(createdAt)).toBeLessThan(Date.now() - 3_000_000);
    expect(await readdir(folder)).toContain('workers');

    first.child.kill('SIGKILL');
    await first.ended;
    const second = start(site.url);
    await eventually(async () => site.enrolments() === 2);
    const before = await measuredRuns();
    await eventually(async () => (await measuredRuns()) > before);
    expect((await store.workers.list()).map((worker) => worker.id)).toEqual([id]);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(await store.workers.list()).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'enrols again by itself when its accounts are gone',
  async () => {
    const site = await startSite();
    const { child, ended } = start(site.url);
    await eventually(async () => (await measuredRuns()) > 0);
    // As after a day without a path to the services.
    await store.workers.detach((await listed()).id);
    await reconcileAccess({ store, queue });
    await eventually(async () => site.enrolments() === 2);
    await eventually(async () => (await listed()).state === 'running');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  },
  TIMEOUT_MS,
);

it.each([
  [401, undefined, 3],
  [403, undefined, 3],
  // Older or newer than the grid.
  [409, 'version', 2],
  [400, 'identity.device', 2],
  [503, undefined, 1],
])('refused with %i (%s) it says why and ends with %i', async (status, field, code) => {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ detail: 'Because of this.', field }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const { ended, output } = start(
    `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`,
  );
  expect(await ended).toBe(code);
  expect(output()).toContain('Because of this.');
  expect(output()).not.toContain(token.secret);
});

it.each(['tm_worker_x y', ''])(
  'a token that cannot be one (%j) ends it as one that is not let in',
  async (secret) => {
    const { ended, output } = start('http://127.0.0.1:9', secret);
    expect(await ended).toBe(3);
    expect(output()).toContain('This is no token');
  },
);

it('a revoked worker says so and ends with a code of its own', async () => {
  const site = await startSite();
  const { ended, output } = start(site.url);
  const { id } = await listed();
  await eventually(async () => (await measuredRuns()) > 0);
  await store.workers.revoke(id);
  await reconcileAccess({ store, queue });
  expect(await ended).toBe(3);
  expect(output()).toContain('error: This worker was revoked.');
  // Starting it again does not help.
  const again = start(site.url);
  expect(await again.ended).toBe(3);
});

it('so does one whose token was revoked', async () => {
  const site = await startSite();
  const { ended, output } = start(site.url);
  await eventually(async () => site.enrolments() === 1);
  await store.tokens.revoke(token.id);
  await reconcileAccess({ store, queue });
  expect(await ended).toBe(3);
  expect(output()).toContain('error: The token is unknown, expired or revoked.');
});
