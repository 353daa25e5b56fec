import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import type { WantedState } from '../../api';
import { deviceKey } from '../../device';
import type { Store } from '../store';
import { noted } from './audit';
import { withoutWaitingForDisk } from './durability';
import { listQueues, listWorkers } from './fleet';
import { toJson } from './json';
import { isLost } from './lost';

export function workersOf(db: PrismaClient): Store['workers'] {
  return {
    attach({ name, host, version, identity, capabilities, instance, tokenId = null }) {
      const key = deviceKey(identity);
      const { device, ...rest } = identity;
      return db.$transaction(async (tx) => {
        const fields = { ...rest, name: device, capabilities: toJson(capabilities) };
        // An insert that gives way says, of several workers, to exactly one: it is new.
        const { count } = await tx.device.createMany({
          data: [{ key, ...fields }],
          skipDuplicates: true,
        });
        if (count === 0) await tx.device.update({ where: { key }, data: fields });
        // A lost worker of the same name and token is this one, back again: off the list.
        await tx.$executeRaw`
          UPDATE "Worker" AS w SET "detachedAt" = now()
          WHERE w."deviceKey" = ${key} AND w."name" = ${name} AND w."host" = ${host}
            AND w."tokenId" IS NOT DISTINCT FROM ${tokenId}::text
            AND w."detachedAt" IS NULL AND ${isLost('w')}`;
        const worker = await attachedAs(tx, { name, host, version, deviceKey: key }, instance);
        return { ...worker, deviceKey: key, newDevice: count === 1 };
      });
    },

    async heartbeat(workerId, state) {
      const [row] = await db.$queryRaw<{ wanted: WantedState }[]>`
        ${PREPARED} WITH beat AS (
          UPDATE "Worker" SET "lastHeartbeatAt" = now(), "state" = ${state}::"WorkerState"
          WHERE "id" = ${workerId} RETURNING "deviceKey", "wanted"::text),
        seen AS (
          UPDATE "Device" SET "lastSeenAt" = now() FROM beat WHERE "key" = beat."deviceKey")
        SELECT "wanted", ${withoutWaitingForDisk} FROM beat`;
      return row?.wanted ?? 'working';
    },

    async detach(workerId) {
      await db.$executeRaw`
        UPDATE "Worker" SET "detachedAt" = now() WHERE "id" = ${workerId} AND "detachedAt" IS NULL`;
    },

    list: () => listWorkers(db),
    queues: () => listQueues(db),

    async want(workerId, wanted, note) {
      await db.$transaction(async (tx) => {
        const { count } = await tx.worker.updateMany({
          where: { id: workerId, detachedAt: null, wanted: { not: wanted } },
          data: { wanted },
        });
        if (count === 1) await noted(tx, note, workerId);
      });
      const [worker = null] = await listWorkers(db, workerId);
      return worker;
    },

    async revoke(workerId, note) {
      return db.$transaction(async (tx) => {
        // Of two that revoke it at once, one waits here and then finds it detached.
        const [worker] = await tx.$queryRaw<{ isEnrolled: boolean; isLost: boolean }[]>`
          SELECT EXISTS (SELECT FROM "Enrolment" AS e WHERE e."workerId" = w."id") AS "isEnrolled",
            ${isLost('w')} AS "isLost"
          FROM "Worker" AS w WHERE w."id" = ${workerId} AND w."detachedAt" IS NULL
          FOR NO KEY UPDATE OF w`;
        if (!worker) return null;
        if (!worker.isEnrolled && !worker.isLost) return 'not enrolled';
        await tx.$executeRaw`
          WITH revoked AS (
            UPDATE "Worker" SET "detachedAt" = now(), "revokedAt" = now() WHERE "id" = ${workerId}
            RETURNING "tokenId")
          UPDATE "Token" SET "closedAt" = now() FROM revoked WHERE "id" = revoked."tokenId"`;
        await noted(tx, note, workerId);
        return 'revoked';
      });
    },

    async isBarred(instance, tokenId) {
      const rows = await db.$queryRaw<object[]>`
        SELECT 1 FROM "Token" AS t LEFT JOIN "Worker" AS w ON w."instance" = ${instance}
        WHERE t."id" = ${tokenId} AND ${BARRED}`;
      return rows.length > 0;
    },
  };
}

/** Of a worker `w`, which may not be there yet, and the token `t` it shows: it is kept out. */
export const BARRED = Prisma.sql`(w."revokedAt" >= t."createdAt"
  OR t."revokedAt" IS NOT NULL OR t."expiresAt" <= now()
  OR (t."closedAt" IS NOT NULL AND w."tokenId" IS DISTINCT FROM t."id"))`;

type NewWorker = Record<'name' | 'host' | 'version' | 'deviceKey', string>;

/** The row of a process that attaches: its own from last time, or a new one. */
async function attachedAs(
  tx: Prisma.TransactionClient,
  fields: NewWorker,
  instance: string | undefined,
): Promise<{ workerId: string; wasAttached: boolean }> {
  const again = instance === undefined ? null : await tx.worker.findUnique({ where: { instance } });
  const isSame = again?.deviceKey === fields.deviceKey;
  // Results name the row of the device that measured them, so another device is another row.
  if (again && !isSame) {
    await tx.worker.update({ where: { id: again.id }, data: { instance: null } });
  }
  const { id } = isSame
    ? await tx.worker.update({ where: { id: again.id }, data: fields, select: { id: true } })
    : await tx.worker.create({
        data: {
          ...{ ...fields, instance: instance ?? null, tokenId: again?.tokenId ?? null },
          ...(await wantedBefore(tx, fields)),
        },
      });
  await tx.$executeRaw`
    UPDATE "Worker" SET "attachedAt" = now(), "lastHeartbeatAt" = now(), "state" = 'idle',
      "detachedAt" = NULL
    WHERE "id" = ${id}`;
  // What it held when it ended without a word; the result may still be in its journal.
  await tx.run.updateMany({
    where: { workerId: id, state: 'running' },
    data: { state: 'pending' },
  });
  return { workerId: id, wasAttached: isSame && again.detachedAt === null };
}

/** What an admin wanted of it lasts until an admin wants something else. */
function wantedBefore(
  tx: Prisma.TransactionClient,
  { name, host, deviceKey: key }: NewWorker,
): Promise<{ wanted: WantedState } | null> {
  return tx.worker.findFirst({
    where: { deviceKey: key, name, host },
    orderBy: { attachedAt: 'desc' },
    select: { wanted: true },
  });
}
