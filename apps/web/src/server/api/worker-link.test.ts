import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { serve } from '@hono/node-server';
import {
  attachmentSchema,
  HttpLink,
  NotAdmitted,
  type Outcome,
  PROTOCOL,
  Refused,
  type RunClaim,
  type RunOutcome,
  type WorkerDescription,
} from '@tilemark/core';
import { openStore, type Store } from '@tilemark/core/server';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  capabilities,
  identity,
  kernelRun,
  measured,
  planned,
  recorded,
  sweepOf,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, openTestGrid, type TestGrid } from '../grid.test-helper';
import { handle } from './app';

const answer = (request: Request, node: object) => handle(request, node);

let grid: TestGrid;
let admin: string;
let server: ReturnType<typeof serve>;
let url: URL;
beforeAll(async () => {
  grid = await openTestGrid();
  admin = await grid.token('admin');
  await new Promise<void>((resolve) => {
    server = serve({ fetch: answer, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      url = new URL(`http://127.0.0.1:${port}`);
      resolve();
    });
  });
});
afterAll(async () => {
  server.close();
  await grid.close();
});

const describedAs = (
  device: string,
): WorkerDescription & { instance: ReturnType<typeof randomUUID> } => ({
  name: 'w',
  host: 'h',
  version: '9.9.9',
  instance: randomUUID(),
  capabilities,
  identity: identity(device),
});

/** A worker of a device of its own, with a token of its own. */
async function attached(device: string = randomUUID(), worker = describedAs(device)) {
  const { id: tokenId, secret: token } = await grid.store.tokens.create({
    name: 't',
    role: 'worker',
    trusted: true,
    expiresAt: null,
  });
  const link = new HttpLink({ server: url, token });
  onTestFinished(() => link.close());
  const { deviceKey, suites, workerId } = await link.attach(worker);
  for (const id of suites) await grid.store.sweeps.cancel(id);
  return { deviceKey, device, link, token, tokenId, workerId };
}
type Attached = Awaited<ReturnType<typeof attached>>;

const never = new AbortController().signal;

/** The next run that is not left over from a cancelled suite. */
async function given(
  { deviceKey, link }: Attached,
  runs = [planned(deviceKey, { policy: 'smoke' })],
) {
  const sweep = await sweepOf(grid.store, runs);
  await grid.queue.enqueue(sweep.runs);
  const run = await link.next(never);
  if (!run) throw new Error('There is no run.');
  return { run, sweep };
}

/** What a worker measured of a run in no time, by the seed that it was given. */
function measuredAs({ policy, seed }: RunClaim, quick = policy): Outcome {
  const outcome = measured(1_000, { policy: quick });
  if (outcome.kind !== 'measured') throw new Error('It was not measured.');
  const { measurement } = outcome;
  const verification = { ...measurement.verification, seed };
  return { ...outcome, measurement: { ...measurement, verification } };
}

const outcomeOf = (run: RunClaim, { device, workerId }: Attached): RunOutcome => ({
  ...recorded(run.id, workerId, measuredAs(run), device),
  run: { variant: run.variant, problem: run.problem, profile: run.profile, policy: run.policy },
});

const countsOf = async (id: string) => (await grid.store.sweeps.get(id))?.counts;

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
    await worker.link.roofline('default', { copies: [], lastLevelCacheBytes: null, peaks: [] });
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

