import { randomUUID } from 'node:crypto';
import { HttpLink, type Outcome, Refused, type RunClaim, type RunOutcome } from '@tilemark/core';
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

/** A worker over http of a GPU by this name. */
async function attach(device: string, token: string) {
  const link = new HttpLink({ server: new URL(grid.url), token });
  const { deviceKey, workerId } = await link.attach({
    ...{ name: 'w', host: 'h', version: '1', capabilities, instance: randomUUID() },
    identity: identity(device),
  });
  const next = async () => (await link.next(AbortSignal.timeout(60_000))) ?? null;
  const end = (run: RunClaim, outcome: Outcome) =>
    link.outcome(recordOf(run, workerId, device, verifiedBy(run, outcome)));
  return { deviceKey, end, link, next };
}

/** The outcome as the seed of the run verifies it. */
function verifiedBy({ seed }: RunClaim, outcome: Outcome): Outcome {
  if (outcome.kind !== 'measured') return outcome;
  const { measurement } = outcome;
  const verification = { ...measurement.verification, seed };
  return { ...outcome, measurement: { ...measurement, verification } };
}

function recordOf(run: RunClaim, workerId: string, device: string, outcome: Outcome): RunOutcome {
  const { definition, tunables } = resolveVariant(run.variant.kernel, run.variant.tunables);
  return {
    ...{ runId: run.id, workerId, outcome, endedAt: new Date().toISOString() },
    environment: environment(device),
    wgsl: definition.runsOn === 'gpu' ? specialise(definition, tunables, 'f32') : null,
  };
}

/** Of a stranger who may attach machines and ask for runs. */
const strangersToken = () =>
  grid.post<{ id: string; secret: string }>('/api/v1/tokens', {
    ...{ name: `stranger ${randomUUID()}`, role: 'worker' },
  });

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

it('a stranger ends no run of another, and answers it once an admin trusts it', async () => {
  const device = `Operator ${randomUUID()}`;
  const own = await attach(device, grid.token);
  const query = new URLSearchParams({ m: '64', n: '64', k: '64', device: own.deviceKey });
  const asked = () => grid.json(`/api/v1/best?${query}`);
  await submit(own.deviceKey, 'matmul/register-tile', [64]);
  const honest = await own.next();
  if (honest) await own.end(honest, measured(SECOND_NS / 100));
  const answer = { address: expect.stringContaining('register-tile') };
  expect(await asked()).toMatchObject(answer);

  const { id } = await submit(own.deviceKey, 'matmul/naive', [128]);
  const { items } = await grid.json<{ items: { runId: string }[] }>(`/api/v1/sweeps/${id}/results`);
  const { id: tokenId, secret } = await strangersToken();
  const stranger = await attach(device, secret);
  expect(stranger.deviceKey).toBe(own.deviceKey);
  const forged = measured(SECOND_NS / 200);
  // It is given runs of its own back-fill alone.
  const run = await stranger.next();
  if (!run) throw new Error('The stranger was given no run.');
  expect(run.id).not.toBe(items[0]?.runId);
  await stranger.link.handBack(run.id);
  const variant = { kernel: 'matmul/naive', tunables: {} };
  const another = { ...run, variant, id: items[0]?.runId ?? '' };
  await expect(stranger.end(another, forged)).rejects.toThrow(/a token that is not trusted/);
  await expect(stranger.end(another, { kind: 'skipped', why: 'not today' })).rejects.toBeInstanceOf(
    Refused,
  );
  expect((await grid.sweep(id)).counts).toMatchObject({ total: 1, skipped: 0, measured: 0 });
  expect(await asked()).toMatchObject(answer);
  const trusted = await grid.fetch(`/api/v1/tokens/${tokenId}/trust`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ trusted: true }),
  });
  expect(trusted.status).toBe(204);
  await own.link.detach();
  let taken = await stranger.next();
  // That run waits a while after each refusal; of its own it may hold 32 at once.
  while (taken && taken.id !== another.id) {
    await stranger.link.handBack(taken.id);
    taken = await stranger.next();
  }
  if (taken) await stranger.end(taken, forged);
  expect((await grid.sweep(id)).counts).toMatchObject({ measured: 1 });
});
