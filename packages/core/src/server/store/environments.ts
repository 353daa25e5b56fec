import { Prisma } from '@tilemark/db';
import type { Environment } from '../../environment';
import { toJson } from './json';

/**
 * A row of "Environment": `hash`, `content`. Hashed by Postgres, which holds enrolled workers to
 * it: the hash is that of the content.
 */
export const environmentRow = (environment: Environment): Prisma.Sql => Prisma.sql`
  SELECT encode(sha256(convert_to("content"::text, 'UTF8')), 'hex') AS "hash", "content"
  FROM (SELECT ${JSON.stringify(toJson(environment))}::jsonb AS "content") AS given`;

/** Writes an environment that is not there yet; its hash. */
export async function keepEnvironment(
  tx: Prisma.TransactionClient,
  environment: Environment,
): Promise<string> {
  const [row] = await tx.$queryRaw<{ hash: string }[]>`
    WITH environment AS (${environmentRow(environment)}),
      kept AS (
        INSERT INTO "Environment" ("hash", "content") SELECT "hash", "content" FROM environment
        ON CONFLICT DO NOTHING)
    SELECT "hash" FROM environment`;
  return row?.hash ?? '';
}