describe('an outcome', () => {
  const refused = (why: RegExp, field?: string) =>
    expect.objectContaining({
      name: 'Refused',
      message: expect.stringMatching(why),
      ...(field && { field }),
    });

  it('sent twice counts once', async () => {
    const worker = await attached();
    const { run, sweep } = await given(worker);
    const outcome = outcomeOf(run, worker);
    await Promise.all([worker.link.outcome(outcome), worker.link.outcome(outcome)]);
    await worker.link.outcome(outcome);
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 1, total: 1 });
  });

  it("for another worker's run is refused, and the run is not lost", async () => {
    const [holder, stranger] = [await attached(), await attached()];
    const { run, sweep } = await given(holder);
    const before = await grid.rows();
    const sent = outcomeOf(run, stranger);
    await expect(stranger.link.outcome(sent)).rejects.toEqual(
      refused(/does not belong to this worker/, 'run'),
    );
    expect(await grid.rows()).toEqual(before);
    await stranger.link.handBack(run.id);
    expect((await stranger.link.heartbeat('idle', [run.id])).lost).toEqual([run.id]);
    await holder.link.outcome(outcomeOf(run, holder));
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 1 });
  });

  it('that is late, since another worker took the run over, is refused', async () => {
    const late = await attached();
    const other = await attached(late.device);
    const { run, sweep } = await given(late);
    await execute(
      grid.databaseUrl,
      `UPDATE "Worker" SET "lastHeartbeatAt" = now() - interval '1 hour'
       WHERE "id" = '${late.workerId}'`,
    );
    expect(await grid.store.runs.claim(run.id, other.workerId)).toMatchObject({ attempt: 2 });
    expect((await late.link.heartbeat('running', [run.id])).lost).toEqual([run.id]);
    await expect(late.link.outcome(outcomeOf(run, late))).rejects.toEqual(refused(/no longer/));
    await other.link.outcome(outcomeOf(run, other));
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 1 });
    await expect(late.link.outcome(outcomeOf(run, late))).rejects.toBeInstanceOf(Refused);
  });

  it.each([
    ['variant', { kernel: 'matmul/naive', tunables: {} }],
    ['problem', { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' }],
    ['profile', 'fast'],
    ['policy', 'screen'],
  ])('of another %s is refused', async (field, value) => {
    const worker = await attached();
    const { run, sweep } = await given(worker);
    const sent = outcomeOf(run, worker);
    const wrong = { ...sent, run: { ...sent.run, [field]: value } } as RunOutcome;
    await expect(worker.link.outcome(wrong)).rejects.toEqual(
      refused(new RegExp(`is of ${field}`), `run.${field}`),
    );
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 0, pending: 1 });
    await worker.link.outcome(sent);
  });

  it('that contradicts its run by its device, profile, policy or seed is refused', async () => {
    const worker = await attached();
    const { run, sweep } = await given(worker);
    const sent = outcomeOf(run, worker);
    const elsewhere = { ...sent, environment: { ...sent.environment, device: identity('Else') } };
    await expect(worker.link.outcome(elsewhere)).rejects.toEqual(refused(/another device/));
    const fast = { ...sent, environment: { ...sent.environment, profile: 'fast' as const } };
    await expect(worker.link.outcome(fast)).rejects.toEqual(refused(/has profile default/));
    const quick = { ...sent, outcome: measuredAs(run, 'screen') };
    await expect(worker.link.outcome(quick)).rejects.toEqual(refused(/has policy smoke/));
    const guessed = { ...sent, outcome: measuredAs({ ...run, seed: run.seed + 1 }) };
    await expect(worker.link.outcome(guessed)).rejects.toEqual(refused(/another seed/));
    expect(await countsOf(sweep.id)).toMatchObject({ measured: 0, pending: 1 });
  });

  it('of a run that is gone says so', async () => {
    const worker = await attached();
    const { run } = await given(worker, [kernelRun(worker.deviceKey, 'matmul/naive')]);
    const gone = { ...run, id: randomUUID() };
    await expect(worker.link.outcome(outcomeOf(gone, worker))).rejects.toMatchObject({
      isGone: true,
    });
  });

  describe('as bytes', () => {
    const send = (worker: Attached, runId: string, body: Uint8Array, headers = {}) =>
      fetch(new URL(`/api/v1/workers/${worker.workerId}/runs/${runId}/outcome`, url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${worker.token}`,
          'tilemark-protocol': String(PROTOCOL),
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          ...headers,
        },
        body: body as Uint8Array<ArrayBuffer>,
      });
    const plain = { 'content-encoding': 'identity' };

    it.each([
      ['truncated', (text: string) => gzipSync(text).subarray(0, -20), {}, 400],
      ['not gzip', (text: string) => Buffer.from(text), {}, 400],
      ['not JSON', () => gzipSync('<html>'), {}, 400],
      ['half of JSON', (text: string) => Buffer.from(text.slice(0, -9)), plain, 400],
      ['of another form', () => gzipSync('{"outcome":{"kind":"fine"}}'), {}, 400],
      ['of 100 MB', () => Buffer.alloc(1e8, ' '), plain, 413],
      ['of 100 MB, packed', () => gzipSync(Buffer.alloc(1e8, ' ')), {}, 413],
    ])(
      '%s is refused, nothing is kept, and the run is not lost',
      async (_what, make, headers, status) => {
        const worker = await attached();
        const { run, sweep } = await given(worker);
        const before = await grid.rows();
        const text = JSON.stringify(outcomeOf(run, worker));
        const response = await send(worker, run.id, make(text), headers).catch(() => null);
        // A site may hang up on what is far too large before it was sent.
        if (response) expect(response.status).toBe(status);
        else expect(status).toBe(413);
        expect(await grid.rows()).toEqual(before);
        await worker.link.outcome(outcomeOf(run, worker));
        expect(await countsOf(sweep.id)).toMatchObject({ measured: 1 });
      },
    );
  });
});

/** As another process of the grid does, of which this one hears nothing. */
async function revokeWorkerIn(store: Store, workerId: string) {
  const cutOff = await store.workers.revoke(workerId);
  if (cutOff === null || cutOff === 'own account') throw new Error('It was not revoked.');
  return cutOff;
}

describe('a worker that may not go on', () => {
  it.each([
    [
      'revoked',
      /revoked/,
      ({ workerId }: Attached) =>
        call('DELETE /workers/{id}', { params: { id: workerId }, token: admin }),
    ],
    [
      'whose token was revoked',
      /revoked/,
      ({ tokenId }: Attached) =>
        call('DELETE /tokens/{id}', { params: { id: tokenId }, token: admin }),
    ],
    [
      'revoked by another process',
      /revoked/,
      async ({ link, workerId }: Attached) => {
        const other = openStore(grid.databaseUrl);
        onTestFinished(() => other.close());
        // All workers are looked up together; one that was let in a moment ago stays so for 3 s.
        await link.heartbeat('running', []);
        for (const run of (await revokeWorkerIn(other, workerId)).released)
          await grid.queue.putBack(run, workerId);
        await expect
          .poll(() => link.heartbeat('idle', []).catch((error: unknown) => error), {
            timeout: 60_000,
          })
          .toBeInstanceOf(NotAdmitted);
      },
    ],
    [
      'whose token has expired',
      /expired/,
      async ({ link, tokenId }: Attached) => {
        await execute(
          grid.databaseUrl,
          `UPDATE "Token" SET "expiresAt" = now() WHERE "id" = '${tokenId}'`,
        );
        // Not through the site, which learns of it when it looks the token up again.
        await expect
          .poll(() => link.heartbeat('idle', []).catch((error: unknown) => error), {
            timeout: 60_000,
          })
          .toBeInstanceOf(NotAdmitted);
      },
    ],
  ])(
    '%s in mid-run is turned away with a reason, and ends nothing more',
    async (_what, why, end) => {
      const worker = await attached();
      const { run, sweep } = await given(worker);
      await end(worker);
      const { link } = worker;
      for (const ask of [
        () => link.heartbeat('running', [run.id]),
        () => link.outcome(outcomeOf(run, worker)),
        () => link.next(never),
        () => link.handBack(run.id),
        () => link.attach(describedAs(worker.device)),
      ]) {
        const error = await ask().catch((cause: unknown) => cause);
        expect(error).toBeInstanceOf(NotAdmitted);
        expect(error).toMatchObject({ message: expect.stringMatching(why) });
      }
      expect(await countsOf(sweep.id)).toMatchObject({ measured: 0, pending: 1 });
      // Expiry has no moment at which the site does something; its upkeep sees to it.
      if (/expired/.test(String(why))) return;
      const next = await attached(worker.device);
      expect((await next.link.next(never))?.id).toBe(run.id);
    },
  );

  it('needs a newer token once it was revoked, and so does everyone new to its token', async () => {
    const described = describedAs(randomUUID());
    const worker = await attached(described.identity.device, described);
    const revoke = () =>
      call('DELETE /workers/{id}', { params: { id: worker.workerId }, token: admin });
    expect((await revoke()).status).toBe(204);
    expect((await revoke()).status).toBe(404);
    for (const instance of [described.instance, randomUUID()]) {
      const again = worker.link.attach({ ...described, instance });
      await expect(again).rejects.toThrow(/^This worker was revoked, .* new token/);
    }
    await sleep(5);
    const newer = await attached(described.identity.device, described);
    expect(newer.workerId).toBe(worker.workerId);
  });

  it("is not one of the grid's own, which is stopped where it runs", async () => {
    const { workerId } = await grid.store.workers.attach({
      name: 'w',
      host: 'h',
      version: '0',
      identity: identity('Own'),
      capabilities,
    });
    const response = await call('DELETE /workers/{id}', {
      params: { id: workerId },
      token: admin,
    });
    expect(response.status).toBe(409);
    expect((await response.json()).detail).toMatch(/stop it where it runs/);
  });

  it('is refused by a token of another role, or none', async () => {
    const body = { ...describedAs('Role'), at: new Date().toISOString() };
    for (const [token, status] of [
      [await grid.token('member'), 403],
      [`tm_worker_${'x'.repeat(43)}`, 401],
      [undefined, 401],
    ] as const) {
      expect((await call('POST /workers', { token, body })).status).toBe(status);
    }
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
