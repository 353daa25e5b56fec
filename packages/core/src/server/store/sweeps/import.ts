import type { Prisma, PrismaClient } from '@tilemark/db';
import { v7 as uuidv7 } from 'uuid';
import type { RunRow, RunSpec } from '../../../api/run';
import type { SweepImported } from '../../../api/sweep';
import type { Environment } from '../../../measure/device';
import { deviceKey } from '../../../measure/hardware';
import type { Outcome } from '../../../measure/outcome';
import type { SweepSpec } from '../../../plan/spec';
import { moveBests } from '../boards/move';
import { environmentRow, outcomeColumns, RESULT_COLUMNS } from '../columns';
import { batches, toJson } from '../database';
import { checkNamedDevices, deviceColumns } from '../devices/describe';
import { keepStated } from '../roofs/keep-stated';
import { isTrustedToken } from '../trust';
import { insertRuns, insertSweep, newRun } from './insert';
import { getSweep } from './views';

/** A sweep whose results came in a file. */
export interface SweepImport {
  readonly name: string;
  /** `suite@version`, as the file says; null: runs chosen by hand. */
  readonly suite: string | null;
  readonly spec: SweepSpec;
  readonly importedBy: string;
  /** The token that brought it; null: the grid's own account. */
  readonly tokenId: string | null;
  /** SHA-256 of what the file contains. */
  readonly contentHash: string;
  readonly results: readonly ImportedResult[];
}

/** A result from a file, with the run to list it under. */
export interface ImportedResult {
  readonly run: RunSpec;
  readonly environment: Environment;
  readonly outcome: Outcome;
  readonly endedAt: string;
}

/** Results per INSERT: their samples are a few MB. */
const RESULTS_PER_INSERT = 500;
/** The largest file contains 100,000 results without samples, which take a minute or two. */
const TIMEOUT_MS = 600_000;

/** A result of a file as it is kept, under the ids it gets. */
interface KeptResult extends Omit<ImportedResult, 'run'> {
  readonly run: RunRow;
}

/**
 * One transaction: a sweep of runs that ended elsewhere, with their results, marked as brought
 * by `importedBy`, and any new devices. The same file again returns the sweep that it made.
 */
export async function importSweep(db: PrismaClient, input: SweepImport): Promise<SweepImported> {
  const { id, isNew } = await written(db, input);
  const sweep = await getSweep(db, id);
  if (!sweep) throw new Error(`Sweep ${id} was deleted while it was imported.`);
  return { id, counts: sweep.counts, isNew };
}

async function written(
  db: PrismaClient,
  { results, contentHash, importedBy, tokenId, ...fields }: SweepImport,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  const trusted = await isTrustedToken(db, tokenId);
  // Who is not trusted may bring a file first, which then decides nothing.
  const idempotencyKey = `import ${trusted ? '' : 'untrusted '}${contentHash}`;
  const id = await db.$transaction(
    async (tx) => {
      const sweep = await insertSweep(
        tx,
        { ...fields, idempotencyKey, createdBy: importedBy, createdById: tokenId, imported: true },
        results.map(({ run }) => run.deviceKey),
      );
      if (!sweep) return null;
      const workers = await keepWorkers(tx, results, importedBy);
      const kept = results.map(({ endedAt, environment, outcome, run }, ordinal): KeptResult => {
        const workerId = workers.get(run.deviceKey) ?? '';
        return {
          environment,
          outcome,
          endedAt,
          run: newRun(run, ordinal, { state: outcome.kind, workerId, endedAt }),
        };
      });
      await insertRuns(
        tx,
        sweep.id,
        kept.map(({ run }) => run),
      );
      if (!trusted && tokenId !== null) await checkNamedDevices(tx, tokenId);
      const decides = await isTrustedToken(tx, tokenId);
      const ids = await insertResults(tx, kept, { importedBy, tokenId, trusted: decides });
      if (decides) await moveBests(tx, ids);
      await keepStated(
        tx,
        results.flatMap(({ outcome, run }, at) =>
          outcome.kind === 'measured'
            ? [{ ...run, runId: kept[at]?.run.id ?? '', measurement: outcome.measurement }]
            : [],
        ),
      );
      return sweep.id;
    },
    { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
  );
  if (id !== null) return { id, isNew: true };
  const first = await db.sweep.findFirstOrThrow({ where: { idempotencyKey } });
  return { id: first.id, isNew: false };
}

/**
 * One worker per device, created detached, for the results to name. A known device keeps what its
 * own workers reported.
 */
async function keepWorkers(
  tx: Prisma.TransactionClient,
  results: readonly ImportedResult[],
  importedBy: string,
): Promise<ReadonlyMap<string, string>> {
  const environments = new Map<string, Environment>(
    results.map(({ run, environment }) => [run.deviceKey, environment]),
  );
  const workers = new Map<string, string>();
  for (const [key, environment] of environments) {
    const capabilities = toJson(environment.capabilities);
    await tx.device.createMany({
      data: [{ key, ...deviceColumns(environment.device), capabilities }],
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
  kept: readonly KeptResult[],
  whose: {
    readonly importedBy: string;
    readonly tokenId: string | null;
    readonly trusted: boolean;
  },
): Promise<string[]> {
  const environments = new Map(
    [...new Set(kept.map(({ environment }) => environment))].map((content) => [
      content,
      environmentRow(content),
    ]),
  );
  await tx.environment.createMany({ data: [...environments.values()], skipDuplicates: true });
  const data = kept.map(({ run, environment, outcome, endedAt }) => ({
    ...whose,
    id: uuidv7(),
    runId: run.id,
    workerId: run.workerId,
    endedAt,
    environmentHash: environments.get(environment)?.hash,
    ...outcomeColumns(outcome),
  }));
  for (const some of batches(data, RESULTS_PER_INSERT)) {
    // As JSON: `createMany` writes a double with 15 digits, and it may need 17.
    await tx.$executeRaw`
      INSERT INTO "Result" (${RESULT_COLUMNS}) SELECT ${RESULT_COLUMNS}
      FROM jsonb_populate_recordset(NULL::"Result", ${JSON.stringify(some)}::jsonb)`;
  }
  return data.map(({ id }) => id);
}
