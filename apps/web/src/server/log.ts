import pino from 'pino';

/** The server's log: one JSON object per line on standard error, so that standard output stays the tool's. */
export const log = pino({ name: 'web' }, pino.destination({ dest: 2, sync: true }));
