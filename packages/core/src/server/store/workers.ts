import type { PrismaClient } from '@tilemark/db';
import { type DeviceClass, deviceKey } from '../../device';
import type { Store } from '../store';
import { toJson } from './json';
import { isLost } from './lost';

/** A lost worker is listed this long, so that somebody notices. */
const LISTED_WHEN_LOST = '1 day';

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly version: string;
  readonly state: 'idle' | 'running' | 'draining' | 'lost';
  readonly lastHeartbeatAt: Date;
  readonly attachedAt: Date;
  readonly deviceKey: string;
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
}

export function workersOf(db: PrismaClient): Store['workers'] {
  return {
    attach({ name, host, version, identity, capabilities }) {
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
        // A lost worker of the same name is this one, back again: off the list.
        await tx.$executeRaw`
          UPDATE "Worker" AS w SET "detachedAt" = now()
          WHERE w."deviceKey" = ${key} AND w."name" = ${name} AND w."host" = ${host}
            AND w."detachedAt" IS NULL AND ${isLost('w')}`;
        const worker = await tx.worker.create({
          data: { name, host, version, deviceKey: key },
          select: { id: true },
        });
        await tx.$executeRaw`
          UPDATE "Worker" SET "attachedAt" = now(), "lastHeartbeatAt" = now()
          WHERE "id" = ${worker.id}`;
        return { workerId: worker.id, deviceKey: key, newDevice: count === 1 };
      });
    },

    async heartbeat(workerId, state) {
      await db.$executeRaw`
        WITH beat AS (
          UPDATE "Worker" SET "lastHeartbeatAt" = now(), "state" = ${state}::"WorkerState"
          WHERE "id" = ${workerId} RETURNING "deviceKey")
        UPDATE "Device" SET "lastSeenAt" = now() FROM beat WHERE "key" = beat."deviceKey"`;
    },

    async detach(workerId) {
      await db.$executeRaw`
        UPDATE "Worker" SET "detachedAt" = now() WHERE "id" = ${workerId} AND "detachedAt" IS NULL`;
    },

    async list() {
      const rows = await db.$queryRaw<WorkerRow[]>`
        SELECT w."id", w."name", w."host", w."version", w."lastHeartbeatAt", w."attachedAt",
          CASE WHEN ${isLost('w')} THEN 'lost' ELSE w."state"::text END AS "state",
          d."key" AS "deviceKey", d."name" AS "deviceName", d."class"::text AS "deviceClass"
        FROM "Worker" AS w JOIN "Device" AS d ON d."key" = w."deviceKey"
        WHERE w."detachedAt" IS NULL
          AND w."lastHeartbeatAt" > now() - ${LISTED_WHEN_LOST}::interval
        ORDER BY w."host", w."name", w."attachedAt"`;
      return rows.map(({ deviceKey: of, deviceName, deviceClass, ...row }) => ({
        ...row,
        device: { key: of, name: deviceName, class: deviceClass },
        lastHeartbeatAt: row.lastHeartbeatAt.toISOString(),
        attachedAt: row.attachedAt.toISOString(),
      }));
    },
  };
}
