import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import { v7 as uuidv7 } from 'uuid';
import type { RecordedRun } from '../store';
import { type BestCandidate, moveBest } from './best';
import { environmentRow } from './environments';
import { notifySweep } from './events';
import { sha256 } from './hash';
import { withoutNul } from './json';
import { outcomeColumns } from './outcome-row';

/**
 * Ends a run: the contract is at `Store.runs.record`. Two statements in one transaction, because
 * a grid ends hundreds of runs a second and each statement costs a round trip.
 */
export async function recordRun(
  db: PrismaClient,
  recorded: RecordedRun,
): Promise<{ recorded: boolean }> {
  const { outcome } = recorded;
  const run = await db.$transaction(async (tx) => {
    const ended = await endRun(tx, recorded);
    if (ended && outcome.kind === 'measured') {
      await moveBest(tx, { ...ended, measuredAt: recorded.endedAt }, outcome);
    }
    return ended;
  });
  // After the transaction: Postgres lets transactions that notify commit one at a time, each with
  // its own wait for the disk.
  if (run) await notifySweep(db, run.sweepId);
  return { recorded: run !== null };
}

type EndedRun = Omit<BestCandidate, 'measuredAt'> & { readonly sweepId: string };

/**
 * Ends the run, writes its result and what the result names; null when the result is not (any
 * more) wanted. Of two that end one run at once, Postgres lets one wait for the other and then
 * finds the condition false.
 */
async function endRun(
  tx: Prisma.TransactionClient,
  { runId, workerId, environment, wgsl, outcome, endedAt }: RecordedRun,
): Promise<EndedRun | null> {
  const columns = outcomeColumns(outcome);
  const source = wgsl === null ? null : withoutNul(wgsl);
  const sourceHash = source === null ? null : sha256(source);
  // A line of a journal replayed after a retry must not end the run a second time.
  const [run] = await tx.$queryRaw<EndedRun[]>`
    ${PREPARED} WITH ended AS (
      UPDATE "Run"
      SET "state" = ${outcome.kind}::"RunState", "workerId" = ${workerId},
        "endedAt" = ${endedAt}::timestamptz
      WHERE "id" = ${runId} AND "state" IN ('pending', 'running')
        AND "retriedFrom" IS DISTINCT FROM ${endedAt}::timestamptz(3)
      RETURNING "sweepId", "deviceKey", "kernel", "address", "op"::text, "dtype"::text, "shape",
        "profile"::text),
    environment AS (
      SELECT row."hash", row."content" FROM (${environmentRow(environment)}) AS row, ended),
    kept_environment AS (
      INSERT INTO "Environment" ("hash", "content") SELECT "hash", "content" FROM environment
      ON CONFLICT DO NOTHING),
    kept_source AS (
      INSERT INTO "KernelSource" ("hash", "wgsl")
      SELECT ${sourceHash}, ${source} FROM ended WHERE ${sourceHash}::text IS NOT NULL
      ON CONFLICT DO NOTHING),
    result AS (
      INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "sourceHash", "outcome",
        "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked", "endedAt")
      SELECT ${uuidv7()}, ${runId}, ${workerId}, environment."hash", ${sourceHash},
        ${JSON.stringify(columns.outcome)}::jsonb, ${columns.medianNs ?? null},
        ${columns.lowNs ?? null}, ${columns.highNs ?? null}, ${columns.coldSamplesNs}::float8[],
        ${columns.hotSamplesNs}::float8[], ${columns.unranked ?? null}, ${endedAt}::timestamptz
      FROM environment
      RETURNING "id" AS "resultId")
    SELECT ended.*, result."resultId" FROM ended, result`;
  return run ?? null;
}
