import type { PrismaClient } from '@tilemark/db';
import { POLICIES, POLICY_IDS } from '../../policy';
import type { NewestRun, Store } from '../store';

const RANKABLE = POLICY_IDS.filter((id) => POLICIES[id].rankable);

/** The contract is at `Store.runs.newest`. */
export function newestOf(db: PrismaClient): Store['runs']['newest'] {
  // Each device is sorted by itself, and only what is newest of it is looked up among the
  // results, one by one: a join reads all results there are.
  return (deviceKeys, addresses) => db.$queryRaw<NewestRun[]>`
    SELECT newest."deviceKey", newest."address", newest."shape", newest."dtype"::text,
      newest."profile"::text, newest."isWaiting", newest."hasFailed",
      (SELECT result."sourceHash" FROM "Result" AS result WHERE result."runId" = newest."id")
    FROM unnest(${[...deviceKeys]}::text[]) AS device(key)
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (r."address", r."shape", r."dtype", r."profile", "isWaiting") r.*,
        r."state" IN ('pending', 'running') AS "isWaiting",
        r."state" IN ('failed', 'incorrect') AS "hasFailed"
      FROM "Run" AS r
      WHERE r."deviceKey" = device.key AND r."address" = ANY (${[...addresses]}::text[])
        AND r."policy" = ANY (${RANKABLE}::text[])
      ORDER BY r."address", r."shape", r."dtype", r."profile", "isWaiting", r."endedAt" DESC
    ) AS newest`;
}
