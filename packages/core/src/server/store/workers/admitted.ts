import { PREPARED, type PrismaClient } from '@tilemark/db';
import { NotAdmitted, Refused } from '../../../link/link';
import { LOST_AFTER_MS } from './lost';

/** The attached workers that a token let in and that were heard of lately, by their ids. */
export async function admittedWorkers(
  db: PrismaClient,
): Promise<ReadonlyMap<string, { deviceKey: string; tokenId: string }>> {
  const rows = await db.$queryRaw<{ id: string; deviceKey: string; tokenId: string }[]>`
    ${PREPARED} SELECT "id", "deviceKey", "tokenId" FROM "Worker"
    WHERE "detachedAt" IS NULL AND "revokedAt" IS NULL AND "tokenId" IS NOT NULL
      AND "lastHeartbeatAt" > now() - ${LOST_AFTER_MS} * interval '1 ms'`;
  return new Map(rows.map(({ id, ...worker }) => [id, worker]));
}

/**
 * The device of a worker that may go on: attached, and with this token. Throws NotAdmitted for any
 * other, and Refused at `worker` for one to attach again.
 */
export async function deviceOfWorker(
  db: PrismaClient,
  workerId: string,
  tokenId: string,
): Promise<string> {
  const [worker] = await db.$queryRaw<
    { deviceKey: string; isRevoked: boolean; isDetached: boolean }[]
  >`
    ${PREPARED} SELECT "deviceKey", "revokedAt" IS NOT NULL AS "isRevoked",
      "detachedAt" IS NOT NULL AS "isDetached"
    FROM "Worker" WHERE "id" = ${workerId} AND "tokenId" = ${tokenId}`;
  if (!worker) throw new NotAdmitted(`This token has attached no worker ${workerId}.`);
  if (worker.isRevoked) {
    throw new NotAdmitted('This worker was revoked. To let it in, make a new token for it.');
  }
  if (worker.isDetached) {
    throw new Refused('This worker is no longer attached: attach it again.', 'worker');
  }
  return worker.deviceKey;
}
