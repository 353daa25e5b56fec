import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import { v7 as uuidv7 } from 'uuid';
import type { RunOutcome } from '../../../api/run';
import type { Outcome } from '../../../measure/outcome';
import { environmentRow, outcomeColumns, RESULT_COLUMNS } from '../columns';
import { sha256, withoutNul } from '../database';
import { add } from '../searches/add';
import type { Facts } from './facts';

/** A result that passed the gate, as it is kept. */
export interface Judged {
  readonly record: RunOutcome;
  readonly facts: Facts;
  readonly outcome: Outcome;
}

/** Hashes of the environments and sources that this process knows to be kept: nobody deletes them. */
export type KeptContents = Set<string>;

/** Most hashes that this process knows to be kept, a few hundred bytes each. */
const MOST_KNOWN = 10_000;

/**
 * Ends runs and writes their results. Resolves to the ids of the runs that were ended; the others were
 * by somebody else meanwhile.
 *
 * @param moved called in the same transaction with those that were written, and whether each decides
 */
export async function write(
  db: PrismaClient,
  kept: KeptContents,
  runs: readonly Judged[],
  moved: (
    tx: Prisma.TransactionClient,
    runs: readonly Judged[],
    trusted: ReadonlyMap<string, boolean>,
  ) => Promise<void>,
): Promise<Pick<ReadonlySet<string>, 'has'>> {
  if (runs.length === 0) return new Set();
  let contents = contentsOf(runs, kept);
  try {
    const ended = runs.some(
      ({ outcome, record }) => outcome.kind === 'measured' || record.searchId !== undefined,
    )
      ? await db.$transaction(async (tx) => {
          const added = await add(tx, runs);
          // What is measured for a search ends nothing but the run that it has just added, once.
          const open = runs.filter(
            ({ facts, record }) => record.searchId === undefined || added.delete(facts.id),
          );
          if (open.length < runs.length) contents = contentsOf(open, kept);
          const trusted = await endRuns(tx, open, contents);
          const written = open.filter(({ facts }) => trusted.has(facts.id));
          await moved(tx, written, trusted);
          return trusted;
        })
      : await endRuns(db, runs, contents);
    if (kept.size > MOST_KNOWN) kept.clear();
    for (const { hash } of [...contents.environments, ...contents.sources]) kept.add(hash);
    return ended;
  } catch (error) {
    // The database may be another than it was.
    kept.clear();
    throw error;
  }
}

/** The environments and sources of results that may not be kept yet. */
function contentsOf(runs: readonly Judged[], kept: KeptContents) {
  const environments = runs.map(({ record }) => environmentRow(record.environment));
  const sources = runs.map(({ record: { wgsl } }) => (wgsl === null ? null : sourceRow(wgsl)));
  const fresh = <Row extends { readonly hash: string }>(rows: readonly (Row | null)[]): Row[] => [
    ...new Map(
      rows.flatMap((row) => (row && !kept.has(row.hash) ? [[row.hash, row]] : [])),
    ).values(),
  ];
  return {
    hashes: runs.map((_, at) => ({
      environmentHash: environments[at]?.hash,
      sourceHash: sources[at]?.hash ?? null,
    })),
    environments: fresh(environments),
    sources: fresh(sources),
  };
}

const sourceRow = (wgsl: string) => {
  const stored = withoutNul(wgsl);
  return { hash: sha256(stored), wgsl: stored };
};

/**
 * Ends the runs, and writes their results and what those refer to. Returns those that were (still) to be
 * ended by their ids, and whether their results decide: if two end one run at once, Postgres makes one
 * wait, and its condition is then false. A token keeps its trust until the transaction ends.
 */
async function endRuns(
  tx: Pick<PrismaClient, '$queryRaw'> | Prisma.TransactionClient,
  runs: readonly Judged[],
  { environments, hashes, sources }: ReturnType<typeof contentsOf>,
): Promise<ReadonlyMap<string, boolean>> {
  const runIds = runs.map(({ facts }) => facts.id);
  const tokenIds = runs.flatMap(({ facts: { tokenId } }) => tokenId ?? []);
  const rows = runs.map(({ facts: { tokenId }, outcome, record }, at) => ({
    runId: record.runId,
    workerId: record.workerId,
    beganAt: record.beganAt,
    endedAt: record.endedAt,
    ...hashes[at],
    ...outcomeColumns(outcome),
    state: outcome.kind,
    tokenId,
    id: uuidv7(),
  }));
  // A line of a journal replayed after a retry must not end the run a second time.
  const ended = await tx.$queryRaw<{ runId: string; trusted: boolean }[]>`
    ${PREPARED} WITH asked AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS asked(
        "runId" text, "workerId" text, "beganAt" timestamptz, "endedAt" timestamptz,
        "state" "RunState", "tokenId" text, "environmentHash" text, "sourceHash" text,
        "outcome" jsonb, "medianNs" float8, "lowNs" float8, "highNs" float8, "unranked" text,
        "standing" int,
        "coldSamplesNs" float8[], "hotSamplesNs" float8[], "id" text, "confirmedBy" text,
        "importedBy" text)),
    token AS MATERIALIZED (
      SELECT "id", "trusted" FROM "Token" WHERE "id" = ANY (${tokenIds}::text[])
      ORDER BY "id" FOR SHARE),
    ended AS (
      UPDATE "Run" AS run SET "state" = asked."state", "workerId" = asked."workerId",
        "beganAt" = asked."beganAt", "endedAt" = asked."endedAt"
      FROM asked LEFT JOIN token ON token."id" = asked."tokenId"
      WHERE run."id" = ANY (${runIds}::text[]) AND run."id" = asked."runId"
        AND run."state" IN ('pending', 'running')
        AND run."retriedFrom" IS DISTINCT FROM asked."endedAt"::timestamptz(3)
      RETURNING asked.*, asked."tokenId" IS NULL OR token."trusted" IS TRUE AS "trusted"),
    kept_environments AS (
      INSERT INTO "Environment" ("hash", "content")
      SELECT "hash", "content"
      FROM json_to_recordset(${JSON.stringify(environments)}::json) AS e("hash" text, "content" jsonb)
      WHERE "hash" IN (SELECT "environmentHash" FROM ended)
      ORDER BY "hash" ON CONFLICT DO NOTHING),
    kept_sources AS (
      INSERT INTO "KernelSource" ("hash", "wgsl")
      SELECT "hash", "wgsl"
      FROM json_to_recordset(${JSON.stringify(sources)}::json) AS s("hash" text, "wgsl" text)
      WHERE "hash" IN (SELECT "sourceHash" FROM ended)
      ORDER BY "hash" ON CONFLICT DO NOTHING),
    result AS (
      INSERT INTO "Result" (${RESULT_COLUMNS}) SELECT ${RESULT_COLUMNS} FROM ended)
    SELECT "runId", "trusted" FROM ended`;
  return new Map(ended.map(({ runId, trusted }) => [runId, trusted]));
}
