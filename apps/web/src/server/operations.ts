import { auditOperations } from './operations/audit';
import { catalogueOperations } from './operations/catalogue';
import { coverageOperations } from './operations/coverage';
import { deviceOperations } from './operations/devices';
import { leaderboardOperations } from './operations/leaderboard';
import { resultOperations } from './operations/results';
import { siteOperations } from './operations/site';
import { sweepOperations } from './operations/sweeps';
import { tokenOperations } from './operations/tokens';
import { workerOperations } from './operations/workers';

export type { Caching, Operation } from './operations/operation';
export { newTokenSchema } from './operations/tokens';

/** Everything that API v1 does, by operationId; a file a noun. */
export const operations = {
  ...siteOperations,
  ...deviceOperations,
  ...catalogueOperations,
  ...sweepOperations,
  ...resultOperations,
  ...leaderboardOperations,
  ...workerOperations,
  ...coverageOperations,
  ...tokenOperations,
  ...auditOperations,
} as const;
