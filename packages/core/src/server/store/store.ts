import { createClient, type PrismaClient } from '@tilemark/db';
import type { OpId } from '@tilemark/kernels';
import type { RecordedRun, WorkingState } from '../../link/wire';
import { batched } from '../batched';
import { connectionError, placeOf, ServiceUnavailable, translatingErrors } from '../errors';
import { sharedReads } from '../shared-read';
import { type AlarmQuery, alarmsOf } from './alarms';
import { auditOf } from './audit';
import { bestVariantOf } from './boards/best-variant';
import { headToHeadOf, kernelBestsOf, kernelResultsOf } from './boards/comparisons';
import { leaderboardOf } from './boards/leaderboard';
import { overviewOf } from './boards/overview';
import { heatMapOf, portabilityOf } from './boards/variant-boards';
import { devicesWithWinners, winnersOn } from './boards/winners';
import { openListener, openNotices } from './changes';
import { contributedOf } from './contributed';
import { canonicalJson, sha256 } from './database';
import { devicesOf } from './devices';
import { invitesOf } from './invites';
import { limitsOf } from './limits';
import { referencesOf } from './references';
import { resultsOf } from './results';
import { rooflinesOf } from './roofs';
import { runsOf } from './runs';
import { sweepsOf } from './sweeps';
import { tokensOf } from './tokens';
import { tuningsOf } from './tunings/tunings';
import { visitsOf } from './visits';
import { watchOf } from './watch';
import { workersOf } from './workers';

/**
 * The store: everything the product keeps, in Postgres, one file per noun.
 *
 * What is asked for: `sweeps.ts` (written by `new-sweeps.ts` and `imported-sweeps.ts`, followed live by `watch.ts` on the
 * notifications of `changes.ts`) and the `runs.ts` they consist of.
 * Those that grow as they run: `tunings/`.
 * What comes back: `runs.record` ends runs by the gate, in one transaction, which writes their results and moves
 * the rows of `VariantBest`; `results.ts` shows one result in full;
 * `references.ts` has the figures that the grid did not measure.
 * Who measures: `devices.ts` (with rooflines), `workers.ts`, and the lists of both in `fleet.ts`.
 * Who asks: `tokens.ts`, `invites.ts`, `audit.ts`, `limits.ts`. What they bring: `contributed.ts`.
 * What it adds up to: `boards/`, each board a function of a query, read from `VariantBest`, whose
 * size does not grow with history.
 *
 * Three rules apply everywhere. Writing the same thing twice changes nothing. Contended rows are
 * moved by single statements, so Postgres itself decides between concurrent writers. What changes
 * something takes an optional `AuditNote` and writes it in the same transaction.
 *
 * Every method may throw `ServiceUnavailable`.
 */
export type Store = ReturnType<typeof openStore>;

/**
 * Whoever was let in by a token is let in for this long without being looked up, ms. What this program
 * ends counts at once; what another of the grid ends, after the worker's next heartbeat, 8 s. Sessions
 * are looked up each time: the API ends them, and pages ask for them.
 */
const ADMITTED_MS = 3_000;

/**
 * How long a batch of what workers do gathers, ms. A worker waits for its claim, and for nothing
 * else of these: it hands results in while it measures the next run.
 */
const GATHER_MS = { claims: 100, results: 250, heartbeats: 250 };

/** Counting a million results takes Postgres a tenth of a second. */
const OVERVIEW_MS = 30_000;

/**
 * The store on a migrated Postgres database. Connects on first use: an outage shows as
 * `ServiceUnavailable` from each method, and ends when the database is back.
 *
 * @param databaseUrl `postgres://user:password@host:port/database`
 * @param gpuSeconds that contributed kernels of a token have within a day; 0: no limit
 */
