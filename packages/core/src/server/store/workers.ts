import type { PrismaClient } from '@tilemark/db';
import type { WantedState } from '../../api';
import { deviceKey } from '../../device';
import type { Store } from '../store';
import { listQueues, listWorkers } from './fleet';
import { toJson } from './json';
import { isLost } from './lost';

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
        // What an admin wanted of it lasts until an admin wants something else.
        const before = await tx.worker.findFirst({
          where: { deviceKey: key, name, host },
          orderBy: { attachedAt: 'desc' },
          select: { wanted: true },
        });
        const worker = await tx.worker.create({
          data: { name, host, version, deviceKey: key, ...before },
          select: { id: true },
        });
        await tx.$executeRaw`
          UPDATE "Worker" SET "attachedAt" = now(), "lastHeartbeatAt" = now()
          WHERE "id" = ${worker.id}`;
        return { workerId: worker.id, deviceKey: key, newDevice: count === 1 };
      });
    },

    async heartbeat(workerId, state) {
      const [row] = await db.$queryRaw<{ wanted: WantedState }[]>`
        WITH beat AS (
          UPDATE "Worker" SET "lastHeartbeatAt" = now(), "state" = ${state}::"WorkerState"
          WHERE "id" = ${workerId} RETURNING "deviceKey", "wanted"::text),
        seen AS (
          UPDATE "Device" SET "lastSeenAt" = now() FROM beat WHERE "key" = beat."deviceKey")
        SELECT "wanted" FROM beat`;
      return row?.wanted ?? 'working';
    },

    async detach(workerId) {
      await db.$executeRaw`
        UPDATE "Worker" SET "detachedAt" = now() WHERE "id" = ${workerId} AND "detachedAt" IS NULL`;
    },

    list: () => listWorkers(db),
    queues: () => listQueues(db),

    async want(workerId, wanted) {
      const { count } = await db.worker.updateMany({
        where: { id: workerId, detachedAt: null },
        data: { wanted },
      });
      const [worker = null] = count === 1 ? await listWorkers(db, workerId) : [];
      return worker;
    },
  };
}
