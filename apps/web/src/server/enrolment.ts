import { HttpProblem } from './problem';
import type { Services } from './services';

/**
 * What a worker connects to: what the operator has set for workers, and never what the
 * grid itself connects with, which may read tokens and do anything else. Throws 409
 * naming the setting that is missing.
 */
export function enrolment({ queue, settings }: Pick<Services, 'queue' | 'settings'>): {
  databaseUrl: string;
  redisUrl: string | null;
} {
  const { workerDatabaseUrl, workerRedisUrl } = settings;
  return {
    databaseUrl:
      workerDatabaseUrl ??
      missing('TILEMARK_WORKER_DATABASE_URL', 'the Postgres URL of the role tilemark_worker'),
    redisUrl:
      queue.backend === 'postgres'
        ? null
        : (workerRedisUrl ?? missing('TILEMARK_WORKER_REDIS_URL', 'a Redis URL for workers')),
  };
}

function missing(setting: string, what: string): never {
  throw new HttpProblem(
    409,
    `This grid does not enrol workers yet: set ${setting} on its site to ${what} and start it again; docs/attaching.md says how.`,
  );
}
