import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { StartProblem } from './terminal';

export interface StartOptions {
  readonly host: string;
  readonly port: number;
  readonly worker: boolean;
  /** Absolute path of the folder with all of this grid's data. */
  readonly dataDir: string;
}

export const USAGE = `Usage: npm start -- [--port 3000] [--host 127.0.0.1] [--data .tilemark] [--no-worker]

  --port       port of the site
  --host       address to listen on; beyond loopback only with an admin token made or set
  --data       folder for the database, the queue, the journal, logs and the admin token
  --no-worker  do not benchmark on this machine`;

/** Reads the flags of `npm start`; throws StartProblem naming the invalid flag. */
export function readOptions(argv: readonly string[], root: string): StartOptions | 'help' {
  let flags: { port: string; host: string; data: string; 'no-worker': boolean; help: boolean };
  try {
    flags = parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string', default: '3000' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: '.tilemark' },
        'no-worker': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new StartProblem(`${(error as Error).message}\n\n${USAGE}`);
  }
  if (flags.help) return 'help';
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartProblem(`--port must be a whole number from 1 to 65535, not "${flags.port}".`);
  }
  return {
    host: flags.host,
    port,
    worker: !flags['no-worker'],
    dataDir: resolve(root, flags.data),
  };
}

/** The host of the address that is shown and asked; an IPv6 address is in brackets there. */
export const shownHost = (host: string): string => {
  if (host === 'localhost' || /^127\./.test(host)) return 'localhost';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

/** Addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\./.test(host);