export function openStore(databaseUrl: string, { gpuSeconds = 0 } = {}) {
  const place = { kind: 'database', at: placeOf(databaseUrl), variable: 'DATABASE_URL' } as const;
  const translate = (error: unknown) => connectionError(error, place);

  const db = createClient(databaseUrl);
  // Readers of one board who ask at the same time share one read of it; none is kept.
  const shared = sharedReads(0);
  const board =
    <Asked, Answer>(name: string, read: (db: PrismaClient, asked: Asked) => Promise<Answer>) =>
    (asked: Asked) =>
      shared.read(`${name} ${canonicalJson(asked)}`, () => read(db, asked));
  const kept = sharedReads(OVERVIEW_MS);
  const alarms = alarmsOf(db);
  const devices = devicesOf(db);
  const tokens = tokensOf(db);
  const workers = workersOf(db);
  const invites = invitesOf(db);
  const admitted = sharedReads(ADMITTED_MS);
  /** Keeps no refusal: what did not exist may be made at any moment. */
  const admits = async <Answer>(key: string, read: () => Promise<Answer>): Promise<Answer> => {
    const answer = await admitted.read(key, read);
    if (answer === null) admitted.forget(key);
    return answer;
  };
  const ending =
    <Args extends unknown[], Answer>(work: (...args: Args) => Promise<Answer>) =>
    (...args: Args): Promise<Answer> =>
      work(...args).finally(() => admitted.forget());
  const notices = openNotices(db);
  const isOutage = (error: unknown) => translate(error) instanceof ServiceUnavailable;
  const runs = runsOf(db, notices, gpuSeconds);
  const claimed = batched(runs.claim, { gatherMs: GATHER_MS.claims, isOutage });
  const recorded = batched(runs.record, {
    gatherMs: GATHER_MS.results,
    isOutage,
    keyOf: ({ runId }) => runId,
  });
  const beaten = batched(workers.heartbeat, {
    gatherMs: GATHER_MS.heartbeats,
    isOutage,
    keyOf: ({ workerId }) => workerId,
  });
  const reviewed = batched(runs.review, { gatherMs: GATHER_MS.heartbeats, isOutage });
  const listener = openListener(databaseUrl);
  const closing = new AbortController();
  const store = {
    sweeps: { ...sweepsOf(db), watch: watchOf(db, listener, closing.signal, translate) },
    runs: {
      ...runs,
      claim: (runId: string, workerId: string) => claimed({ runId, workerId }),
      /** False: the run had ended already, or was dropped. `tuning`: it may be due to `advance`. */
      record: async (record: RecordedRun) => {
        const ended = await recorded(record);
        return { recorded: ended !== null, ...(ended?.isTuning && { tuning: ended.sweepId }) };
      },
      review: reviewed,
    },
    tunings: tuningsOf(db),
    results: resultsOf(db),
    references: referencesOf(db),
    devices: {
      ...devices,
      best: (key: string) => shared.read(`best ${key}`, () => devices.best(key)),
      history: (key: string) => shared.read(`history ${key}`, () => devices.history(key)),
    },
    rooflines: rooflinesOf(db),
    workers: {
      ...workers,
      /** Of all workers at once. One that is not among the admitted is looked up by itself. */
      deviceOf: async (workerId: string, tokenId: string): Promise<string> => {
        const worker = (await admitted.read('workers', workers.admitted)).get(workerId);
        return worker?.tokenId === tokenId ? worker.deviceKey : workers.deviceOf(workerId, tokenId);
      },
      heartbeat: (workerId: string, state: WorkingState) => beaten({ workerId, state }),
      attach: ending(workers.attach),
      detach: ending(workers.detach),
      revoke: ending(workers.revoke),
      endAccess: ending(workers.endAccess),
    },
    tokens: {
      ...tokens,
      verify: (secret: string) => admits(`secret ${sha256(secret)}`, () => tokens.verify(secret)),
      revoke: ending(tokens.revoke),
    },
    invites: { ...invites, revoke: ending(invites.revoke) },
    contributed: contributedOf(db),
    alarms: {
      ...alarms,
      /** As they were at most 30 s ago: they read every visit of the sentinel. */
      all: () => kept.read('alarms', () => alarms.all()),
      list: (query: AlarmQuery = {}) =>
        shared.read(`alarms ${canonicalJson(query)}`, () => alarms.list(query)),
    },
    visits: visitsOf(db),
    audit: auditOf(db),
    limits: limitsOf(db),
    kernelResults: board('kernel', kernelResultsOf),
    headToHead: board('head to head', headToHeadOf),
    /** These three as they were at most 30 s ago: they read every result. */
    kernelBests: () => kept.read('kernel bests', () => kernelBestsOf(db)),
    overview: () => kept.read('overview', () => overviewOf(db)),
    devicesWithWinners: (op: OpId) =>
      kept.read(`devices with winners ${op}`, () => devicesWithWinners(db, op)),
    winners: board('winners', winnersOn),
    leaderboard: board('leaderboard', leaderboardOf),
    heatMap: board('heat map', heatMapOf),
    portability: board('portability', portabilityOf),
    best: board('best', bestVariantOf),
    ping: async () => {
      await db.$queryRaw`SELECT 1`;
    },
    close: async () => {
      closing.abort();
      await Promise.all([listener.close(), notices.close()]);
      await db.$disconnect();
    },
  };
  return translatingErrors(store, translate);
}
