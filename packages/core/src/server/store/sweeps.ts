import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import type { Sweep } from '../../api';
import type { Store } from '../store';
import { noted } from './audit';
import { notifySweep } from './events';
import { headlinesOf } from './headlines';
import { NOT_IMPORTED } from './import-key';
import { importSweep } from './import-sweep';
import { insertSweep, newRun } from './new-sweep';
import { PAGE_SIZE, pageOf } from './page';
import { RUN_VIEW, runResult } from './run-view';
import { sweepViews } from './sweep-view';

const CREATE_TIMEOUT_MS = 60_000;
/** What an `integer` of Postgres holds. */
const LAST_ORDINAL = 2 ** 31 - 1;

export function sweepsOf(db: PrismaClient): Omit<Store['sweeps'], 'watch'> {
  const get = async (id: string): Promise<Sweep | null> => {
    const row = await db.sweep.findUnique({ where: { id } });
    const [sweep = null] = row ? await sweepViews(db, [row]) : [];
    return sweep;
  };

  return {
    get,

    async create({ runs, createdById = null, idempotencyKey = null, note, ...fields }) {
      const rows = runs.map((run, ordinal) => newRun(run, ordinal));
      const created = await db.$transaction(
        async (tx) => {
          const sweep = await insertSweep(tx, { ...fields, createdById, idempotencyKey }, rows);
          if (sweep) await noted(tx, note, sweep.id);
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

    async import(input) {
      const id = await importSweep(db, input);
      const sweep = await get(id);
      if (!sweep) throw new Error(`Sweep ${id} was deleted while it was imported.`);
      return sweep;
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
      if (cursor !== undefined && !(/^\d+$/.test(cursor) && after <= LAST_ORDINAL)) {
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

    headlines: (id, limit) => headlinesOf(db, id, limit),

    async cancel(id, note) {
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
        await noted(tx, note, id);
      });
      return get(id);
    },

    async retryFailed(id, note) {
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
        if (runs.length > 0) {
          await notifySweep(tx, id);
          await noted(tx, note, id);
        }
        return runs;
      });
    },

    async ofSuite(suite, deviceKey) {
      const rows = await db.sweep.findMany({
        where: {
          suite,
          deviceKeys: { has: deviceKey },
          // A file has asked nothing of the grid: its device still gets the suite.
          ...NOT_IMPORTED,
        },
        orderBy: { id: 'desc' },
        select: { id: true },
      });
      return rows.map((row) => row.id);
    },
  };
}
