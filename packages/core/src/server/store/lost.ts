import { Prisma } from '@tilemark/db';
import { LOST_AFTER_MS } from '../store';

/**
 * SQL condition on a row of "Worker": detached, or silent for too long. By the
 * database's clock, which also stamps the heartbeats. One from the future was stamped
 * before that clock was put back: a live worker beats again within seconds, and a dead
 * one must not count as alive until the time has come.
 */
export const isLost = (alias: 'w' | 'holder'): Prisma.Sql => {
  const worker = Prisma.raw(`"${alias}"`);
  return Prisma.sql`(${worker}."detachedAt" IS NOT NULL
    OR abs(extract(epoch FROM now() - ${worker}."lastHeartbeatAt")) * 1000 > ${LOST_AFTER_MS})`;
};
