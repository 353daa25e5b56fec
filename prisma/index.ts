import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client';

export { Prisma, type PrismaClient } from './generated/client';
export { MigrationRefused, migrate } from './migrate';

/**
 * A connection that is not had within this time is reported, not waited for. The pool counts
 * the wait for a free one too, so it has to outlast a burst of results on a loaded machine.
 */
const CONNECT_TIMEOUT_MS = 20_000;

/**
 * The typed client on a Postgres database; connects on first use.
 *
 * @param url `postgres://user:password@host:port/database`
 */
export function createClient(url: string): PrismaClient {
  const adapter = new PrismaPg({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  return new PrismaClient({
    adapter,
    errorFormat: 'minimal',
    // Prisma's own 2 s are short for a burst of results on a loaded machine.
    transactionOptions: { maxWait: 10_000, timeout: 20_000 },
  });
}
