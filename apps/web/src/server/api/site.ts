import { healthSchema } from '@tilemark/core';
import { noun, ok, operation } from './operation';

/** The server's reports about itself. */
export const site = noun();

const state = (settled: PromiseSettledResult<void>) =>
  settled.status === 'fulfilled' ? ('up' as const) : ('down' as const);

operation(
  site,
  {
    id: 'health',
    method: 'get',
    path: '/health',
    summary: 'Whether the server reaches its database and its queue; 503 where it does not.',
    access: 'open',
    cost: 0,
    answer: ok(healthSchema),
  },
  async ({ c, services: { recent, store, queue, settings } }) => {
    const [database, jobs] = await recent.read('health', () =>
      Promise.allSettled([store.ping(), queue.ping()]),
    );
    const isUp = state(database) === 'up' && state(jobs) === 'up';
    c.header('Cache-Control', 'no-store');
    return c.json(
      {
        status: isUp ? 'ok' : 'degraded',
        version: settings.version,
        database: state(database),
        queue: { backend: queue.backend, state: state(jobs) },
      },
      isUp ? 200 : 503,
    );
  },
);
