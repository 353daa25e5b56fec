import { createClient } from '@tilemark/db';
import { connectionError, placeOf, translatingErrors } from '../errors';
import { sharedReads } from '../shared-read';
import { type AuditTrail, auditOf } from './audit';
import { bestVariantOf } from './boards/best-variant';
import { headToHeadOf, kernelResultsOf } from './boards/comparisons';
import { leaderboardOf } from './boards/leaderboard';
import { type Overview, overviewOf } from './boards/overview';
import { heatMapOf, portabilityOf } from './boards/variant-boards';
import { openListener } from './changes';
import { canonicalJson } from './database';
import { type Devices, devicesOf } from './devices';
import { type Limits, limitsOf } from './limits';
import { type References, referencesOf } from './references';
import { type Results, resultsOf } from './results';
import { type Rooflines, rooflinesOf } from './roofs';
import { type Runs, runsOf } from './runs';
import { type Sweeps, sweepsOf } from './sweeps';
import { type Tokens, tokensOf } from './tokens';
import { type WatchSweep, watchOf } from './watch';
import { type Workers, workersOf } from './workers';

/**
 * The store: everything the product keeps, in Postgres, one file per noun. Each file opens with
 * its noun's contract, followed by the implementation.
 *
 * What is asked for: `sweeps.ts` (written by `new-sweeps.ts`, followed live by `watch.ts` on the
 * notifications of `changes.ts`) and the `runs.ts` they consist of.
 * What comes back: `record.ts` ends a run in one transaction, which writes its result and moves
 * the rows of `Best` and `VariantBest`; `results.ts` shows one result in full;
 * `references.ts` has the figures that the grid did not measure.
 * Who measures: `devices.ts` (with rooflines), `workers.ts`, and the lists of both in `fleet.ts`.
 * Who asks: `tokens.ts`, `audit.ts`, `limits.ts`.
 * What it adds up to: `boards/`, each board a function of a query, read from `Best` and
 * `VariantBest`, whose size does not grow with history.
 *
 * Three rules hold everywhere. Writing the same thing twice changes nothing. Contended rows are
 * moved by single statements, so Postgres itself decides between concurrent writers. What changes
 * something takes an optional `AuditNote` and writes it in the same transaction.
 *
 * Every method may throw `DatabaseUnavailable`.
 */
export interface Store {
  readonly sweeps: Sweeps & { readonly watch: WatchSweep };
  readonly runs: Runs;
  readonly results: Results;
  readonly references: References;
  readonly devices: Devices;
  readonly rooflines: Rooflines;
  readonly workers: Workers;
  readonly tokens: Tokens;
  readonly audit: AuditTrail;
  readonly limits: Limits;
  readonly kernelResults: Query<typeof kernelResultsOf>;
  readonly headToHead: Query<typeof headToHeadOf>;
  /** As it was at most 30 s ago: it counts every result. */
  overview(): Promise<Overview>;
  readonly leaderboard: Query<typeof leaderboardOf>;
  readonly heatMap: Query<typeof heatMapOf>;
  readonly portability: Query<typeof portabilityOf>;
  readonly best: Query<typeof bestVariantOf>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** A board's function without the database it reads; its contract is at the function. */
type Query<Of> = Of extends (db: never, query: infer Asked) => infer Answer
  ? (query: Asked) => Answer
  : never;

/** Counting a million results takes Postgres a tenth of a second. */
const OVERVIEW_MS = 30_000;

/**
 * The store on a migrated Postgres database. Connects on first use: an outage shows as
 * `DatabaseUnavailable` from each method, and ends when the database is back.
 *
 * @param databaseUrl `postgres://user:password@host:port/database`
 */
export function openStore(databaseUrl: string): Store {
  const place = { kind: 'database', at: placeOf(databaseUrl), variable: 'DATABASE_URL' } as const;
  const translate = (error: unknown) => connectionError(error, place);

  const db = createClient(databaseUrl);
  // Readers of one board who ask at the same time share one read of it; none is kept.
  const shared = sharedReads(0);
  const kept = sharedReads(OVERVIEW_MS);
  const devices = devicesOf(db);
  const listener = openListener(databaseUrl);
  const closing = new AbortController();
  const store: Store = {
    sweeps: { ...sweepsOf(db), watch: watchOf(db, listener, closing.signal, translate) },
    runs: runsOf(db),
    results: resultsOf(db),
    references: referencesOf(db),
    devices: {
      ...devices,
      best: (key) => shared.read(`best ${key}`, () => devices.best(key)),
      history: (key) => shared.read(`history ${key}`, () => devices.history(key)),
    },
    rooflines: rooflinesOf(db),
    workers: workersOf(db),
    tokens: tokensOf(db),
    audit: auditOf(db),
    limits: limitsOf(db),
    kernelResults: (query) =>
      shared.read(`kernel ${canonicalJson(query)}`, () => kernelResultsOf(db, query)),
    headToHead: (pair) => headToHeadOf(db, pair),
    overview: () => kept.read('overview', () => overviewOf(db)),
    leaderboard: (query) =>
      shared.read(`leaderboard ${canonicalJson(query)}`, () => leaderboardOf(db, query)),
    heatMap: (query) => shared.read(`heat map ${canonicalJson(query)}`, () => heatMapOf(db, query)),
    portability: (query) =>
      shared.read(`portability ${canonicalJson(query)}`, () => portabilityOf(db, query)),
    best: (query) => bestVariantOf(db, query),
    ping: async () => {
      await db.$queryRaw`SELECT 1`;
    },
    close: async () => {
      closing.abort();
      await listener.close();
      await db.$disconnect();
    },
  };
  return translatingErrors(store, translate);
}
