import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import {
  HttpLink,
  type Outcome,
  type RunClaim,
  type RunOutcome,
  type WorkerDescription,
} from '@tilemark/core';
import { afterAll, onTestFinished } from 'vitest';
import {
  capabilities,
  identity,
  measured,
  planned,
  recorded,
  sweepOf,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { openTestGrid } from '../grid.test-helper';
import { handle } from './app';

/** A worker that has attached over http, and what it attached with. */
export interface Attached {
  readonly device: string;
  readonly deviceKey: string;
  readonly link: HttpLink;
  readonly token: string;
  readonly tokenId: string;
  readonly workerId: string;
}

export const never = new AbortController().signal;

/** A grid that answers over http until the file's tests end, and workers that attach to it. */
export async function linkedGrid() {
  const grid = await openTestGrid();
  const admin = await grid.token('admin');
  const answer = (request: Request, node: object) => handle(request, node);
  const server = serve({ fetch: answer, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}`);
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
  async function attached(
    device: string = randomUUID(),
    worker = describedAs(device),
  ): Promise<Attached> {
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

  return { ...{ admin, grid, url }, attached, countsOf, describedAs, given, measuredAs, outcomeOf };
}
