import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotAdmitted } from '@tilemark/core';
import { openStore, type Store } from '@tilemark/core/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  capabilities,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call } from '../grid.test-helper';
import { type Attached, linkedGrid, never } from './worker-link.test-helper';

const { admin, grid, attached, countsOf, describedAs, given, outcomeOf } = await linkedGrid();

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
