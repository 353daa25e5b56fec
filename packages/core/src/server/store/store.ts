import { createClient, type PrismaClient } from '@tilemark/db';
import type { OpId } from '@tilemark/kernels';
import type { RunOutcome } from '../../api/run';
import type { WorkingState } from '../../link/wire';
import { batched } from '../batched';
import { connectionError, placeOf, ServiceUnavailable, translatingErrors } from '../errors';
import { sharedReads } from '../shared-read';
import { answersOf } from './best/answer';
import { changesOn } from './boards/changes';
import { enginesOf } from './boards/engines';
import { kernelResultsOf } from './boards/kernel-results';
import { leaderboardOf } from './boards/leaderboard';
import { portabilityOf } from './boards/portability';
import { problemsOn } from './boards/problems';
import { devicesWithWinners, winnersOn } from './boards/winners';
import { bound } from './bound';
import { addKernel } from './contributed/add';
import { admitKernels } from './contributed/admit';
import { getKernel } from './contributed/get';
import { listKernels } from './contributed/list';
import { publishKernel } from './contributed/publish';
import { removeKernel } from './contributed/remove';
import { contributedResults } from './contributed/results';
import { unprovedOf } from './contributed/unproved';
import { canonicalJson, sha256 } from './database';
import { bestOnDevice } from './devices/best';
import { deviceHistoryOf } from './devices/history';
import { labelDevice } from './devices/label';
import { getDevice, listDevices } from './devices/list';
import { deviceSummaries } from './devices/summaries';
import { devicesToPlan } from './devices/to-plan';
import { runSecondsOf } from './estimates';
import { classOf } from './invites/class';
import { createInvite } from './invites/create';
import { findInvite, inviteOf, listInvites, removeStudent, revokeInvite } from './invites/list';
import { redeemInvite } from './invites/redeem';
import { openLimiters } from './limits/limiters';
import { limitPassed } from './limits/passed';
import { takeRequest } from './limits/take';
import { openListener, openNotices } from './notices';
import { record } from './record/record';
import type { KeptContents } from './record/write';
import { confirmResult } from './results/confirm';
import { getResult } from './results/get';
import { latestRoofs, roofsOf } from './roofs/read';
import { recordSurvey } from './roofs/record-survey';
import { runViewsOf } from './run-view';
import { type Claim, claimRuns, whyNotClaimed } from './runs/claim';
import { pendingRuns } from './runs/pending';
import { reclaimRuns } from './runs/reclaim';
import { releaseRun } from './runs/release';
import { reviewRuns } from './runs/review';
import { decide } from './searches/decide';
import { cancelSweep } from './sweeps/cancel';
import { createSweep } from './sweeps/create';
import { importSweep } from './sweeps/import';
import { listSweeps, sweepsOfSuite } from './sweeps/list';
import { resultKinds, sweepResults } from './sweeps/results';
import { retryFailed } from './sweeps/retry';
import { getSweep } from './sweeps/views';
import { visitsOf } from './sweeps/visits';
import { waitingOf } from './sweeps/waiting';
import { watchOf } from './sweeps/watch';
import { principalOfSession, redeemLoginCode, verifySecret } from './tokens/admit';
import { createToken } from './tokens/create';
import { lastAdmin, listTokens, revokeToken } from './tokens/list';
import { endSession, loginCode, openSession } from './tokens/log-in';
import { trustToken } from './tokens/trust';
import { isTrustedToken } from './trust';
import { admittedWorkers, deviceOfWorker } from './workers/admitted';
import { attachWorker } from './workers/attach';
import { detachWorker, endAccess, revokeWorker } from './workers/end';
import { heartbeat, wantOfWorker } from './workers/heartbeat';
import { listWorkers } from './workers/list';
import { listQueues } from './workers/queues';

/**
 * The store: everything the product keeps, in Postgres. A folder per noun, a file per verb; what is put
 * together here is what callers see.
 *
 * What is asked for: sweeps, followed live by `watch.ts` on the notifications of `notices.ts`, and the runs
 * that they consist of.
 * Runs that are searches, which add runs as they go: `searches/`.
 * What comes back: `record/` ends runs by the gate, in one transaction, which writes their results and moves
 * the rows of `VariantBest` (`boards/move.ts`) and the roofs (`roofs/move.ts`).
 * What it adds up to: `boards/`, each a function of a query, from the rows that `boards/headlines.ts` reads;
 * their number does not grow with history. `best/` answers what to run.
 *
 * Two rules apply everywhere. Writing the same thing twice changes nothing. Contended rows are moved by
 * single statements, so Postgres itself decides between concurrent writers.
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

/** Counting the winners of a million results takes Postgres a tenth of a second. */
const WINNERS_MS = 30_000;

/**
 * The store on a migrated Postgres database. Connects on first use: an outage shows as
 * `ServiceUnavailable` from each method, and ends when the database is back.
 *
 * @param databaseUrl `postgres://user:password@host:port/database`
 */
