import { operations } from '@/server/operations';
import { serve } from '@/server/serve';

const state = (settled: PromiseSettledResult<void>) =>
  settled.status === 'fulfilled' ? ('up' as const) : ('down' as const);

export const GET = serve(operations.health, async ({ services: { store, queue, settings } }) => {
  const [database, jobs] = await Promise.allSettled([store.ping(), queue.ping()]);
  const health = {
    status: state(database) === 'up' && state(jobs) === 'up' ? 'ok' : 'degraded',
    version: settings.version,
    database: state(database),
    queue: { backend: queue.backend, state: state(jobs) },
  };
  return Response.json(health, {
    status: health.status === 'ok' ? 200 : 503,
    headers: { 'Cache-Control': 'no-store' },
  });
});
