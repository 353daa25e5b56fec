import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { childEnvironment } from '../environment';
import type { Owner } from './system-user';

const run = promisify(execFile);

/** The account a program runs as. */
export interface Account {
  /** Absent: the user of this process. */
  readonly owner?: Owner;
  /** A command, put before the program's own, that changes to the owner itself. */
  readonly wrapper?: readonly string[];
}

/** Command, arguments and options that run a program as an account. */
function commandOf(account: Account, command: string, args: readonly string[]) {
  const { owner, wrapper = [] } = account;
  const [first = command, ...rest] = [...wrapper, command, ...args];
  return {
    file: first,
    args: rest,
    options: {
      ...(owner && wrapper.length === 0 ? owner : {}),
      env: childEnvironment({ LC_ALL: 'C' }),
    },
  };
}

/** Runs a program to completion. Rejects with its `stderr` if it fails. */
export async function runAs(
  account: Account,
  command: string,
  args: readonly string[],
): Promise<void> {
  const as = commandOf(account, command, args);
  await run(as.file, as.args, as.options);
}

/** A server of a grid's own, on loopback. */
export interface PrivateService {
  readonly url: string;
  readonly port: number;
  /** Settles when the server exits, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends open sessions, flushes to disk, and shuts down. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  /** Contains the server's data, its password, and its log. The caller ensures exclusive use. */
  readonly dataDir: string;
  /** Absent: the port of the last start, or any free one. */
  readonly port?: number;
}

export interface Daemon {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}

/**
 * Starts a server in its own process group, with its output appended to a file. Ctrl-C at the
 * terminal then reaches only its supervisor, which stops it in order.
 */
export function startDaemon(
  command: string,
  args: readonly string[],
  logFile: string,
  account: Account = {},
): Daemon {
  const as = commandOf(account, command, args);
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(as.file, as.args, {
    ...as.options,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return { child, exited };
}

export const isRunning = ({ child }: Daemon): boolean =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null;

/** The command line of a running process, or null if there is none with this id. */
export async function commandLine(pid: number): Promise<string | null> {
  // Linux without procps has no `ps`; other systems have no /proc.
  const proc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (proc) return proc.replaceAll('\0', ' ');
  return run('ps', ['-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim() || null,
    () => null,
  );
}

/** The last lines of a log file: what a server reported before it exited. */
export async function logTail(logFile: string, lines = 8): Promise<string> {
  const file = await open(logFile).catch(() => null);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, 8_192));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString().trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
}
