import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { childEnvironment } from '../environment';

/** A process of the grid. */
export interface Part {
  readonly name: string;
  /** Node script and its arguments. */
  readonly script: string;
  readonly args: readonly string[];
  /** Node's own. */
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** A service with its own way to start, for example the embedded Postgres. */
export interface Service {
  /** Settles when the service exits, for whatever reason. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** After running this long, a part that dies is restarted with the shortest delay again. */
const STEADY_MS = 60_000;
/** A worker may take 20 s to finish its current run; after this, parts are killed. */
const STOP_MS = 30_000;

/**
 * Keeps the grid's parts running: a part that dies is restarted with increasing delays, which is
 * reported. Parts stop in the reverse order of their start.
 */
export class Supervisor {
  private readonly stopping = new AbortController();
  private readonly stops: (() => Promise<void>)[] = [];
  private readonly leash = new URL('./leash.mjs', import.meta.url).href;

  constructor(
    private readonly logDir: string,
    private readonly say: (line: string) => void,
  ) {}

  /** Starts a process and keeps it running. Its output goes to `<logDir>/<name>.log`. */
  async run(part: Part): Promise<void> {
    await mkdir(this.logDir, { recursive: true });
    const logFile = join(this.logDir, `${part.name}.log`);
    // Errors may quote what others should not read; the log of an earlier release was for everybody.
    await chmod(logFile, 0o600).catch(() => undefined);
    let child: ChildProcess | null = null;
    const start = async (): Promise<Service> => {
      const log = openSync(logFile, 'a', 0o600);
      const flags = ['--import', this.leash, ...(part.flags ?? [])];
      const started = spawn(process.execPath, [...flags, part.script, ...part.args], {
        cwd: part.cwd,
        env: childEnvironment(part.env),
        stdio: ['ignore', log, log, 'ipc'],
        // Its own process group, so that Ctrl-C reaches only the supervisor, which stops parts in order.
        detached: true,
      });
      closeSync(log);
      child = started;
      const exited = new Promise<void>((resolve) => {
        started.on('error', () => resolve());
        started.on('close', () => resolve());
      });
      return {
        exited,
        stop: async () => {
          started.kill('SIGTERM');
          const late = await Promise.race([exited, sleep(STOP_MS, 'late', { ref: false })]);
          if (late === 'late') started.kill('SIGKILL');
          await exited;
        },
      };
    };
    const explain = () => {
      const ended = child?.signalCode ?? `exit code ${child?.exitCode}`;
      return `${part.name} stopped (${ended}); its log: ${logFile}`;
    };
    this.keep(part.name, await start(), start, explain);
  }

  /** Keeps a running service running with `restart`. */
  keep(
    name: string,
    running: Service,
    restart: () => Promise<Service>,
    explain = () => `${name} stopped`,
  ): void {
    let current = running;
    const loop = async () => {
      let delayMs = FIRST_DELAY_MS;
      const { signal } = this.stopping;
      while (!signal.aborted) {
        const sinceMs = performance.now();
        await current.exited;
        if (signal.aborted) return;
        if (performance.now() - sinceMs > STEADY_MS) delayMs = FIRST_DELAY_MS;
        this.say(`${explain()}. Starting it again in ${delayMs / 1000} s.`);
        await sleep(delayMs, undefined, { signal }).catch(() => undefined);
        delayMs = Math.min(delayMs * 2, LONGEST_DELAY_MS);
        if (signal.aborted) return;
        try {
          current = await restart();
        } catch (error) {
          this.say(`${name} could not be started: ${(error as Error).message}`);
        }
      }
    };
    const done = loop();
    this.stops.push(async () => {
      await current.stop();
      await done;
      // Stop what a pending restart has started meanwhile.
      await current.stop();
    });
  }

  /** Stops everything, last started first. */
  async stop(): Promise<void> {
    this.stopping.abort();
    for (const stop of this.stops.reverse()) await stop();
  }
}
