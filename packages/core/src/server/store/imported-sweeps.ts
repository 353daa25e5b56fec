import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import { group, rollup } from 'd3-array';
import { v7 as uuidv7 } from 'uuid';
import { deviceKey, type Environment } from '../../measure/device';
import type { Outcome } from '../../measure/outcome';
import type { PlannedRun } from '../../plan/expansion';
import type { SweepSpec } from '../../plan/spec';
import { BY_OPERATOR } from '../../view/result';
import { isDistinctive } from '../gate/facts';
import { OPERATOR } from '../gate/parties';
import { type AdmittedRun, settle } from '../gate/settle';
import { type AuditNote, noted } from './audit';
import { environmentRow, outcomeColumns, RESULT_COLUMNS } from './columns';
import { batches, toJson } from './database';
import { insertRuns, insertSweep, type NewRun, newRun } from './new-sweeps';

/** A sweep whose results came in a file. */
export interface SweepImport {
  readonly name: string;
  /** Set if the results are exactly those of one suite, as if it had been run here. */
  readonly suite: string | null;
  readonly spec: SweepSpec;
  readonly importedBy: string;
  /** Whose word it is; null: unknown. */
  readonly party: string | null;
  readonly createdById?: string | null;
  /** SHA-256 of the file. */
  readonly contentHash: string;
  readonly results: readonly ImportedRun[];
  readonly note?: AuditNote | undefined;
}

/** A result from a file, with the run to list it under. */
export interface ImportedRun {
  readonly run: PlannedRun;
  readonly environment: Environment;
  readonly outcome: Outcome;
  readonly endedAt: string;
}

/** Results per INSERT: their samples are a few MB. */
const RESULTS_PER_INSERT = 500;
/** The largest file contains 100,000 results without samples, which take a minute or two. */
const TIMEOUT_MS = 600_000;

/** A result of a file as it is kept, under the ids it gets. */
interface KeptRun extends AdmittedRun, Pick<ImportedRun, 'environment' | 'endedAt'> {
  readonly run: NewRun;
}

