import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../services.test-helper';
import { type Board, queueBoard } from './dashboard';
import type { Queue } from './queue';
import { openQueue } from './queue';

describe.each([
  ['Redis', testRedisUrl()],
  ['Postgres', null],
] as const)('the board of a queue in %s', (kind, redisUrl) => {
  if (kind === 'Redis' && redisUrl === null) return test.skip('Redis is not installed');

  let queue: Queue;
  let board: Board;
  beforeAll(async () => {
    const databaseUrl = await testDatabase();
    queue = openQueue({ databaseUrl, redisUrl, prefix: `test-${randomUUID()}` });
    board = queueBoard(queue, '/queues');
  });
  afterAll(() => queue.close());

  const get = (path: string, devices: readonly string[] = [], method = 'GET') =>
    board(
      new Request(`http://grid.test/queues${path}`, { method }),
      devices.map((key) => ({ key, workers: [] })),
    );

  test('shows what waits for each device, and its jobs', async () => {
    const id = randomUUID();
    await queue.enqueue([{ id, deviceKey: 'one' }]);
    const { queues } = await (await get('/api/queues', ['one', 'two'])).json();
    expect(queues).toMatchObject([
      { name: 'runs.one', readOnlyMode: true, counts: { waiting: 1 } },
      { name: 'runs.two', counts: { waiting: 0 } },
    ]);
    const job = await (await get(`/api/queues/runs.one/${id}`, ['one'])).json();
    expect(job).toMatchObject({ job: { id, data: { runId: id } } });
    // A device that has gone since is not shown.
    expect((await (await get('/api/queues', ['two'])).json()).queues).toHaveLength(1);
  });

  test('names the workers of a device, idle ones too', async () => {
    const worker = {
      ...{ id: randomUUID(), name: 'lab: a GPU', host: 'lab' },
      attachedAt: new Date(Date.now() - 60_000).toISOString(),
    };
    const ask = async (path: string, workers: readonly (typeof worker)[]) =>
      (
        await board(new Request(`http://grid.test/queues${path}`), [{ key: 'idle', workers }])
      ).json();
    const { queues } = await ask('/api/queues', [worker]);
    expect(queues).toMatchObject([{ counts: { active: 0, waiting: 0 }, hasWorkers: true }]);
    const { workers } = await ask('/api/queues/runs.idle/workers', [worker]);
    expect(workers).toMatchObject([{ name: 'lab: a GPU', addr: 'lab' }]);
    expect(workers[0].age).toBeGreaterThanOrEqual(60);
    expect((await ask('/api/queues', [])).queues).toMatchObject([{ hasWorkers: false }]);
  });

  test('is a page with scripts and styles of this site alone', async () => {
    const page = await get('');
    expect(page.headers.get('content-type')).toContain('text/html');
    const html = await page.text();
    expect(html).toContain('<base href="/queues/"');
    expect(html).not.toMatch(/(src|href)="https?:/);
    const [script = ''] = /static\/js\/main[^"]*/.exec(html) ?? [];
    expect((await get(`/${script}`)).status).toBe(200);
  });

  test.each([
    ['PUT', '/api/queues/runs.one/empty'],
    ['PUT', '/api/queues/runs.one/pause'],
    ['PUT', '/api/queues/runs.one/obliterate'],
    ['POST', '/api/queues/runs.one/add'],
  ])('changes nothing: %s %s', async (method, path) => {
    await queue.enqueue([{ id: randomUUID(), deviceKey: 'one' }]);
    const before = await queue.depth('one');
    expect((await get(path, ['one'], method)).status).toBeGreaterThanOrEqual(400);
    expect(await queue.depth('one')).toBe(before);
  });
});
