import { Prisma } from '@tilemark/db';

/**
 * In the select list of a statement: its transaction commits without waiting for the disk. For
 * heartbeats, which are said again soon: a crash of Postgres loses the last half second of them,
 * and leaves the database in order. Claims and results wait.
 */
export const withoutWaitingForDisk = Prisma.sql`
  set_config('synchronous_commit', 'off', true) AS "synchronousCommit"`;
