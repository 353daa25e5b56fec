import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { PROTOCOL, Refused, type RunOutcome } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { execute } from '../../../../../packages/core/services.test-helper';
import {
  identity,
  kernelRun,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { type Attached, linkedGrid } from './worker-link.test-helper';

const { grid, url, attached, countsOf, given, measuredAs, outcomeOf } = await linkedGrid();

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