export function openStore(databaseUrl: string) {
  const place = { kind: 'database', at: placeOf(databaseUrl), variable: 'DATABASE_URL' } as const;
  const translate = (error: unknown) => connectionError(error, place);

  const db = createClient(databaseUrl);
  // Readers of one board who ask at the same time share one read of it; none is kept.
  const shared = sharedReads(0);
  const board =
    <Asked, Answer>(name: string, read: (db: PrismaClient, asked: Asked) => Promise<Answer>) =>
    (asked: Asked) =>
      shared.read(`${name} ${canonicalJson(asked)}`, () => read(db, asked));
  const limiters = openLimiters(db);
  const lasting = sharedReads(WINNERS_MS);
  const tokens = bound(db, {
    create: createToken,
    verify: verifySecret,
    openSession,
    ofSession: principalOfSession,
    endSession,
    loginCode,
    redeem: redeemLoginCode,
    revoke: revokeToken,
    isTrusted: isTrustedToken,
    trust: trustToken,
    lastAdmin,
    list: listTokens,
  });
  const invites = bound(db, {
    create: createInvite,
    redeem: redeemInvite,
    list: listInvites,
    find: findInvite,
    of: inviteOf,
    class: classOf,
    removeStudent,
    revoke: revokeInvite,
  });
  const workers = bound(db, {
    attach: attachWorker,
    admitted: admittedWorkers,
    deviceOf: deviceOfWorker,
    heartbeat,
    detach: detachWorker,
    list: (db) => listWorkers(db),
    queues: listQueues,
    want: wantOfWorker,
    revoke: revokeWorker,
    endAccess,
  });
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
  const runs = bound(db, {
    whyNotClaimed,
    release: releaseRun,
    review: reviewRuns,
    decide,
    pending: pendingRuns,
    reclaim: reclaimRuns,
  });
  const claimed = batched((claims: readonly Claim[]) => claimRuns(db, notices, claims), {
    gatherMs: GATHER_MS.claims,
    isOutage,
  });
  const kept: KeptContents = new Set();
  const recorded = batched(
    (outcomes: readonly RunOutcome[]) => record(db, notices, kept, outcomes),
    {
      gatherMs: GATHER_MS.results,
      isOutage,
      keyOf: ({ runId }) => runId,
    },
  );
  const beaten = batched(workers.heartbeat, {
    gatherMs: GATHER_MS.heartbeats,
    isOutage,
    keyOf: ({ workerId }) => workerId,
  });
  const reviewed = batched(runs.review, { gatherMs: GATHER_MS.heartbeats, isOutage });
  const listener = openListener(databaseUrl);
  const closing = new AbortController();
  const store = {
    sweeps: {
      ...bound(db, {
        get: getSweep,
        create: createSweep,
        import: importSweep,
        list: listSweeps,
        results: sweepResults,
        kinds: resultKinds,
        waiting: (db, id: string) => waitingOf(db, [id]),
        runs: runViewsOf,
        cancel: cancelSweep,
        retryFailed,
        ofSuite: sweepsOfSuite,
      }),
      watch: watchOf(db, listener, closing.signal, translate),
    },
    runs: {
      ...runs,
      claim: (runId: string, workerId: string) => claimed({ runId, workerId }),
      /** False: the run had ended already, or was dropped. */
      record: async (record: RunOutcome) => ({ recorded: await recorded(record) }),
      review: reviewed,
    },
    results: bound(db, { get: getResult, confirm: confirmResult }),
    devices: {
      ...bound(db, {
        list: listDevices,
        get: getDevice,
        label: labelDevice,
        toPlan: devicesToPlan,
        summaries: deviceSummaries,
        runSeconds: runSecondsOf,
      }),
      best: board('device', bestOnDevice),
      history: board('history', deviceHistoryOf),
    },
    rooflines: bound(db, { record: recordSurvey, latest: latestRoofs, roofs: roofsOf }),
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
    invites: {
      ...invites,
      removeStudent: ending(invites.removeStudent),
      revoke: ending(invites.revoke),
    },
    contributed: bound(db, {
      add: addKernel,
      admit: admitKernels,
      get: getKernel,
      list: listKernels,
      publish: publishKernel,
      remove: removeKernel,
      results: contributedResults,
      unprovedOf,
    }),
    changes: board('changes', changesOn),
    visits: (deviceKeys: readonly string[]) => visitsOf(db, deviceKeys),
    limits: { take: takeRequest.bind(null, limiters), passed: limitPassed.bind(null, limiters) },
    kernelResults: board('kernel', kernelResultsOf),
    engines: board('engines', enginesOf),
    /** As they were at most 30 s ago: it reads every headline. */
    devicesWithWinners: (op: OpId) =>
      lasting.read(`devices with winners ${op}`, () => devicesWithWinners(db, op)),
    winners: board('winners', winnersOn),
    leaderboard: board('leaderboard', leaderboardOf),
    portability: board('portability', portabilityOf),
    problemsOn: board('problems', problemsOn),
    ...answersOf(db),
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
