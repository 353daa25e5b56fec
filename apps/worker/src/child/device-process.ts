import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { FromOwner, OwnerChannel, Profile, ToOwner } from '@tilemark/core';
import { withoutSecrets } from '@tilemark/core/env';
import { type Card, cardNamed, launchOf } from '../gpu/cards';

/** The task of a child, passed as JSON in its only argument. */
export type ChildTask =
  /** List the devices of this machine and exit: even that can crash a driver. */
  | { readonly kind: 'list' }
  /** Own a device; `device` is what `--device` takes: an index, a bus id, a UUID, `cpu` or `auto`. */
  | {
      readonly kind: 'own';
      readonly device: string;
      readonly profile: Profile;
      /** The folder of another release of `webgpu` than the one that ships. */
      readonly release?: string | undefined;
      /** That of the bus id or UUID. */
      readonly card?: Card;
    };

/** The end of a child's stderr that is kept to explain its death. */
const STDERR_TAIL_CHARS = 600;

/** How often a process with a limit is asked what memory it has, ms. */
const LOOK_EVERY_MS = 100;

/** A user of this system, by its numbers. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

interface ProcessLimits {
  /** It is ended when it has more; where the system does not tell, it is not. */
  readonly memoryBytes?: number;
  /** Who it runs as; absent: who started it. Only root may choose. */
  readonly account?: Account | undefined;
}

/** A child process that owns a device, or lists them. Its environment opens nothing of the grid. */
export class DeviceProcess implements OwnerChannel {
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #stderr = '';
  #hasTooMuch = false;

  /** @param entry the bundled program of the child */
  constructor(entry: URL, task: ChildTask, { account, memoryBytes }: ProcessLimits = {}) {
    const card = task.kind === 'own' ? cardNamed(task.device) : undefined;
    // The driver's tool may not work where cards are hidden, so the child gets the id of its own card.
    this.#child = fork(entry, [JSON.stringify(card ? { ...task, card } : task)], {
      // Samples may contain what JSON cannot.
      serialization: 'advanced',
      env: withoutSecrets(),
      ...account,
      ...(card ? launchOf(card) : { execArgv: [] }),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
    });
    if (memoryBytes !== undefined) this.#limit(memoryBytes);
  }

  /** A compiler in its hands does not stop to look at itself. */
  #limit(memoryBytes: number): void {
    const looking = setInterval(async () => {
      if ((await residentBytes(this.#child.pid)) <= memoryBytes) return;
      this.#hasTooMuch = true;
      this.#child.kill('SIGKILL');
    }, LOOK_EVERY_MS);
    looking.unref();
    this.#child.once('close', () => clearInterval(looking));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  post(message: ToOwner): void {
    this.#child.send(message, (error) => {
      // Its channel is closed: it is as good as gone.
      if (error) this.#child.kill('SIGKILL');
    });
  }

  listen(onMessage: (message: FromOwner) => void, onEnd: () => void): () => void {
    this.#child.on('message', onMessage).once('close', onEnd);
    return () => void this.#child.off('message', onMessage).off('close', onEnd);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  explainEnd(step: string): string {
    const { exitCode, signalCode } = this.#child;
    if (this.#hasTooMuch) return `the kernel needed too much memory at step: ${step}`;
    const how = signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;
    const said = this.#stderr.trim();
    return `the GPU process ${how} at step: ${step}${said ? `; it said: ${said}` : ''}`;
  }
}

/** Memory of a process that is not swapped out; 0 where there is no /proc, or no such process. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return 1024 * Number(/^VmRSS:\s*(\d+) kB/m.exec(text)?.[1] ?? 0);
}
