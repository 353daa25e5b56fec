import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/client';

export { Prisma, type PrismaClient } from './generated/client';
export { MigrationRefused, migrate } from './migrate';

/**
 * How long to wait for a connection. The pool counts the wait for a free one too, so this has to
 * outlast a burst of results on a loaded machine.
 */
const CONNECT_TIMEOUT_MS = 20_000;

const MARK = '/* prepared */';

/**
 * At the head of a raw statement: Postgres parses and plans it once per connection. For those that
 * run for every run of a grid and whose plan does not depend on their parameters. Others are planned
 * each time: a generic plan can be a bad one for given parameters, and lists of many lengths (`IN`)
 * would fill the connection with plans.
 */
export const PREPARED = Prisma.raw(MARK);

/** Postgres takes names of up to 63 bytes; none: planned each time. */
const statementName = ({ sql }: { readonly sql: string }): string =>
  sql.trimStart().startsWith(MARK)
    ? createHash('sha256').update(sql).digest('hex').slice(0, 63)
    : '';

/**
 * The typed client on a Postgres database; connects on first use.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createClient(url: string): PrismaClient {
  const adapter = new PrismaPg(
    {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    },
    { statementNameGenerator: statementName },
  );
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    // Prisma's own 2 s are short for a burst of results on a loaded machine.
    transactionOptions: { maxWait: 10_000, timeout: 20_000 },
  });
}
