import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { attachmentSchema, HttpLink, NotAdmitted, Refused } from '@tilemark/core';
import { openStore } from '@tilemark/core/server';
import { describe, expect, it } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  planned,
  sweepOf,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call } from '../grid.test-helper';
import { handle } from './app';
import { linkedGrid, never } from './worker-link.test-helper';

const { admin, grid, url, attached, countsOf, describedAs, given, outcomeOf } = await linkedGrid();

describe('a worker over http', () => {
  it.each(['token', 'worker'] as const)(
    'that waits for a run when its %s is revoked gets none',
    async (revoked) => {
      const worker = await attached();
      const waiting = worker.link.next(never).catch((error: unknown) => error);
      await sleep(500);
      // As another replica does, which knows of no poll here.
      const other = openStore(grid.databaseUrl);
      if (revoked === 'token') await other.tokens.revoke(worker.tokenId);
      else await other.workers.revoke(worker.workerId);
      await other.close();
      const { runIds, runs } = await sweepOf(grid.store, [planned(worker.deviceKey)]);
      await grid.queue.enqueue(runs);
      expect(await waiting).toBeInstanceOf(NotAdmitted);
      const successor = await attached(worker.device);
      expect(await successor.link.next(never)).toMatchObject({ id: runIds[0], attempt: 1 });
    },
  );

  it('attaches, takes a run, ends it, and is listed meanwhile', async () => {
    const worker = await attached();
    const { run, sweep } = await given(worker);
    expect(run).toMatchObject({ deviceKey: worker.deviceKey, attempt: 1, policy: 'smoke' });
    expect(await worker.link.heartbeat('running', [run.id])).toEqual({
      wanted: 'working',
      lost: [],
    });
    const listed = (await grid.store.workers.list()).find(({ id }) => id === worker.workerId);
    expect(listed).toMatchObject({ state: 'running', version: '9.9.9', run: { id: run.id } });
    await worker.link.outcome(outcomeOf(run, worker));
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 1, pending: 0 });
    expect(await grid.queue.runIds(worker.deviceKey)).not.toContain(run.id);
    await worker.link.detach();
    expect((await grid.store.workers.list()).map(({ id }) => id)).not.toContain(worker.workerId);
  });

  it('is given a run that is submitted while it waits', async () => {
    const worker = await attached();
    const waiting = worker.link.next(never);
    await sleep(300);
    const sweep = await sweepOf(grid.store, [planned(worker.deviceKey)]);
    await grid.queue.enqueue(sweep.runs);
    expect((await waiting)?.id).toBe(sweep.runIds[0]);
  });

  it('that hangs up while it waits takes no run with it', async () => {
    const worker = await attached();
    const leaving = new AbortController();
    const waiting = worker.link.next(leaving.signal);
    await sleep(300);
    leaving.abort();
    expect(await waiting).toBeNull();
    const { run } = await given(worker);
    expect(run.attempt).toBe(1);
  });

  it('hands a run back, and gets it again', async () => {
    const worker = await attached();
    const { run } = await given(worker);
    await worker.link.handBack(run.id);
    expect(await worker.link.next(never)).toMatchObject({ id: run.id, attempt: 1 });
  });

  it('loses no run whose answer never reached it', async () => {
    const worker = await attached();
    const { run } = await given(worker);
    await worker.link.heartbeat('idle', []);
    // It may still be on its way.
    expect((await worker.link.heartbeat('running', [run.id])).lost).toEqual([]);
    await execute(
      grid.databaseUrl,
      `UPDATE "Run" SET "claimedAt" = now() - interval '16 s' WHERE "id" = '${run.id}'`,
    );
    await worker.link.heartbeat('idle', []);
    expect((await worker.link.next(never))?.id).toBe(run.id);
  });

  it('taken off the list attaches again by itself', async () => {
    const worker = await attached();
    await grid.store.workers.detach(worker.workerId);
    expect(await worker.link.heartbeat('idle', [])).toMatchObject({ wanted: 'working' });
    expect((await grid.store.workers.list()).map(({ id }) => id)).toContain(worker.workerId);
  });

  it('takes over its row and its run when it starts again', async () => {
    const described = describedAs(randomUUID());
    const worker = await attached(described.identity.device, described);
    const { run } = await given(worker);
    const again = new HttpLink({ server: url, token: worker.token });
    expect((await again.attach(described)).workerId).toBe(worker.workerId);
    // Not only once a lock has run out: that takes longer than a worker waits.
    expect(await again.next(never)).toMatchObject({ id: run.id, attempt: 2 });
  });

  it('stores what its device can do, and is told when that was measured', async () => {
    const described = describedAs(randomUUID());
    const worker = await attached(described.identity.device, described);
    await worker.link.roofline('default', { copies: [], peaks: [] });
    const { rooflines } = await worker.link.attach(described);
    expect(rooflines).toMatchObject([{ profile: 'default' }]);
  });

  it('is told how far its clock is off', async () => {
    const body = { ...describedAs('Clock'), at: new Date(Date.now() + 3_600_000).toISOString() };
    const response = await call('POST /workers', { token: admin, body });
    const { clockAheadMs } = attachmentSchema.parse(await response.json());
    expect(Math.round(clockAheadMs / 60_000)).toBe(60);
  });
});

