/** A service that the product needs cannot be reached, or cannot do it now. Retry later; nothing was changed. */
export class ServiceUnavailable extends Error {
  override readonly name: string = 'ServiceUnavailable';
}

export class DatabaseUnavailable extends ServiceUnavailable {
  override readonly name = 'DatabaseUnavailable';
}

export class QueueUnavailable extends ServiceUnavailable {
  override readonly name = 'QueueUnavailable';
}

/** A service works, and does not let the grid make accounts for workers; the message says what to grant. */
export class AccountsRefused extends Error {
  override readonly name = 'AccountsRefused';
}

/** Node's, node-postgres's, Postgres's (SQLSTATE) and Prisma's codes for "not now". */
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EPIPE', 'ENOENT'],
  ...['EHOSTUNREACH', 'ENETUNREACH'],
  // object_not_in_prerequisite_state (the database takes no connections)
  '55000',
  // wrong password, unknown account or database
  ...['28P01', '28000', '3D000'],
  ...['P1000', 'P1001', 'P1002', 'P1003', 'P1008', 'P1010', 'P1011', 'P1017', 'P2024', 'P2037'],
  // rolled back: a transaction that took too long, or met another; a lock that was not had
  ...['P2028', 'P2034', '40001', '40P01', '55P03'],
]);

/**
 * Classes of SQLSTATE in which the same statement may well pass later: no connection,
 * no room or memory (a full disk), an operator's doing, a fault below Postgres.
 */
const OUTAGE_CLASS = /^(08|53|57|58)[0-9A-Z]{3}$/;

/** Prisma's driver adapter's names for the same. */
const ADAPTER_KINDS = new Set([
  ...['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'],
  ...['TlsConnectionError', 'AuthenticationFailed', 'DatabaseAccessDenied', 'DatabaseDoesNotExist'],
]);

/** "permission denied" of anything but a database is no outage: a right that is missing stays so. */
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
  const message = `${kind === 'database' ? 'The database' : 'The queue'} at ${at} cannot be reached (${reason}). Start it, or correct ${variable}.`;
  return kind === 'database'
    ? new DatabaseUnavailable(message, { cause: error })
    : new QueueUnavailable(message, { cause: error });
}

/** Wrong password, no such account: waiting does not help, other credentials do. */
const REFUSALS =
  /^(28P01|28000|P1000|AuthenticationFailed|DatabaseAccessDenied|WRONGPASS|NOAUTH|NOPERM)/;

/** Whether a service answered and does not know, or no longer knows, the account. */
export const isAccessRefused = (error: unknown): boolean =>
  error instanceof ServiceUnavailable && REFUSALS.test(connectionReason(error.cause) ?? '');

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

/**
 * Why there is no connection, looked for in the error and in what it keeps of its
 * causes; null for other errors.
 */
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

/** What Node's, node-postgres's and Prisma's errors may carry. */
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
 * The same object with every promise (or async iterable) its methods return rejecting with what
 * `translate` makes of the error: one place instead of a catch in each method.
 */
export function translatingErrors<T extends object>(
  target: T,
  translate: (error: unknown) => unknown,
): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(object, args);
        if (isAsyncIterable(result)) return translatingItems(result, translate);
        // Prisma's promises are none of the language's own.
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
