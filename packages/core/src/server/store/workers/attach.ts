import type { Prisma, PrismaClient } from '@tilemark/db';
import type { WantedState } from '../../../api/api';
import { NotAdmitted, type WorkerDescription } from '../../../link/link';
import { deviceKey } from '../../../measure/hardware';
import { toJson } from '../database';
import { describeDevice, deviceColumns } from '../devices/describe';
import { isTrustedToken } from '../trust';
import { releaseRuns } from './end';

interface AttachingWorker extends WorkerDescription {
  /** What it attaches with; absent: it runs on the grid's own account. */
  readonly tokenId?: string;
}

/**
 * Registers device and worker. `released`: the runs that the worker had in hand when it ended
 * without a word. Throws NotAdmitted where the token does not let it in: it has ended, or this
 * worker, or another that attached with it, was revoked.
 */
export const attachWorker = (db: PrismaClient, worker: AttachingWorker) =>
  db.$transaction(async (tx) => {
    const { name, host, version, identity, capabilities, instance } = worker;
    const { contributed = false, tokenId = null } = worker;
    const key = deviceKey(identity);
    if (tokenId !== null && (await isBarred(tx, tokenId, instance))) {
      throw new NotAdmitted(
        'This worker was revoked, or its token, or another worker that attached with that. To let it in, make a new token for it.',
      );
    }
    const isTrusted = await isTrustedToken(tx, tokenId);
    const fields = { ...deviceColumns(identity), capabilities: toJson(capabilities) };
    await describeDevice(tx, key, fields, isTrusted ? null : tokenId);
    const described = { name, host, version, deviceKey: key, tokenId, contributed };
    const workerId = await attachedAs(tx, described, instance);
    const released = await releaseRuns(tx, workerId, true);
    return { workerId, deviceKey: key, isTrusted, released };
  });

/**
 * Whether the token does not let the worker of this name in: it was revoked after the token was
 * made, or is new to a token of which a worker was revoked, or the token has ended.
 */
async function isBarred(
  tx: Prisma.TransactionClient,
  tokenId: string,
  instance: string | undefined,
): Promise<boolean> {
  // The token cannot end before this transaction does.
  const [token] = await tx.$queryRaw<{ isBarred: boolean }[]>`
    SELECT (w."revokedAt" >= t."createdAt"
      OR t."revokedAt" IS NOT NULL OR t."expiresAt" <= now()
      OR (t."closedAt" IS NOT NULL AND w."tokenId" IS DISTINCT FROM t."id")) IS TRUE AS "isBarred"
    FROM "Token" AS t LEFT JOIN "Worker" AS w ON w."instance" = ${instance ?? null}
    WHERE t."id" = ${tokenId} FOR SHARE OF t`;
  return token?.isBarred ?? true;
}

type NewWorker = Record<'name' | 'host' | 'version' | 'deviceKey', string> & {
  readonly tokenId: string | null;
  readonly contributed: boolean;
};

/** The row of a process that attaches: its own from last time, or a new one. */
async function attachedAs(
  tx: Prisma.TransactionClient,
  fields: NewWorker,
  instance: string | undefined,
): Promise<string> {
  const again = instance === undefined ? null : await tx.worker.findUnique({ where: { instance } });
  const isSame = again?.deviceKey === fields.deviceKey;
  // Results name the worker that measured them, so another device needs another row.
  if (again && !isSame) {
    await tx.worker.update({ where: { id: again.id }, data: { instance: null } });
  }
  const { id } = isSame
    ? await tx.worker.update({ where: { id: again.id }, data: fields, select: { id: true } })
    : await tx.worker.create({
        data: { ...fields, instance: instance ?? null, ...(await wantedBefore(tx, fields)) },
      });
  await tx.$executeRaw`
    UPDATE "Worker" SET "attachedAt" = now(), "lastHeartbeatAt" = now(), "state" = 'idle',
      "detachedAt" = NULL, "revokedAt" = NULL
    WHERE "id" = ${id}`;
  return id;
}

/** The state that an admin asked of it, which stays until an admin changes it. */
const wantedBefore = (
  tx: Prisma.TransactionClient,
  { name, host, deviceKey: key }: NewWorker,
): Promise<{ wanted: WantedState } | null> =>
  tx.worker.findFirst({
    where: { deviceKey: key, name, host },
    orderBy: { attachedAt: 'desc' },
    select: { wanted: true },
  });
