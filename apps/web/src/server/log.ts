import pino from 'pino';

/** Kept of what cannot be written. */
const MOST_KEPT_CHARS = 1_000_000;

const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_KEPT_CHARS });
// A request does not fail because the disk of the log is full: lines wait, and what is more is lost.
destination.on('error', () => undefined);

/** The server's log: one JSON object per line on standard error, so that standard output stays the tool's. */
export const log = pino({ name: 'web' }, destination);
