import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Who a process runs as; empty: as this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Daemon {
  readonly child: ChildProcess;
  readonly exited: Promise<void>;
}

/**
 * Starts a server in a process group of its own (Ctrl-C at the terminal reaches
 * only its supervisor, which stops it in order), with its output appended to a file.
 */
export function startDaemon(
  command: string,
  args: readonly string[],
  logFile: string,
  account: Account = {},
): Daemon {
  const log = openSync(logFile, 'a', 0o600);
  const child = spawn(command, args, {
    ...account,
    stdio: ['ignore', log, log],
    detached: true,
    env: { ...process.env, LC_ALL: 'C' },
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

/** The command line of a running process, or null when there is none with this id. */
export async function commandLine(pid: number): Promise<string | null> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return null;
  }
  // Linux without procps has no `ps`; other systems have no /proc.
  const proc = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null);
  if (proc !== null) return proc.replaceAll('\0', ' ');
  return run('ps', ['-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  );
}

/** Waits until a process is gone. */
export async function waitForEnd(pid: number, withinMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + withinMs;
  while ((await commandLine(pid)) !== null) {
    if (performance.now() > deadlineMs) return false;
    await sleep(50);
  }
  return true;
}

/** The last lines of a log file: what a server said before it gave up. */
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
