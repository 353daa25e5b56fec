import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { placeOf } from '../errors';
import { type Backend, JOB_OPTIONS, type JobData, type OnError } from './backend';

const CONNECT_TIMEOUT_MS = 5_000;
const reconnectDelayMs = (attempt: number) => Math.min(100 * 2 ** attempt, 3_000);

/** Jobs in Redis or Valkey. */
export function redisBackend(url: string, prefix: string, report: OnError): Backend {
  const onError = (error: Error): void => {
    // Of a login that was refused it is AUTH with the password.
    Reflect.deleteProperty(error, 'command');
    report(error);
  };
  const place = { kind: 'queue', at: placeOf(url), variable: 'REDIS_URL' } as const;
  // For requests: a command that cannot be sent fails instead of waiting for Redis to come back.
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: reconnectDelayMs,
    enableAutoPipelining: true,
  });
  // Every queue listens on it: as many as there are devices.
  client.setMaxListeners(Number.POSITIVE_INFINITY);
  let lastError: Error | null = null;
  client.on('error', (error: Error) => {
    onError(error);
    lastError = error;
  });

  const connected = async (): Promise<void> => {
    if (client.status === 'ready') return;
    if (client.status === 'wait') client.connect().catch(() => undefined);
    const giveUp = new AbortController();
    try {
      await Promise.race([
        once(client, 'ready', { signal: giveUp.signal }),
        once(client, 'close', { signal: giveUp.signal }),
        sleep(CONNECT_TIMEOUT_MS, undefined, { signal: giveUp.signal, ref: false }),
      ]);
    } finally {
      giveUp.abort();
    }
    // Read again: the wait may have changed it.
    if ((client.status as string) !== 'ready') {
      throw lastError ?? Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' });
    }
  };

  // For fetching: it waits for Redis to come back, however long that takes. BullMQ adds a
  // connection of its own per queue, which blocks.
  let patient: Redis | null = null;
  const waiting = (): Redis => {
    if (patient) return patient;
    patient = new Redis(url, {
      connectTimeout: CONNECT_TIMEOUT_MS,
      maxRetriesPerRequest: null,
      retryStrategy: reconnectDelayMs,
      enableAutoPipelining: true,
    });
    patient.setMaxListeners(Number.POSITIVE_INFINITY);
    patient.on('error', onError);
    return patient;
  };

  return {
    kind: 'redis',
    place,
    connected,
    ping: async () => {
      await connected();
      await client.ping();
    },
    openQueue: (name) => {
      const queue = new Queue<JobData>(name, {
        connection: client,
        prefix,
        defaultJobOptions: JOB_OPTIONS,
      });
      queue.on('error', onError);
      return queue;
    },
    openWorker: (name, options) => {
      const connection = waiting();
      const worker = new Worker<JobData>(name, null, { ...options, connection, prefix });
      worker.on('error', onError);
      return worker;
    },
    close: async () => {
      client.disconnect();
      patient?.disconnect();
    },
  };
}
