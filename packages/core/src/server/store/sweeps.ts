import { randomUUID } from 'node:crypto';
import type { Prisma, PrismaClient } from '@tilemark/db';
import { InputError, shapeText } from '@tilemark/kernels';
import type { Sweep } from '../../api';
import type { PlannedRun } from '../../expand';
import type { Store } from '../store';
import { notifySweep } from './events';
import { toJson } from './json';
import { PAGE_SIZE, pageOf } from './page';
import { RUN_VIEW, runResult } from './run-view';
import { sweepViews } from './sweep-view';

/** Runs of one INSERT: some MB of JSON. */
const CHUNK = 5_000;
const CREATE_TIMEOUT_MS = 60_000;

export function sweepsOf(db: PrismaClient): Omit<Store['sweeps'], 'watch'> {
  const get = async (id: string): Promise<Sweep | null> => {
    const row = await db.sweep.findUnique({ where: { id } });
    const [sweep = null] = row ? await sweepViews(db, [row]) : [];
    return sweep;
  };

  return {
    get,

    async create({ runs, spec, idempotencyKey = null, ...fields }) {
      const rows = runs.map(newRun);
      const created = await db.$transaction(
        async (tx) => {
          const [sweep] = await tx.sweep.createManyAndReturn({
            data: {
              ...fields,
              spec: toJson(spec),
              deviceKeys: [...new Set(runs.map((run) => run.deviceKey))],
              idempotencyKey,
            },
            // Taken keys only: ids never meet.
            skipDuplicates: true,
          });
          if (!sweep) return null;
          for (let start = 0; start < rows.length; start += CHUNK) {
            await insertRuns(tx, sweep.id, rows.slice(start, start + CHUNK));
          }
          return sweep;
        },
        { timeout: CREATE_TIMEOUT_MS, maxWait: CREATE_TIMEOUT_MS },
      );
      const row = created ?? (await db.sweep.findFirstOrThrow({ where: { idempotencyKey } }));
      const [sweep] = await sweepViews(db, [row]);
      if (!sweep) throw new Error(`Sweep ${row.id} was deleted while it was made.`);
      return {
        sweep,
        runs: created ? rows.map(({ id, deviceKey }) => ({ id, deviceKey })) : [],
      };
    },

    async list(cursor) {
      const rows = await db.sweep.findMany({
        where: cursor ? { id: { lt: cursor } } : {},
        orderBy: { id: 'desc' },
        take: PAGE_SIZE + 1,
      });
      const { items, nextCursor } = pageOf(
        rows,
        (row) => row.id,
        (shown) => [...shown],
      );
      return { items: await sweepViews(db, items), nextCursor };
    },

    async results(id, cursor) {
      const after = cursor === undefined ? -1 : Number(cursor);
      if (!Number.isInteger(after)) {
        throw new InputError(`'${cursor}' is not a cursor of this list.`, 'cursor');
      }
      const rows = await db.run.findMany({
        where: { sweepId: id, ordinal: { gt: after } },
        orderBy: { ordinal: 'asc' },
        take: PAGE_SIZE + 1,
        include: RUN_VIEW,
      });
      return pageOf(
        rows,
        (row) => String(row.ordinal),
        (shown) => shown.map(runResult),
      );
    },

    async cancel(id) {
      await db.$transaction(async (tx) => {
        const { count } = await tx.sweep.updateMany({
          where: {
            id,
            cancelledAt: null,
            runs: { some: { state: { in: ['pending', 'running'] } } },
          },
          data: { cancelledAt: new Date() },
        });
        if (count === 0) return;
        await tx.run.deleteMany({ where: { sweepId: id, state: 'pending' } });
        await notifySweep(tx, id);
      });
      return get(id);
    },

    async retryFailed(id) {
      return db.$transaction(async (tx) => {
        const sweep = await tx.sweep.findUnique({ where: { id } });
        if (!sweep) return null;
        if (sweep.cancelledAt) {
          throw new InputError('The sweep was cancelled: submit it again instead.', 'id');
        }
        const runs = await tx.$queryRaw<{ id: string; deviceKey: string }[]>`
          UPDATE "Run"
          SET "state" = 'pending', "workerId" = NULL, "attempts" = 0,
              "retriedFrom" = "endedAt", "endedAt" = NULL
          WHERE "sweepId" = ${id} AND "state" = 'failed'
          RETURNING "id", "deviceKey"`;
        await tx.result.deleteMany({ where: { runId: { in: runs.map((run) => run.id) } } });
        if (runs.length > 0) await notifySweep(tx, id);
        return runs;
      });
    },

    async ofSuite(suite, deviceKey) {
      const rows = await db.sweep.findMany({
        where: { suite, deviceKeys: { has: deviceKey } },
        orderBy: { id: 'desc' },
        select: { id: true },
      });
      return rows.map((row) => row.id);
    },
  };
}

const newRun = (run: PlannedRun, ordinal: number) => ({
  id: randomUUID(),
  ordinal,
  deviceKey: run.deviceKey,
  kernel: run.variant.kernel,
  tunables: run.variant.tunables,
  address: run.address,
  op: run.problem.op,
  shape: shapeText(run.problem),
  dtype: run.problem.dtype,
  profile: run.profile,
  policy: run.policy,
});

/**
 * Writes runs as one JSON parameter. `createMany` takes 11 parameters a run, and
 * 9 s for the 20,000 runs that this writes in one (2026-11-21, two cores).
 */
async function insertRuns(
  tx: Prisma.TransactionClient,
  sweepId: string,
  runs: readonly ReturnType<typeof newRun>[],
): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO "Run" ("sweepId", "id", "ordinal", "deviceKey", "kernel", "tunables", "address",
      "op", "shape", "dtype", "profile", "policy")
    SELECT ${sweepId}, r.*
    FROM jsonb_to_recordset(${JSON.stringify(runs)}::jsonb) AS r (
      "id" text, "ordinal" int, "deviceKey" text, "kernel" text, "tunables" jsonb, "address" text,
      "op" "Op", "shape" text, "dtype" "Dtype", "profile" "Profile", "policy" text)`;
}
