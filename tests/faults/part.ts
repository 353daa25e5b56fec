import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A process of the grid under test, to be hurt by its id. */
export interface Part {
  readonly pid: number;
  readonly ended: Promise<number | null>;
  log(): Promise<string>;
  signal(signal: NodeJS.Signals): void;
  /** Signals and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface PartOptions {
  readonly script: string;
  readonly args: readonly string[];
  /** Node's own. */
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly logFile: string;
  /** A command that is put before it and becomes it. */
  readonly wrapper?: readonly string[];
}

/** Starts a Node program with its output appended to a file. */
export function startPart(options: PartOptions): Part {
  const { script, args, env, cwd, logFile, flags = [], wrapper = [] } = options;
  const log = openSync(logFile, 'a');
  const [command = '', ...rest] = [...wrapper, process.execPath, ...flags, script, ...args];
  const child = spawn(command, rest, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const signal = (name: NodeJS.Signals) => {
    if (isUp(child)) child.kill(name);
  };
  return {
    pid: child.pid ?? 0,
    ended,
    log: () => readFile(logFile, 'utf8'),
    signal,
    end: (name = 'SIGTERM') => {
      signal(name);
      // Who was stopped hears no other signal than SIGKILL.
      signal('SIGCONT');
      return ended;
    },
  };
}

const isUp = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

/** Ids of the processes that a process has started: a worker's device processes. */
export async function childrenOf(pid: number): Promise<number[]> {
  const path = `/proc/${pid}/task/${pid}/children`;
  return (await readFile(path, 'utf8').catch(() => '')).split(' ').filter(Boolean).map(Number);
}
