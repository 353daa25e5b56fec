import {
  type Env,
  openQueue,
  openStore,
  type Queue,
  readEnv,
  type SharedReads,
  type Store,
  sharedReads,
} from '@tilemark/core/server';
import packageJson from '../../package.json';
import { log } from './log';
import { type Reads, readsOf } from './session/reads';
import { keptSessionSecret } from './session/session';

/** Settings of the deployment, read once. */
export type Settings = Pick<Env, 'isPublic' | 'limits' | 'isBehindProxy'> & {
  readonly version: string;
  /** Seals session cookies. */
  readonly sessionSecret: string;
};

/** Everything behind the API; pages, a program of their own, open theirs and only read. */
export interface Services {
  readonly store: Store;
  readonly queue: Queue;
  /** Reads that many ask for, shared between them. */
  readonly recent: SharedReads;
  readonly settings: Settings;
  /** What readers may have of this process. */
  readonly reads: Reads;
  /** Aborts when the server stops: streams end then. */
  readonly stopping: AbortSignal;
  close(): Promise<void>;
}

/** How old an answer may be that is free: whoever asks often is told what it was a moment ago. */
export const KEEP_MS = 1_000;

let opened: Promise<Services> | null = null;

/** The services, opened by the first caller. A failure to open is tried again by the next. */
export function services(): Promise<Services> {
  opened ??= openServices().catch((error: unknown) => {
    opened = null;
    throw error;
  });
  return opened;
}

/** Puts services of the caller's own in place; for tests. */
export function provideServices(given: Services): void {
  opened = Promise.resolve(given);
}

async function openServices(): Promise<Services> {
  const env = readEnv();
  const { databaseUrl, isBehindProxy, isPublic, limits, redisUrl } = env;
  const sessionSecret = env.sessionSecret ?? (await keptSessionSecret(env.dataDir));
  const store = openStore(databaseUrl);
  let queue: Queue | undefined;
  const stop = new AbortController();
  return {
    store,
    // Pages have none.
    get queue() {
      queue ??= openQueue({
        databaseUrl,
        redisUrl,
        onError: (error) => log.warn({ err: error }, 'the queue reported an error'),
      });
      return queue;
    },
    recent: sharedReads(KEEP_MS),
    reads: readsOf(limits.read),
    settings: {
      isPublic,
      limits,
      isBehindProxy,
      sessionSecret,
      version: packageJson.version,
    },
    stopping: stop.signal,
    async close() {
      stop.abort();
      await Promise.all([queue?.close(), store.close()]);
    },
  };
}