/** Writes results that came in a file: the contract is at `Sweeps.import`. */
export async function importSweep(
  db: PrismaClient,
  { results, contentHash, note, importedBy, party, createdById = null, ...fields }: SweepImport,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const idempotencyKey = `${PREFIX}${contentHash}`;
  const known = await sweepWith(db, results);
  if (known !== null) return { id: known, isNew: false };
  const id = await db.$transaction(
    async (tx) => {
      const sweep = await insertSweep(
        tx,
        { ...fields, idempotencyKey, createdBy: importedBy, createdById },
        results.map(({ run }) => run.deviceKey),
      );
      if (!sweep) return null;
      const workers = await keepWorkers(tx, results, importedBy);
      const kept = results.map(({ endedAt, environment, outcome, run }, ordinal): KeptRun => {
        const workerId = workers.get(run.deviceKey) ?? '';
        return {
          environment,
          outcome,
          endedAt,
          party,
          run: newRun(run, ordinal, { state: outcome.kind, workerId, endedAt }),
          resultId: uuidv7(),
          isShared: true,
          hasRoof: false,
          statedRoof: roofStated(outcome, party),
        };
      });
      await insertRuns(
        tx,
        sweep.id,
        kept.map(({ run }) => run),
      );
      await insertResults(tx, kept, importedBy);
      await refuseTwins(tx, kept);
      await settle(tx, kept);
      await noted(tx, note, sweep.id);
      return sweep.id;
    },
    { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
  );
  if (id !== null) return { id, isNew: true };
  const first = await db.sweep.findFirstOrThrow({ where: { idempotencyKey } });
  return { id: first.id, isNew: false };
}

/**
 * The first sweep that has all of these results: by what was run on which device, when it ended and
 * how, as the ids and the remarks in a file are those of whichever grid wrote it. Null: none has.
 */
async function sweepWith(
  db: PrismaClient,
  results: readonly ImportedRun[],
): Promise<string | null> {
  const brought = results.map(({ endedAt, outcome, run }, ordinal) => ({
    ...newRun(run, ordinal, { state: outcome.kind, workerId: '', endedAt }),
    medianNs: outcome.kind === 'measured' ? outcome.measurement.cold.medianNs : null,
  }));
  type Row = (typeof brought)[number];
  const keyOf = (row: Omit<Row, 'id' | 'endedAt'> & { endedAt: Date | string | null }): string =>
    [
      row.deviceKey,
      row.address,
      row.op,
      row.shape,
      row.dtype,
      row.profile,
      row.policy,
      row.state,
      row.endedAt && new Date(row.endedAt).toISOString(),
      row.medianNs,
    ].join(' ');
  const distinct = (column: 'deviceKey' | 'address' | 'endedAt') => [
    ...new Set(brought.map((row) => row[column])),
  ];
  // Not joined to what was brought: a file may have one result thousands of times, and a grid, too.
  const kept = await db.$queryRaw<(Row & { sweepId: string })[]>`
    SELECT run.*, result."medianNs" FROM "Run" AS run
    JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."deviceKey" = ANY(${distinct('deviceKey')})
      AND run."address" = ANY(${distinct('address')})
      AND run."endedAt" = ANY(${distinct('endedAt')}::timestamptz[])`;
  const times = (rows: readonly Row[]) => rollup(rows, (alike) => alike.length, keyOf);
  const wanted = times(brought);
  const sweeps = [...group(kept, (row) => row.sweepId)].filter(([, rows]) => {
    const found = times(rows);
    return [...wanted].every(([key, count]) => (found.get(key) ?? 0) >= count);
  });
  return sweeps.map(([id]) => id).sort()[0] ?? null;
}

/**
 * Throws InputError at a result with the samples of another, which is not the same result again. Alike
 * ones are grouped, never paired: a file may have one median thousands of times.
 */
export async function refuseTwins(
  tx: Prisma.TransactionClient,
  kept: readonly Pick<AdmittedRun, 'resultId' | 'outcome'>[],
): Promise<void> {
  const distinctive = kept.filter(
    ({ outcome }) =>
      outcome.kind === 'measured' && isDistinctive(outcome.measurement.cold.samplesNs),
  );
  const [twin] = await tx.$queryRaw<{ id: string; twin: string }[]>`
    WITH mine AS MATERIALIZED (
      SELECT "id", "medianNs" FROM "Result"
      WHERE "id" = ANY(${distinctive.map(({ resultId }) => resultId)})),
    alike AS (
      SELECT other."id", other."medianNs", other."coldSamplesNs",
        CASE WHEN other."id" IN (SELECT "id" FROM mine) THEN run."ordinal" END AS "place",
        (other."importedBy", run."deviceKey", run."address", run."op", run."dtype", run."shape",
          run."regime", run."epilogue", run."profile")::text AS "work"
      FROM "Result" AS other JOIN "Run" AS run ON run."id" = other."runId"
      WHERE other."medianNs" IN (SELECT "medianNs" FROM mine)),
    found AS (
      SELECT min("place") AS "place", (array_agg("id" ORDER BY "place"))[1] AS "id",
        (array_agg("work" ORDER BY "place"))[1] AS "work", min("work") AS "least",
        (array_agg("id" ORDER BY "work"))[1] AS "first",
        (array_agg("id" ORDER BY "work" DESC))[1] AS "last"
      FROM alike GROUP BY "medianNs", "coldSamplesNs"
      HAVING min("place") IS NOT NULL AND min("work") <> max("work"))
    SELECT "id", CASE "work" WHEN "least" THEN "last" ELSE "first" END AS "twin"
    FROM found ORDER BY "place" LIMIT 1`;
  if (!twin) return;
  const place = (id: string) => kept.findIndex(({ resultId }) => resultId === id);
  const inFile = place(twin.twin);
  throw new InputError(
    `Its samples are those of ${inFile < 0 ? `result ${twin.twin}` : `results[${inFile}]`}.`,
    `results[${place(twin.id)}].outcome.measurement.cold.samplesNs`,
  );
}

/** A file's roofs count where the operator brings it. */
const roofStated = (outcome: Outcome, party: string | null) =>
  outcome.kind === 'measured' && party === OPERATOR ? outcome.measurement.roof : null;

/**
 * One worker per device, created detached, for the results to name. A known device keeps what its
 * own workers reported.
 */
async function keepWorkers(
  tx: Prisma.TransactionClient,
  results: readonly ImportedRun[],
  importedBy: string,
): Promise<ReadonlyMap<string, string>> {
  const environments = new Map<string, Environment>(
    results.map(({ run, environment }) => [run.deviceKey, environment]),
  );
  const workers = new Map<string, string>();
  for (const [key, environment] of environments) {
    const { device, ...rest } = environment.device;
    await tx.device.createMany({
      data: [{ key, ...rest, name: device, capabilities: toJson(environment.capabilities) }],
      skipDuplicates: true,
    });
    const { id } = await tx.worker.create({
      data: {
        name: `import by ${importedBy}`,
        host: environment.os,
        version: environment.tilemarkVersion,
        deviceKey: deviceKey(environment.device),
        detachedAt: new Date(),
      },
      select: { id: true },
    });
    workers.set(key, id);
  }
  return workers;
}

async function insertResults(
  tx: Prisma.TransactionClient,
  kept: readonly KeptRun[],
  importedBy: string,
): Promise<void> {
  const environments = new Map(
    [...new Set(kept.map(({ environment }) => environment))].map((content) => [
      content,
      environmentRow(content),
    ]),
  );
  await tx.environment.createMany({ data: [...environments.values()], skipDuplicates: true });
  const data = kept.map(({ resultId, run, environment, outcome, party, endedAt }) => ({
    id: resultId,
    runId: run.id,
    workerId: run.workerId,
    importedBy,
    party,
    endedAt,
    environmentHash: environments.get(environment)?.hash,
    confirmedBy: party === OPERATOR ? BY_OPERATOR : null,
    ...outcomeColumns(outcome),
  }));
  for (const some of batches(data, RESULTS_PER_INSERT)) {
    // As JSON: `createMany` writes a double with 15 digits, and it may need 17.
    await tx.$executeRaw`
      INSERT INTO "Result" (${RESULT_COLUMNS}) SELECT ${RESULT_COLUMNS}
      FROM jsonb_populate_recordset(NULL::"Result", ${JSON.stringify(some)}::jsonb)`;
  }
}

/** Of the idempotency key of a sweep that keeps a file: no other starts like this. Requests' keys start with a token's id, back-fills' with a suite. */
const PREFIX = 'import ';

/** Whether a sweep keeps a file; none of it was run here. */
export const isImported = ({ idempotencyKey }: { readonly idempotencyKey: string | null }) =>
  idempotencyKey?.startsWith(PREFIX) ?? false;

/** Sweeps that were asked of the grid. */
export const NOT_IMPORTED = {
  OR: [{ idempotencyKey: null }, { NOT: { idempotencyKey: { startsWith: PREFIX } } }],
} satisfies Prisma.SweepWhereInput;
