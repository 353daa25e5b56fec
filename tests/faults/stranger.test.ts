import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedRun, HttpLink, type Outcome, type RecordedRun, Refused } from '@tilemark/core';
import { resolveVariant, specialise } from '@tilemark/kernels';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  capabilities,
  environment,
  identity,
  measured,
} from '../../packages/core/src/server/store/fixtures.test-helper';
import { FaultGrid } from './grid';

/** What a stranger with one token decides of the device of another: nothing. */

let grid: FaultGrid;
beforeAll(async () => {
  grid = await FaultGrid.start();
});
afterAll(() => grid?.close());

/** Those of `measured`: who had a run for less has not measured it. */
const SAMPLES_LAST_MS = 3_000;

/** A worker over http of a GPU by this name. */
async function attach(device: string, token: string) {
  const link = new HttpLink({ server: new URL(grid.url), token });
  const { deviceKey, workerId } = await link.attach({
    ...{ name: 'w', host: 'h', version: '1', capabilities, instance: randomUUID() },
    identity: identity(device),
  });
  const next = async () => (await link.next(AbortSignal.timeout(60_000))) ?? null;
  const end = async (run: ClaimedRun, outcome: Outcome) => {
    if (outcome.kind === 'measured') await sleep(SAMPLES_LAST_MS);
    await link.outcome(recordOf(run, workerId, device, outcome));
  };
  return { deviceKey, end, link, next };
}

function recordOf(
  run: ClaimedRun,
  workerId: string,
  device: string,
  outcome: Outcome,
): RecordedRun {
  const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
  return {
    ...{ runId: run.id, workerId, outcome, endedAt: new Date().toISOString() },
    environment: environment(device),
    wgsl: definition.runsOn === 'gpu' ? specialise(definition, tunables, 'f32') : null,
  };
}

async function strangersToken(): Promise<string> {
  const { secret } = await grid.post<{ secret: string }>('/api/v1/tokens', {
    ...{ name: `stranger ${randomUUID()}`, role: 'worker' },
  });
  return secret;
}

/** Cancels the standard suites of a device, and submits runs of a kernel there. */
async function submit(deviceKey: string, kernel: string, edges: readonly number[]) {
  const { items } = await grid.json<{ items: { id: string; suite: string | null }[] }>(
    '/api/v1/sweeps?state=open',
  );
  for (const { id, suite } of items) {
    if (suite) await grid.fetch(`/api/v1/sweeps/${id}/cancel`, { method: 'POST' });
  }
  return grid.post<{ id: string }>('/api/v1/sweeps', {
    name: kernel,
    spec: {
      cases: [{ kernel, shapes: edges.map((n) => ({ m: n, n, k: n })) }],
      devices: [deviceKey],
    },
  });
}

const SECOND_NS = 1e9;

it('a forged time on the device of another is no answer of /best, whatever its size', async () => {
  const device = `Operator ${randomUUID()}`;
  const own = await attach(device, grid.token);
  const asked = (n: number) =>
    grid.json(
      `/api/v1/best?${new URLSearchParams({ m: `${n}`, n: `${n}`, k: `${n}`, device: own.deviceKey })}`,
    );
  await submit(own.deviceKey, 'matmul/register-tile', [64]);
  const honest = await own.next();
  if (honest) await own.end(honest, measured(SECOND_NS / 100));
  const answer = { address: expect.stringContaining('register-tile'), unconfirmed: false };
  expect(await asked(64)).toMatchObject(answer);

  await own.link.detach();
  const stranger = await attach(device, await strangersToken());
  expect(stranger.deviceKey).toBe(own.deviceKey);
  await submit(own.deviceKey, 'matmul/naive', [64, 128, 256]);
  for (let at = 0; at < 3; at++) {
    const run = await stranger.next();
    if (run) await stranger.end(run, measured(SECOND_NS / 200));
  }
  for (const n of [64, 96, 128, 256]) expect(await asked(n), `${n}`).toMatchObject(answer);
});

it('runs of another are not ended as skipped or failed, nor held by the hundred', async () => {
  const device = `Lent ${randomUUID()}`;
  const owner = await attach(device, await strangersToken());
  const greedy = await attach(device, await strangersToken());
  const edges = Array.from({ length: 64 }, (_, at) => 64 + at);
  const { id } = await submit(owner.deviceKey, 'matmul/naive', edges);
  const run = await greedy.next();
  if (!run) throw new Error('The stranger was given no run.');
  await greedy.end(run, { kind: 'skipped', why: 'not today' });
  const { counts } = await grid.sweep(id);
  expect(counts).toMatchObject({ total: 64, skipped: 0, failed: 0 });

  let held = 0;
  const all = async () => {
    for (; held < 64; held++) if (!(await greedy.next())) return;
  };
  await expect(all()).rejects.toBeInstanceOf(Refused);
  expect(held).toBeLessThanOrEqual(32);
  // What it gave up on is for the owner, who gets the rest as ever.
  expect(await owner.next()).not.toBeNull();
});
