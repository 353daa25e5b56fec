import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../scripts/services/port';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** A grid as `npm start` makes it, on a free port. */
export interface Grid {
  readonly url: string;
  readonly port: number;
  /** The URL that logs a browser in once, as printed. */
  readonly printedUrl: string;
  /** The secret in `admin-token` of the data folder. */
  readonly adminToken: string;
  /** Logs a browser in as often as it is opened. */
  readonly loginUrl: string;
  readonly dataDir: string;
  /** Exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  /** Everything printed so far. */
  output(): string;
  /** Sends a signal to the process group, as a terminal does, and waits; returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a grid on `dataDir` and waits until it has printed its URL.
 *
 * @param onPort absent: any free one
 * @param wrapper a command that runs it
 */
export async function startGrid(
  dataDir: string,
  flags: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  onPort?: number,
  wrapper: readonly string[] = [],
): Promise<Grid> {
  const port = onPort ?? (await freePort());
  const start = join(root, 'scripts', 'start.mjs');
  const [program = process.execPath, ...args] = [...wrapper, process.execPath, start];
  const child = spawn(
    program,
    [...args, '--port', String(port), '--data', dataDir, ...flags],
    // A process group of its own, so that signals reach it as a terminal's would.
    {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, DATABASE_URL: '', REDIS_URL: '', ...env },
    },
  );
  let output = '';
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const printedUrl = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const printed = /http:\/\/\S+\/login\?code=\S+/.exec(output)?.[0];
      if (printed) resolve(printed);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('close', () => reject(new Error(`The grid ended before it was up:\n${output}`)));
  });
  const url = `http://localhost:${port}`;
  const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
  return {
    url,
    port,
    printedUrl,
    adminToken,
    loginUrl: `${url}/login?token=${adminToken}`,
    dataDir,
    ended,
    output: () => output,
    stop: (signal = 'SIGTERM') => end(child, ended, signal),
  };
}

/** An empty data folder, and its removal. */
export async function emptyDataFolder(): Promise<{ dataDir: string; remove: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tilemark-grid-'));
  return { dataDir, remove: () => rm(dataDir, { recursive: true, force: true }) };
}

function end(
  child: ChildProcess,
  ended: Promise<number | null>,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (child.pid && child.exitCode === null && child.signalCode === null) {
    process.kill(-child.pid, signal);
  }
  return ended;
}
