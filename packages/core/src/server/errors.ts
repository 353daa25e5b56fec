import { GridUnavailable } from '../link/link';

/** What the server throws, and how an outage of a service is distinguished from any other error. */

/**
 * The database or the queue is unreachable, or cannot do it now. Nothing was changed; retry later.
 */
export class ServiceUnavailable extends GridUnavailable {
  /** It is up, and has no room to write. */
  isDiskFull = false;
}

/** Waits for work on the queue, unless it is unavailable: the rows are right, and `reconcile` follows them. */
export async function unlessQueueIsDown(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof ServiceUnavailable)) throw error;
  });
}

/** Somebody has had as much as one may have; nothing was changed. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  constructor(
    message: string,
    /** When to ask again. */
    readonly retryAfterS: number,
  ) {
    super(message);
  }
}

/** A request repeats the idempotency key of another; nothing was changed. */
export class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
}

/** Node's, node-postgres's, Postgres's (SQLSTATE) and Prisma's codes for "not now". */
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOSPC', 'EDQUOT'],
  // object_not_in_prerequisite_state (the database takes no connections)
  '55000',
  // wrong password, unknown account or database
  ...['28P01', '28000', '3D000'],
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2037'],
  // rolled back: a transaction timed out or conflicted with another, or a lock was not granted
  ...['P2028', 'P2034', '40001', '40P01', '55P03'],
]);

/**
 * Classes of SQLSTATE in which the same statement may well pass later: no connection,
 * no room or memory (a full disk), an operator's doing, a fault below Postgres.
 */
const OUTAGE_CLASS = /^(08|53|57|58)[0-9A-Z]{3}$/;

/** The errors of a service whose disk is full: Postgres's code, the system's, and Redis's words. */
const DISK_FULL = /^(53100|ENOSPC|EDQUOT)$|^MISCONF |no space left/i;

/** Prisma's driver adapter's names for the same. */
const ADAPTER_KINDS = new Set([
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  ...['TlsConnectionError', 'AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
]);

/** "permission denied" for anything but a database is not an outage: a missing right stays missing. */
const CONNECTION_MESSAGES =
  /permission denied for database|connection terminated|encountered a connection error|connection is closed|timeout exceeded when trying to connect|connection ended|not accepting connections|max retries per request|stream isn't writeable|unable to start a transaction|WRONGPASS|NOAUTH|NOPERM|^(LOADING|READONLY|MISCONF|OOM|BUSY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN) /i;

/**
 * The typed one-line error for a service that cannot be reached; any other
 * error comes back as it is.
 *
 * @param what where the service should be, for example `Postgres at 127.0.0.1:5432`
 */
export function connectionError(error: unknown, what: DatabaseOrQueue): unknown {
  if (error instanceof ServiceUnavailable) return error;
  const reason = connectionReason(error);
  if (reason === null) return error;
  const { kind, at, variable } = what;
  const isDiskFull = DISK_FULL.test(reason);
  const service = `${kind === 'database' ? 'The database' : 'The queue'} at ${at}`;
  const message = isDiskFull
    ? `${service} has no room to write (${reason}). Make room on its disk.`
    : `${service} cannot be reached (${reason}). Start it, or correct ${variable}.`;
  return Object.assign(new ServiceUnavailable(message, { cause: error }), { isDiskFull });
}

export interface DatabaseOrQueue {
  readonly kind: 'database' | 'queue';
  /** Host and port, without user and password. */
  readonly at: string;
  /** The environment variable that says where it is. */
  readonly variable: 'DATABASE_URL' | 'REDIS_URL';
}

/** `host:port/database` of a URL: what may be shown. */
export function placeOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'a socket'}${pathname.length > 1 ? pathname : ''}`;
}

/** Why there is no connection, from the error or any of its causes; null for other errors. */
function connectionReason(error: unknown, depth = 0): string | null {
  if (typeof error !== 'object' || error === null || depth > 5) return null;
  const { code, kind, message, cause, meta, errors } = error as ErrorParts;
  if (typeof code === 'string' && (CONNECTION_CODES.has(code) || OUTAGE_CLASS.test(code)))
    return code;
  if (typeof kind === 'string' && ADAPTER_KINDS.has(kind)) return kind;
  if (typeof message === 'string' && CONNECTION_MESSAGES.test(message)) {
    return message.split('\n')[0] ?? message;
  }
  for (const inner of [cause, meta?.driverAdapterError, ...(errors ?? [])]) {
    const reason = connectionReason(inner, depth + 1);
    if (reason !== null) return reason;
  }
  return null;
}

/** The fields that errors of Node, node-postgres and Prisma may have. */
interface ErrorParts {
  readonly code?: unknown;
  /** Of a cause kept by Prisma's driver adapter. */
  readonly kind?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  /** Of Prisma, which keeps the adapter's error here. */
  readonly meta?: { readonly driverAdapterError?: unknown };
  /** Of an AggregateError: one for each address tried. */
  readonly errors?: readonly unknown[];
}

/**
 * The same object, and the objects in it, with every promise or async iterable that a method returns
 * rejecting with the translated error: one place instead of a catch in each method.
 */
export function translatingErrors<T extends object>(
  target: T,
  translate: (error: unknown) => unknown,
): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      if (typeof value === 'object' && value !== null) return translatingErrors(value, translate);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(object, args);
        if (isAsyncIterable(result)) return translatingItems(result, translate);
        // Prisma's promises are not native ones.
        if (!isThenable(result)) return result;
        return Promise.resolve(result).catch((error: unknown) => {
          throw translate(error);
        });
      };
    },
  });
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

async function* translatingItems(
  items: AsyncIterable<unknown>,
  translate: (error: unknown) => unknown,
): AsyncGenerator<unknown> {
  try {
    yield* items;
  } catch (error) {
    throw translate(error);
  }
}
