import { Prisma } from '@tilemark/db';

/**
 * In the select list of a statement: its transaction commits without waiting for the disk. For
 * what is said again soon (heartbeats) or may be forgotten (claims): a crash of Postgres loses
 * the last half second of these, and leaves the database in order. Results wait.
 */
export const withoutWaitingForDisk = Prisma.sql`
  set_config('synchronous_commit', 'off', true) AS "synchronousCommit"`;
