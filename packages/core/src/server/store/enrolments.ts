import { randomBytes } from 'node:crypto';
import { Prisma, type PrismaClient } from '@tilemark/db';
import { AccountsRefused } from '../errors';
import type { QueueAccount } from '../queue';
import type { Store } from '../store';
import { noted } from './audit';
import { notifySweep } from './events';
import { sha256 } from './hash';
import { closeRole, dropRole, endSessions, grantGroup, makeRole } from './worker-role';
import { BARRED } from './workers';

/** After so long without a sign of life a worker enrols anew when it is back. */
const SILENT_FOR = '1 day';

/** 256 random bits: no dictionary helps against the hash that is kept of one. */
const newPassword = (): string => randomBytes(32).toString('base64url');

export function enrolmentsOf(db: PrismaClient): Store['enrolments'] {
  return {
    async grant({ workerId, tokenId, note }) {
      await requireRoles(db);
      const login = `tilemark_worker_${workerId.replaceAll('-', '')}`;
      const [password, redisPassword] = [newPassword(), newPassword()];
      const redisPasswordHash = sha256(redisPassword);
      const isGranted = await db.$transaction(async (tx) => {
        await grantGroup(tx);
        const [admitted] = await tx.$queryRaw<{ expiresAt: Date | null }[]>`
          SELECT t."expiresAt" FROM "Worker" AS w, "Token" AS t
          WHERE w."id" = ${workerId} AND t."id" = ${tokenId} AND ${BARRED} IS NOT TRUE
          FOR NO KEY UPDATE OF w FOR SHARE OF t`;
        if (!admitted) return false;
        await tx.worker.update({ where: { id: workerId }, data: { tokenId, revokedAt: null } });
        await makeRole(tx, { login, password, expiresAt: admitted.expiresAt });
        const fields = { tokenId, login, redisPasswordHash, grantedAt: new Date() };
        await tx.enrolment.upsert({
          where: { workerId },
          create: { workerId, ...fields },
          update: fields,
        });
        await noted(tx, note, workerId);
        return true;
      });
      if (!isGranted) return null;
      // Those that the password before this one opened.
      await endSessions(db, login);
      return { login, password, redisPassword };
    },

    async current() {
      const rows = await db.enrolment.findMany({ select: { workerId: true } });
      return rows.map(({ workerId }) => workerId);
    },

    async admit(workerId, letIn) {
      await db.$transaction(async (tx) => {
        // Held until it is let in: what ends access deletes the row, and waits.
        const [account] = await tx.$queryRaw<QueueAccount[]>`
          SELECT e."login", e."redisPasswordHash" AS "passwordHash", w."deviceKey"
          FROM "Enrolment" AS e JOIN "Worker" AS w ON w."id" = e."workerId"
          WHERE e."workerId" = ${workerId} FOR SHARE OF e`;
        if (account) await letIn(account);
      }, WITH_QUEUE);
    },

    ended: () =>
      db.$queryRaw<{ workerId: string; login: string }[]>`
        SELECT e."workerId", e."login" FROM ${ENROLMENTS} WHERE ${HAS_ENDED}`,

    async end({ workerId, login }, lockOut) {
      const isClosed = await db.$transaction(async (tx) => {
        if (!(await lockEnded(tx, workerId))) return false;
        await closeRole(tx, login);
        return true;
      });
      if (!isClosed) return false;
      await endSessions(db, login);
      return db.$transaction(async (tx) => {
        // It may have enrolled anew since, with a role that may log in again.
        if (!(await lockEnded(tx, workerId))) return false;
        await dropRole(tx, login);
        await tx.enrolment.deleteMany({ where: { workerId } });
        await tx.worker.updateMany({
          where: { id: workerId, detachedAt: null },
          data: { detachedAt: new Date() },
        });
        const released = await tx.$queryRaw<{ sweepId: string }[]>`
          UPDATE "Run" SET "state" = 'pending', "workerId" = NULL
          WHERE "workerId" = ${workerId} AND "state" = 'running' RETURNING "sweepId"`;
        for (const { sweepId } of released) await notifySweep(tx, sweepId);
        await lockOut(login);
        return true;
      }, WITH_QUEUE);
    },
  };
}

/** A queue that does not answer is given up within this. */
const WITH_QUEUE = { timeout: 15_000 };

const ENROLMENTS = Prisma.sql`"Enrolment" AS e
  JOIN "Worker" AS w ON w."id" = e."workerId" JOIN "Token" AS t ON t."id" = e."tokenId"`;

const HAS_ENDED = Prisma.sql`(w."detachedAt" IS NOT NULL OR t."revokedAt" IS NOT NULL
  OR t."expiresAt" <= now() OR w."lastHeartbeatAt" < now() - ${SILENT_FOR}::interval)`;

/** Whether a worker's access has to end. Where it has, it cannot attach or enrol until `tx` ends. */
async function lockEnded(tx: Prisma.TransactionClient, workerId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<object[]>`
    SELECT 1 FROM ${ENROLMENTS} WHERE e."workerId" = ${workerId} AND ${HAS_ENDED}
    FOR NO KEY UPDATE OF w FOR UPDATE OF e`;
  return rows.length > 0;
}

async function requireRoles(db: PrismaClient): Promise<void> {
  const [own] = await db.$queryRaw<{ name: string; can: boolean }[]>`
    SELECT current_user::text AS "name", "rolcreaterole" OR "rolsuper" AS "can"
    FROM pg_roles WHERE rolname = current_user`;
  if (own?.can) return;
  throw new AccountsRefused(
    `The grid's Postgres user may not make a role for the worker. Run as an administrator of the database: ALTER ROLE "${own?.name}" CREATEROLE`,
  );
}
