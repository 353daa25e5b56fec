import type { BenchFile, Coverage, EnrolmentRequest, NewSweep, Refresh } from '@tilemark/core';
import {
  type AuditNote,
  type Board,
  coverage,
  enrolWorker,
  importResults,
  type Limits,
  openQueue,
  openStore,
  type Principal,
  type Queue,
  queueBoard,
  readEnv,
  reconcileAccess,
  refreshStale,
  retrySweep,
  type Store,
  type SubmitOptions,
  type SweepServices,
  submitSweep,
  type WorkerAddresses,
} from '@tilemark/core/server';
import packageJson from '../../package.json';
import { BOARD_PATH } from './board-path';
import { log } from './log';
import { keptSessionSecret } from './session-secret';
import { sharedRead } from './shared-read';

/** What the deployment decides, read once. */
export interface Settings {
  readonly version: string;
  /** Whether reading needs no token. */
  readonly isPublic: boolean;
  /** Seals session cookies. */
  readonly sessionSecret: string;
  readonly limits: Limits;
  /** Whether a proxy of the deployment's own writes the reader's address. */
  readonly isBehindProxy: boolean;
  /** Where the grid itself finds the services. */
  readonly services: WorkerAddresses;
  /** Where the operator has said that workers find them; null: in the same place. */
  readonly workerDatabaseUrl: string | null;
  readonly workerRedisUrl: string | null;
}

/** Everything behind the routes and pages, opened once for the process. */
export interface Services {
  readonly store: Store;
  readonly queue: Queue;
  readonly sweeps: SweepOperations;
  readonly access: AccessOperations;
  /** BullMQ's own view of the queues. */
  readonly board: Board;
  readonly settings: Settings;
  /** Aborts when the server stops: streams end then. */
  readonly stopping: AbortSignal;
  close(): Promise<void>;
}

/**
 * What is done over store and queue. Bound where those two were opened, so that
 * they agree on the classes of errors; see known-errors.ts.
 */
export interface SweepOperations {
  submit(sweep: NewSweep, by: Principal, options?: SubmitOptions): ReturnType<typeof submitSweep>;
  retry(id: string, note?: AuditNote): ReturnType<typeof retrySweep>;
  import(file: BenchFile, by: Principal, note?: AuditNote): ReturnType<typeof importResults>;
  /** As it was at most 5 s ago: anybody may ask, and it reads every device's runs. */
  coverage(): Promise<Coverage>;
  /** Runs by state. Every run is counted, so it is as old as the coverage may be. */
  runsByState(): ReturnType<Store['runs']['byState']>;
  refresh(what: Refresh, by: Principal, note?: AuditNote): ReturnType<typeof refreshStale>;
}

/** Accounts of workers in Postgres and Redis. Bound as `SweepOperations` are. */
export interface AccessOperations {
  enrol(
    request: EnrolmentRequest,
    tokenId: string,
    addresses: WorkerAddresses,
    note?: AuditNote,
  ): ReturnType<typeof enrolWorker>;
  /** Ends at once what should have ended: after a worker or a token was revoked. */
  reconcile(): ReturnType<typeof reconcileAccess>;
}

export const accessOperations = (over: SweepServices): AccessOperations => ({
  enrol: (request, tokenId, addresses, note) =>
    enrolWorker(over, request, tokenId, addresses, note),
  reconcile: () => reconcileAccess(over),
});

const KEEP_MS = 5_000;

/** The operations over a store and a queue. */
export function sweepOperations(over: SweepServices): SweepOperations {
  const covered = sharedRead(() => coverage(over.store), KEEP_MS);
  return {
    submit: (sweep, by, options) => submitSweep(over, sweep, by, options),
    retry: (id, note) => retrySweep(over, id, note),
    import: (file, by, note) => importResults(over, file, by, note),
    coverage: covered,
    runsByState: sharedRead(() => over.store.runs.byState(), KEEP_MS),
    refresh: (what, by, note) => refreshStale(over, what, by, note).finally(covered.forget),
  };
}

/** Routes, pages and instrumentation are bundled apart: they share by the process's global. */
const shared = globalThis as { tilemarkServices?: Promise<Services> };

/** The services, opened by the first caller. A failure to open is tried again by the next. */
export function services(): Promise<Services> {
  shared.tilemarkServices ??= openServices().catch((error: unknown) => {
    delete shared.tilemarkServices;
    throw error;
  });
  return shared.tilemarkServices;
}

/** Puts services of the caller's own in place; for tests. */
export function provideServices(given: Services): void {
  shared.tilemarkServices = Promise.resolve(given);
}

async function openServices(): Promise<Services> {
  const env = readEnv();
  const { databaseUrl, isPublic, redisUrl, workerDatabaseUrl, workerRedisUrl } = env;
  const sessionSecret = env.sessionSecret ?? (await keptSessionSecret(env.dataDir));
  const store = openStore(databaseUrl);
  const queue = openQueue({
    databaseUrl,
    redisUrl,
    onError: (error) => log.warn({ err: error }, 'the queue reported an error'),
  });
  const stop = new AbortController();
  return {
    store,
    queue,
    sweeps: sweepOperations({ store, queue }),
    access: accessOperations({ store, queue }),
    board: queueBoard(queue, BOARD_PATH),
    settings: {
      version: packageJson.version,
      isPublic,
      sessionSecret,
      services: { databaseUrl, redisUrl },
      limits: env.limits,
      isBehindProxy: env.isBehindProxy,
      workerDatabaseUrl,
      workerRedisUrl,
    },
    stopping: stop.signal,
    async close() {
      stop.abort();
      await Promise.all([queue.close(), store.close()]);
    },
  };
}
