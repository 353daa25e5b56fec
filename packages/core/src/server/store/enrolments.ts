import { randomBytes } from 'node:crypto';
import type { PrismaClient } from '@tilemark/db';
import { AccountsRefused } from '../errors';
import type { Store } from '../store';
import { notifySweep } from './events';
import { sha256 } from './hash';
import { dropRole, endSessions, grantGroup, makeRole } from './worker-role';

/** After so long without a sign of life a worker enrols anew when it is back. */
const SILENT_FOR = '1 day';

/** 256 random bits: no dictionary helps against the hash that is kept of one. */
const newPassword = (): string => randomBytes(32).toString('base64url');

export function enrolmentsOf(db: PrismaClient): Store['enrolments'] {
  return {
    async grant({ workerId, tokenId }) {
      await requireRoles(db);
      const login = `tilemark_worker_${workerId.replaceAll('-', '')}`;
      const [password, redisPassword] = [newPassword(), newPassword()];
      const redisPasswordHash = sha256(redisPassword);
      await db.$transaction(async (tx) => {
        await grantGroup(tx);
        const { expiresAt } = await tx.token.findUniqueOrThrow({ where: { id: tokenId } });
        await makeRole(tx, { login, password, expiresAt });
        const fields = { tokenId, login, redisPasswordHash, grantedAt: new Date() };
        await tx.enrolment.upsert({
          where: { workerId },
          create: { workerId, ...fields },
          update: fields,
        });
      });
      // Those that the password before this one opened.
      await endSessions(db, login);
      return { login, password, redisPassword, redisPasswordHash };
    },

    async current() {
      const rows = await db.enrolment.findMany({ include: { worker: true } });
      return rows.map(({ login, redisPasswordHash, worker: { deviceKey } }) => ({
        login,
        redisPasswordHash,
        deviceKey,
      }));
    },

    ended: () =>
      db.$queryRaw<{ workerId: string; login: string }[]>`
        SELECT e."workerId", e."login"
        FROM "Enrolment" AS e
        JOIN "Worker" AS w ON w."id" = e."workerId" JOIN "Token" AS t ON t."id" = e."tokenId"
        WHERE w."detachedAt" IS NOT NULL OR t."revokedAt" IS NOT NULL OR t."expiresAt" <= now()
          OR w."lastHeartbeatAt" < now() - ${SILENT_FOR}::interval`,

    async end({ workerId, login }) {
      await dropRole(db, login);
      await db.$transaction(async (tx) => {
        await tx.enrolment.deleteMany({ where: { workerId } });
        await tx.worker.updateMany({
          where: { id: workerId, detachedAt: null },
          data: { detachedAt: new Date() },
        });
        const released = await tx.$queryRaw<{ sweepId: string }[]>`
          UPDATE "Run" SET "state" = 'pending', "workerId" = NULL
          WHERE "workerId" = ${workerId} AND "state" = 'running' RETURNING "sweepId"`;
        for (const { sweepId } of released) await notifySweep(tx, sweepId);
      });
    },
  };
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
