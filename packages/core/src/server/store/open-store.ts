import { createClient } from '@tilemark/db';
import { connectionError, placeOf, translatingErrors } from '../errors';
import type { Store } from '../store';
import { auditOf } from './audit';
import { bestVariantOf } from './best-variant';
import { devicesOf } from './devices';
import { enrolmentsOf } from './enrolments';
import { canonicalJson } from './hash';
import { headToHeadOf } from './head-to-head';
import { heatMapOf } from './heat-map';
import { keptAnswers } from './kept-answers';
import { kernelResultsOf } from './kernel-results';
import { leaderboardOf } from './leaderboard';
import { limitsOf } from './limits';
import { openListener } from './listener';
import { portabilityOf } from './portability';
import { resultsOf } from './results';
import { rooflinesOf } from './rooflines';
import { runsOf } from './runs';
import { sweepsOf } from './sweeps';
import { tokensOf } from './tokens';
import { watchOf } from './watch';
import { workersOf } from './workers';

/**
 * The store on a migrated Postgres database. Connects on first use: an outage
 * shows as `DatabaseUnavailable` from each method, and ends when the database is back.
 *
 * @param databaseUrl `postgres://user:password@host:port/database`
 */
export function openStore(databaseUrl: string): Store {
  const place = { kind: 'database', at: placeOf(databaseUrl), variable: 'DATABASE_URL' } as const;
  const translate = (error: unknown) => connectionError(error, place);
  const typed = <T extends object>(part: T): T => translatingErrors(part, translate);

  const db = createClient(databaseUrl);
  const kept = keptAnswers(db);
  const devices = devicesOf(db);
  const listener = openListener(databaseUrl);
  const closing = new AbortController();
  return typed({
    sweeps: typed({
      ...sweepsOf(db),
      watch: watchOf(db, listener, closing.signal, translate),
    }),
    runs: typed(runsOf(db)),
    results: typed(resultsOf(db)),
    devices: typed({
      ...devices,
      best: (key) => kept.answer(`best ${key}`, () => devices.best(key)),
      history: (key) => kept.answer(`history ${key}`, () => devices.history(key)),
    }),
    rooflines: typed(rooflinesOf(db)),
    workers: typed(workersOf(db)),
    enrolments: typed(enrolmentsOf(db)),
    tokens: typed(tokensOf(db)),
    audit: typed(auditOf(db)),
    limits: typed(limitsOf(db)),
    kernelResults: (query) =>
      kept.answer(`kernel ${canonicalJson(query)}`, () => kernelResultsOf(db, query)),
    headToHead: (pair) => headToHeadOf(db, pair),
    leaderboard: (query) =>
      kept.answer(`leaderboard ${canonicalJson(query)}`, () => leaderboardOf(db, query)),
    heatMap: (query) => kept.answer(`heat map ${canonicalJson(query)}`, () => heatMapOf(db, query)),
    portability: (query) =>
      kept.answer(`portability ${canonicalJson(query)}`, () => portabilityOf(db, query)),
    best: (query) => bestVariantOf(db, query),
    version: () => kept.version(),
    ping: async () => {
      await db.$queryRaw`SELECT 1`;
    },
    close: async () => {
      closing.abort();
      await listener.close();
      await db.$disconnect();
    },
  } satisfies Store);
}
