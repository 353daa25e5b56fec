import { Prisma, type PrismaClient } from '@tilemark/db';
import { POLICIES, POLICY_IDS } from '../../policy';
import type { NewestRun, Store } from '../store';

const RANKABLE = POLICY_IDS.filter((id) => POLICIES[id].rankable);

/** The contract is at `Store.runs.newest`. */
export function newestOf(db: PrismaClient): Store['runs']['newest'] {
  return async (deviceKey, addresses) => {
    if (addresses.length === 0) return [];
    return db.$queryRaw<NewestRun[]>`
      SELECT DISTINCT ON (r."address", r."shape", r."dtype", r."profile", "isWaiting")
        r."address", r."shape", r."dtype"::text, r."profile"::text,
        r."state" IN ('pending', 'running') AS "isWaiting",
        r."state" IN ('failed', 'incorrect') AS "hasFailed", result."sourceHash"
      FROM "Run" AS r LEFT JOIN "Result" AS result ON result."runId" = r."id"
      WHERE r."deviceKey" = ${deviceKey} AND r."address" IN (${Prisma.join([...addresses])})
        AND r."policy" IN (${Prisma.join(RANKABLE)})
      ORDER BY r."address", r."shape", r."dtype", r."profile", "isWaiting", r."endedAt" DESC`;
  };
}
