import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Environment } from '../../environment';
import type { RecordedRun } from '../store';
import { type BestCandidate, moveBest } from './best';
import { notifySweep } from './events';
import { sha256 } from './hash';
import { toJson, withoutNul } from './json';
import { outcomeColumns } from './outcome-row';

/** Ends a run: the contract is at `Store.runs.record`. */
export function recordRun(db: PrismaClient, recorded: RecordedRun): Promise<{ recorded: boolean }> {
  const { runId, workerId, outcome } = recorded;
  return db.$transaction(async (tx) => {
    const run = await lockUnended(tx, recorded);
    if (!run) return { recorded: false };
    const result = await tx.result.create({
      data: {
        runId,
        workerId,
        environmentHash: await keepEnvironment(tx, recorded.environment),
        sourceHash: await keepSource(tx, recorded),
        endedAt: recorded.endedAt,
        ...outcomeColumns(outcome),
      },
      select: { id: true },
    });
    await tx.run.update({
      where: { id: runId },
      data: { state: outcome.kind, workerId, endedAt: recorded.endedAt },
    });
    if (outcome.kind === 'measured') {
      await moveBest(tx, { ...run, resultId: result.id, measuredAt: recorded.endedAt }, outcome);
    }
    await notifySweep(tx, run.sweepId);
    return { recorded: true };
  });
}

type LockedRun = Pick<
  BestCandidate,
  'deviceKey' | 'kernel' | 'address' | 'op' | 'dtype' | 'shape' | 'profile'
> & { readonly sweepId: string };

/** The run, locked until the transaction ends; null when this result is not (any more) wanted. */
async function lockUnended(
  tx: Prisma.TransactionClient,
  { runId, endedAt }: RecordedRun,
): Promise<LockedRun | null> {
  const [run] = await tx.$queryRaw<(LockedRun & { retriedFrom: Date | null })[]>`
    SELECT "sweepId", "deviceKey", "kernel", "address", "op"::text, "dtype"::text, "shape",
      "profile"::text, "retriedFrom"
    FROM "Run" WHERE "id" = ${runId} AND "state" IN ('pending', 'running')
    FOR UPDATE`;
  if (!run) return null;
  // A line of a journal replayed after a retry must not end the run a second time.
  return run.retriedFrom?.getTime() === Date.parse(endedAt) ? null : run;
}

/** Writes an environment that is not there yet; its hash. */
export async function keepEnvironment(
  tx: Prisma.TransactionClient,
  environment: Environment,
): Promise<string> {
  // Hashed by Postgres, which holds enrolled workers to it: the hash is that of the content.
  const [row] = await tx.$queryRaw<{ hash: string }[]>`
    WITH given AS (SELECT ${JSON.stringify(toJson(environment))}::jsonb AS "content"),
      hashed AS (
        SELECT encode(sha256(convert_to("content"::text, 'UTF8')), 'hex') AS "hash", "content"
        FROM given),
      kept AS (
        INSERT INTO "Environment" ("hash", "content") SELECT "hash", "content" FROM hashed
        ON CONFLICT DO NOTHING)
    SELECT "hash" FROM hashed`;
  return row?.hash ?? '';
}

async function keepSource(
  tx: Prisma.TransactionClient,
  { wgsl }: RecordedRun,
): Promise<string | null> {
  if (wgsl === null) return null;
  const source = withoutNul(wgsl);
  const hash = sha256(source);
  await tx.kernelSource.createMany({ data: [{ hash, wgsl: source }], skipDuplicates: true });
  return hash;
}
