import { PREPARED, type PrismaClient } from '@tilemark/db';
import type { WantedState, Worker } from '../../../api/api';
import type { WorkingState } from '../../../link/wire';
import { withoutWaitingForDisk } from '../database';
import { listWorkers } from './list';

/**
 * Beats of many workers. Without one for `LOST_AFTER_MS` a worker is shown as `lost` and its run may be
 * taken over. Resolves to what an admin wants of each worker.
 */
export async function heartbeat(
  db: PrismaClient,
  beats: readonly { readonly workerId: string; readonly state: WorkingState }[],
): Promise<WantedState[]> {
  const ids = beats.map(({ workerId }) => workerId);
  const states = beats.map(({ state }) => state);
  const rows = await db.$queryRaw<{ id: string; wanted: WantedState }[]>`
    ${PREPARED} WITH locked AS (
      SELECT w."id", asked."state"
      FROM unnest(${ids}::text[], ${states}::text[]) AS asked("id", "state")
      JOIN "Worker" AS w ON w."id" = asked."id" WHERE w."id" = ANY (${ids}::text[])
      ORDER BY w."id" FOR NO KEY UPDATE OF w),
    beat AS (
      UPDATE "Worker" AS w
      SET "lastHeartbeatAt" = now(), "state" = locked."state"::"WorkerState"
      FROM locked WHERE w."id" = locked."id"
      RETURNING w."id", w."deviceKey", w."wanted"::text),
    seen AS (
      UPDATE "Device" SET "lastSeenAt" = now()
      WHERE "key" IN (SELECT "deviceKey" FROM beat))
    SELECT "id", "wanted", ${withoutWaitingForDisk} FROM beat`;
  const wanted = new Map(rows.map((row) => [row.id, row.wanted]));
  return ids.map((id) => wanted.get(id) ?? 'working');
}

/** Tells a worker what to do from its next heartbeat on; null if it is not attached. */
export async function wantOfWorker(
  db: PrismaClient,
  workerId: string,
  wanted: WantedState,
): Promise<Worker | null> {
  await db.worker.updateMany({ where: { id: workerId, detachedAt: null }, data: { wanted } });
  const [worker = null] = await listWorkers(db, workerId);
  return worker;
}
