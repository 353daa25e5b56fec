import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testDatabase, testRedisUrl } from '../../../test-services';
import type { Queue } from '../queue';
import { type Board, queueBoard } from './board';
import { openQueue } from './open-queue';

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
    board(new Request(`http://grid.test/queues${path}`, { method }), devices);

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
