import { EventEmitter } from 'node:events';
import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import pg from 'pg';

export type Listener = ReturnType<typeof openListener>;

const CONNECT_TIMEOUT_MS = 5_000;

/** One connection that listens for changes of sweeps, shared by all watchers. */
export function openListener(url: string) {
  /** Emits a sweep's id when it has changed, or may have because the connection was lost. */
  const changes = new EventEmitter().setMaxListeners(0);
  let connected: Promise<pg.Client> | null = null;

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    // Until it is established, `connect` itself reports failures.
    let isEstablished = false;
    const onLost = () => {
      if (!isEstablished) return;
      isEstablished = false;
      connected = null;
      client.end().catch(() => undefined);
      for (const sweepId of changes.eventNames()) changes.emit(sweepId);
    };
    client.on('error', onLost);
    client.on('end', onLost);
    client.on('notification', ({ payload }) => payload && changes.emit(payload));
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    isEstablished = true;
    return client;
  };

  return {
    changes,
    /** Resolves once changes are heard; rejects if the database is unreachable. */
    async listen(): Promise<void> {
      connected ??= connect();
      const attempt = connected;
      await attempt.catch((error: unknown) => {
        if (connected === attempt) connected = null;
        throw error;
      });
    },
    async close(): Promise<void> {
      const client = await connected?.catch(() => null);
      client?.removeAllListeners('end');
      await client?.end();
    },
  };
}

/** The Postgres channel for changes of sweeps; the payload is the sweep's id. */
const CHANNEL = 'tilemark_sweeps';

/**
 * Wakes every watcher of a sweep; inside a transaction, after its commit. If the sender dies before
 * notifying, watchers look for themselves within seconds.
 */
export async function notifySweep(
  db: PrismaClient | Prisma.TransactionClient,
  sweepId: string,
): Promise<void> {
  await db.$executeRaw`${PREPARED} SELECT pg_notify(${CHANNEL}, ${sweepId})`;
}

/** Watchers gather changes for as long (watch.ts). */
const NOTICES_EVERY_MS = 100;

export type Notices = ReturnType<typeof openNotices>;

/**
 * Wakes the watchers of sweeps soon: one statement for all sweeps that change within a tenth of a
 * second, since Postgres commits transactions that notify one at a time.
 */
export function openNotices(db: PrismaClient) {
  const due = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<unknown> = Promise.resolve();
  const send = (): void => {
    timer = undefined;
    const ids = [...due];
    due.clear();
    // Watchers look for themselves within seconds.
    sending = db.$executeRaw`
      ${PREPARED} SELECT pg_notify(${CHANNEL}, id) FROM unnest(${ids}::text[]) AS id`.catch(
      () => undefined,
    );
  };
  return {
    soon(sweepId: string): void {
      due.add(sweepId);
      timer ??= setTimeout(send, NOTICES_EVERY_MS).unref();
    },
    async close(): Promise<void> {
      if (timer) {
        clearTimeout(timer);
        send();
      }
      await sending;
    },
  };
}
