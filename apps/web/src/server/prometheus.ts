import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { Gauge, Histogram, Registry, register } from 'prom-client';
import { type Services, services } from './services';
import { checkAccess } from './session/access';
import { identify } from './session/principal';
import { COSTS, readerOf } from './session/reads';

const durations = new Histogram({
  name: 'tilemark_http_request_duration_seconds',
  help: 'Time from the request to the answer, by operation of API v1',
  labelNames: ['method', 'path', 'status'],
  buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

/** Counts an answered request. */
export function observeRequest(method: string, path: string, status: number, ms: number): void {
  durations.observe({ method, path, status: String(status) }, ms / 1_000);
}

/** Metrics for Prometheus. As public as the rest of the grid: a private one takes a token. */
export const metrics = new Hono<{ Bindings: Partial<HttpBindings> }>().get(
  '/metrics',
  async (c) => {
    const opened = await services();
    const stranger = readerOf(c, null, opened.settings).key;
    const { principal } = await identify(c.req.raw.headers, opened, stranger);
    await opened.reads.take(readerOf(c, principal, opened.settings), COSTS.answer);
    checkAccess('read', principal, opened.settings.isPublic);
    return c.body(await metricsText(opened), 200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
    });
  },
);

/** Everything Prometheus scrapes: this process's requests, and the state of the whole grid. */
async function metricsText({ recent, settings, store }: Services): Promise<string> {
  const [runs, queues, workers] = await Promise.all([
    recent.read('runs', () => store.runs.byState()),
    store.workers.queues(),
    store.workers.list(),
  ]);
  const grid = new Registry();
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Gauge({ name: `tilemark_${name}`, help, labelNames, registers: [grid] });

  gauge('info', 'The version of the site; always 1', ['version']).set(
    { version: settings.version },
    1,
  );
  const byState = gauge('runs', 'Runs by state: pending, running, or how they ended', ['state']);
  for (const [state, count] of Object.entries(runs)) byState.set({ state }, count);

  const waiting = gauge('queue_waiting_runs', 'Runs that wait for a device', ['device']);
  const eta = gauge('queue_eta_seconds', 'Time until a queue is empty, where known', ['device']);
  for (const { device, waiting: count, etaMs } of queues) {
    waiting.set({ device: device.key }, count);
    if (etaMs !== null) eta.set({ device: device.key }, etaMs / 1_000);
  }
  const attached = gauge('workers', 'Attached workers by state', ['device', 'state']);
  for (const { device, state } of workers) attached.inc({ device: device.key, state });
  return `${await grid.metrics()}\n${await register.metrics()}`;
}
