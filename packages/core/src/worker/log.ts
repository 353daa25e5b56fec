type Line = (facts: object, text: string) => void;

/** Where a worker tells what it does; pino's loggers are such. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Line>>;

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