describe('a worker that claims and never ends', () => {
  it('gets no more runs than it may hold; others get the rest', async () => {
    const [greedy, other] = [await attached('Greedy'), await attached('Greedy')];
    const runs = Array.from({ length: 34 }, () => planned(greedy.deviceKey, { policy: 'smoke' }));
    const sweep = await sweepOf(grid.store, runs);
    await grid.queue.enqueue(sweep.runs);
    const asks = Array.from({ length: 34 }, () => greedy.link.next(never));
    const answers = await Promise.allSettled(asks);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(32);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { name: 'Refused', field: 'runs', message: expect.stringMatching(/as many runs/) },
    });
    const rest = [await other.link.next(never), await other.link.next(never)];
    expect(rest.map((run) => sweep.runIds.includes(run?.id ?? ''))).toEqual([true, true]);
  });

  it('loses a run after an hour', async () => {
    const [owner, greedy] = [await attached('Held'), await attached('Held')];
    const { run, sweep } = await given(greedy);
    expect((await greedy.link.heartbeat('running', [run.id])).lost).toEqual([]);
    await execute(
      grid.databaseUrl,
      `UPDATE "Run" SET "claimedAt" = now() - interval '61 minutes' WHERE "id" = '${run.id}'`,
    );
    expect((await greedy.link.heartbeat('running', [run.id])).lost).toEqual([run.id]);
    expect((await owner.link.next(never))?.id).toBe(run.id);
    await expect(greedy.link.outcome(outcomeOf(run, greedy))).rejects.toBeInstanceOf(Refused);
    await owner.link.outcome(outcomeOf(run, owner));
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 1 });
  });
});

it("a worker's name is listed with that of its token for admins alone", async () => {
  const worker = await attached();
  const tokenFor = async (token?: string) => {
    const { items } = await (await call('GET /workers', { token })).json();
    return items.find(({ id }: { id: string }) => id === worker.workerId)?.token;
  };
  expect(await tokenFor(admin)).toBe('t');
  for (const token of [undefined, worker.token]) expect(await tokenFor(token)).toBeNull();
});

describe('a worker of another protocol is told what to update', () => {
  it.each([
    ['3', /speaks protocol 2 .* this worker 3: update the grid, or/],
    ['0', /older than the grid/],
    ['x', /older than the grid/],
    ['', /older than the grid/],
  ])('%j', async (protocol, why) => {
    const body = { ...describedAs('Old'), at: new Date().toISOString() };
    const before = await grid.rows();
    const response = await call('POST /workers', {
      token: admin,
      body,
      headers: { 'tilemark-protocol': protocol },
    });
    expect(response.status).toBe(409);
    const problem = await response.json();
    expect(problem).toMatchObject({ field: 'protocol', detail: expect.stringMatching(why) });
    expect(problem.detail).toContain(
      'TILEMARK_TOKEN=... npx -y "http://grid.test/worker.tgz?protocol=2" --server',
    );
    expect(await grid.rows()).toEqual(before);
  });

  it('also where it is of a version before the protocol', async () => {
    const response = await handle(
      new Request('http://grid.test/api/v1/workers/enroll', {
        method: 'POST',
        headers: { host: 'grid.test' },
        body: '{}',
      }),
    );
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      field: 'version',
      detail: expect.stringContaining('worker.tgz'),
    });
  });
});
