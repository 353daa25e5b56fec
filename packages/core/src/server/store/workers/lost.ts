import { Prisma } from '@tilemark/db';

/** A worker that has sent no heartbeat for this long is lost; live ones send several within it. */
export const LOST_AFTER_MS = 20_000;

/**
 * SQL condition on a row of "Worker": detached, or silent for too long by the database's clock,
 * which also stamps the heartbeats. A heartbeat from the future was stamped before that clock was
 * set back: a live worker sends another within seconds, and a dead one must not count as alive
 * until then.
 */
export const isLost = (alias: 'w' | 'holder' | 'other'): Prisma.Sql => {
  const worker = Prisma.raw(`"${alias}"`);
  return Prisma.sql`(${worker}."detachedAt" IS NOT NULL
    OR abs(extract(epoch FROM now() - ${worker}."lastHeartbeatAt")) * 1000 > ${LOST_AFTER_MS})`;
};
