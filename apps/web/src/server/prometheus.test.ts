import { sharedReads } from '@tilemark/core/server';
import { register } from 'prom-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  attach,
  measured,
  planned,
  recorded,
  sweepOf,
} from '../../../../packages/core/src/server/store/fixtures.test-helper';
import { handle } from './api/app';
import { call, openTestGrid, type TestGrid } from './grid.test-helper';
import { KEEP_MS, provideServices } from './services';

let grid: TestGrid;
beforeAll(async () => {
  // Counts requests of a process, those of other files' tests among them.
  register.resetMetrics();
  grid = await openTestGrid();
});
afterAll(() => grid.close());

const scrape = (headers = {}) => handle(new Request('http://grid.test/metrics', { headers }));

it('tells runs, queues, workers and the time that requests took', async () => {
  const { workerId, deviceKey } = await attach(grid.store, 'One');
  const { runIds } = await sweepOf(grid.store, [
    planned(deviceKey),
    planned(deviceKey, { address: 'b' }),
  ]);
  const [first = ''] = runIds;
  await grid.store.runs.claim(first, workerId);
  await grid.store.runs.record(recorded(first, workerId, measured(1e6)));
  await grid.store.workers.heartbeat(workerId, 'idle');
  await call('GET /sweeps');
  const response = await scrape();
  expect(response.headers.get('content-type')).toContain('version=0.0.4');
  const text = await response.text();
  expect(text).toContain('tilemark_runs{state="measured"} 1');
  expect(text).toContain('tilemark_runs{state="pending"} 1');
  expect(text).toContain(`tilemark_queue_waiting_runs{device="${deviceKey}"} 1`);
  expect(text).toContain(`tilemark_workers{device="${deviceKey}",state="idle"} 1`);
  expect(text).toMatch(
    /tilemark_http_request_duration_seconds_count\{method="GET",path="\/sweeps",status="200"\} 1/,
  );
});

it('counts the runs once for scrapes that come one upon the other', async () => {
  let counts = 0;
  const { runs } = grid.store;
  const store = {
    ...grid.store,
    runs: {
      ...runs,
      byState() {
        counts++;
        return runs.byState();
      },
    },
  };
  provideServices({ ...grid, store, recent: sharedReads(KEEP_MS) });
  await Promise.all([scrape(), scrape()]);
  await scrape();
  expect(counts).toBe(1);
  provideServices(grid);
});

it('is no more public than the grid', async () => {
  provideServices({ ...grid, settings: { ...grid.settings, isPublic: false } });
  expect((await scrape()).status).toBe(401);
  const authorization = `Bearer ${await grid.token('member')}`;
  expect((await scrape({ authorization })).status).toBe(200);
  provideServices(grid);
});
