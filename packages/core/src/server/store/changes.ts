import { setTimeout as sleep } from 'node:timers/promises';
import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import pg from 'pg';

export interface Listener {
  /**
   * Calls back when a sweep has changed, or may have because the connection was restored. Resolves
   * to an unsubscribe function once it is listening; rejects if the database is unreachable.
   */
  subscribe(sweepId: string, onChange: () => void): Promise<() => void>;
  close(): Promise<void>;
}

const RECONNECT_DELAYS_MS = [250, 1_000, 2_000, 5_000];
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * One connection that listens for changes of sweeps, shared by all watchers. Opened on the first
 * subscription and again whenever it breaks.
 */
export function openListener(url: string): Listener {
  const subscribers = new Map<string, Set<() => void>>();
  let connected: Promise<pg.Client> | null = null;
  const closing = new AbortController();

  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    // Until it is established, `connect` itself reports failures.
    let established = false;
    const onLost = () => {
      if (!established) return;
      established = false;
      client.end().catch(() => undefined);
      void reconnect();
    };
    client.on('error', onLost);
    client.on('end', onLost);
    client.on('notification', ({ channel, payload }) => {
      if (channel !== CHANNEL || !payload) return;
      for (const onChange of subscribers.get(payload) ?? []) onChange();
    });
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    established = true;
    return client;
  };

  const reconnect = async (): Promise<void> => {
    connected = null;
    for (let attempt = 0; !closing.signal.aborted; attempt++) {
      const delayMs = RECONNECT_DELAYS_MS[attempt] ?? RECONNECT_DELAYS_MS.at(-1);
      await sleep(delayMs, undefined, { signal: closing.signal, ref: false }).catch(
        () => undefined,
      );
      if (closing.signal.aborted || subscribers.size === 0) return;
      try {
        connected ??= connect();
        await connected;
        for (const set of subscribers.values()) for (const onChange of set) onChange();
        return;
      } catch {
        connected = null;
      }
    }
  };

  return {
    async subscribe(sweepId, onChange) {
      const set = subscribers.get(sweepId) ?? new Set();
      subscribers.set(sweepId, set.add(onChange));
      const unsubscribe = () => {
        set.delete(onChange);
        if (set.size === 0) subscribers.delete(sweepId);
      };
      connected ??= connect();
      const attempt = connected;
      try {
        await attempt;
      } catch (error) {
        if (connected === attempt) connected = null;
        unsubscribe();
        throw error;
      }
      return unsubscribe;
    },
    async close() {
      closing.abort();
      const client = await connected?.catch(() => null);
      client?.removeAllListeners('end');
      await client?.end();
    },
  };
}

/** The Postgres channel for changes of sweeps; the payload is the sweep's id. */
export const CHANNEL = 'tilemark_sweeps';

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
