import type { Prisma, PrismaClient } from '@tilemark/db';
import { shapeText } from '@tilemark/kernels';
import { v7 as uuidv7 } from 'uuid';
import { deviceKey } from '../../device';
import type { Environment } from '../../environment';
import type { ImportedRun, Store } from '../store';
import { noted } from './audit';
import { moveBest } from './best';
import { keepEnvironment } from './environments';
import { importKey } from './import-key';
import { toJson } from './json';
import { insertSweep, newRun } from './new-sweep';
import { outcomeColumns } from './outcome-row';

/** Results of one INSERT: their samples are some MB. */
const CHUNK = 500;
/** A file of the largest size holds 100,000 results without samples, which take a minute or two. */
const TIMEOUT_MS = 600_000;

/** Writes results that came in a file: the contract is at `Store.sweeps.import`. */
export async function importSweep(
  db: PrismaClient,
  {
    name,
    suite,
    spec,
    importedBy,
    createdById,
    contentHash,
    results,
    note,
  }: Parameters<Store['sweeps']['import']>[0],
): Promise<string> {
  const idempotencyKey = importKey(contentHash);
  const id = await db
    .$transaction(
      async (tx) => {
        const workers = await keepWorkers(tx, results, importedBy);
        const rows = results.map(({ run, outcome, endedAt }, ordinal) =>
          newRun(run, ordinal, {
            state: outcome.kind,
            workerId: workers.get(run.deviceKey) ?? '',
            endedAt,
          }),
        );
        const author = { createdBy: importedBy, createdById: createdById ?? null };
        const row = { name, suite, spec, idempotencyKey, ...author };
        const sweep = await insertSweep(tx, row, rows);
        // Nothing of this transaction is to stay: the workers of the first import are.
        if (!sweep) throw new AlreadyImported();
        const ids = await insertResults(
          tx,
          rows.map((each) => each.id),
          { results, workers, importedBy },
        );
        for (const [index, { run, outcome, endedAt }] of results.entries()) {
          if (outcome.kind !== 'measured') continue;
          const { address, problem, profile, variant } = run;
          const candidate = {
            resultId: ids[index] ?? '',
            kernel: variant.kernel,
            address,
            deviceKey: run.deviceKey,
            op: problem.op,
            dtype: problem.dtype,
            shape: shapeText(problem),
            profile,
            measuredAt: endedAt,
          };
          await moveBest(tx, candidate, outcome);
        }
        await noted(tx, note, sweep.id);
        return sweep.id;
      },
      { timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
    )
    .catch((error: unknown) => {
      if (error instanceof AlreadyImported) return null;
      throw error;
    });
  if (id !== null) return id;
  const earlier = await db.sweep.findFirstOrThrow({ where: { idempotencyKey } });
  return earlier.id;
}

/** Ends the transaction: the same file was imported before. */
class AlreadyImported extends Error {
  override readonly name = 'AlreadyImported';
}

/**
 * A worker a device, detached as it is made, for the results to name. A device that
 * is known keeps what its own workers said of it.
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

/** Ids of the results, in the order of the runs. */
async function insertResults(
  tx: Prisma.TransactionClient,
  runIds: readonly string[],
  {
    results,
    workers,
    importedBy,
  }: {
    readonly results: readonly ImportedRun[];
    readonly workers: ReadonlyMap<string, string>;
    readonly importedBy: string;
  },
): Promise<string[]> {
  const hashes = new Map<Environment, string>();
  for (const { environment } of results) {
    if (!hashes.has(environment)) hashes.set(environment, await keepEnvironment(tx, environment));
  }
  const data = results.map(({ run, environment, outcome, endedAt }, index) => ({
    id: uuidv7(),
    runId: runIds[index] ?? '',
    workerId: workers.get(run.deviceKey) ?? '',
    environmentHash: hashes.get(environment) ?? '',
    importedBy,
    endedAt,
    ...outcomeColumns(outcome),
  }));
  for (let start = 0; start < data.length; start += CHUNK) {
    // As JSON: `createMany` writes a double with 15 digits, and it may have 17.
    await tx.$executeRaw`
      INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "importedBy", "endedAt",
        "outcome", "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked")
      SELECT "id", "runId", "workerId", "environmentHash", "importedBy", "endedAt",
        "outcome", "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked"
      FROM jsonb_populate_recordset(NULL::"Result",
        ${JSON.stringify(data.slice(start, start + CHUNK))}::jsonb)`;
  }
  return data.map(({ id }) => id);
}
