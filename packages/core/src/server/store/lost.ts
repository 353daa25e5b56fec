import { Prisma } from '@tilemark/db';
import { LOST_AFTER_MS } from '../store';

/**
 * SQL condition on a row of "Worker": detached, or silent for too long. By the
 * database's clock, which also stamps the heartbeats.
 */
export const isLost = (alias: 'w' | 'holder'): Prisma.Sql => {
  const worker = Prisma.raw(`"${alias}"`);
  return Prisma.sql`(${worker}."detachedAt" IS NOT NULL
    OR ${worker}."lastHeartbeatAt" < now() - ${LOST_AFTER_MS} * interval '1 millisecond')`;
};
