type Line = (facts: object, text: string) => void;

/** The log of a worker; pino's loggers fit. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Line>>;

/** The message of an error, whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
