import { type ChildProcess, fork } from 'node:child_process';
import type { DuelOutcome, Outcome, Profile, RooflineSurvey, Step } from '@tilemark/core';
import { DeviceFault, InputError } from '@tilemark/kernels';
import type { DeviceDescription } from '../device/device';
import type { ListedDevice } from '../device/select';
import type { ChildTask, Compilable, Dueling, FromChild, FromParent, Measurable } from './protocol';

/** A child that is silent for this long has hung: longer than any step of a sane run, ms. */
export const WATCHDOG_MS = 120_000;

/** The end of a child's stderr that is kept to explain its death. */
const STDERR_TAIL_CHARS = 600;

export interface DeviceProcessOptions {
  /** The bundled program of the child. */
  readonly entry: URL;
  /** What `--device` takes: an index, `cpu` or `auto`. */
  readonly device: string;
  readonly profile: Profile;
  readonly watchdogMs?: number;
}

/** The parent's side of a child process that owns a device. */
export class DeviceProcess {
  readonly #child: ChildProcess;
  readonly #watchdogMs: number;
  readonly #exited: Promise<void>;
  #stderr = '';
  #lastStep: Step | 'open the device' = 'open the device';

  private constructor(entry: URL, task: ChildTask, watchdogMs = WATCHDOG_MS) {
    this.#watchdogMs = watchdogMs;
    this.#child = fork(entry, [JSON.stringify(task)], {
      // Samples may contain what JSON cannot.
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL_CHARS);
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', () => resolve());
    });
  }

  /**
   * Starts a child and waits until its device is open. Throws InputError if
   * there is no such device and DeviceFault if it cannot be opened.
   */
  static async open(
    options: DeviceProcessOptions,
  ): Promise<{ process: DeviceProcess; description: DeviceDescription }> {
    const { entry, device, profile, watchdogMs } = options;
    const process = new DeviceProcess(entry, { kind: 'own', device, profile }, watchdogMs);
    try {
      const description = await process.#converse(null, (message) =>
        message.kind === 'ready' ? message.description : undefined,
      );
      return { process, description };
    } catch (error) {
      await process.kill();
      throw error;
    }
  }

  /** The devices of this machine. Throws DeviceFault if listing them crashes a driver. */
  static async list(entry: URL): Promise<readonly ListedDevice[]> {
    const process = new DeviceProcess(entry, { kind: 'list' });
    try {
      return await process.#converse(null, (message) =>
        message.kind === 'devices' ? message.devices : undefined,
      );
    } finally {
      await process.kill();
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /**
   * Measures one run and compiles the next meanwhile. Throws DeviceFault if the child
   * crashes, hangs or loses its device.
   */
  run(run: Measurable, next: Compilable | null, onStep?: (step: Step) => void): Promise<Outcome> {
    return this.#converse({ kind: 'run', run, next }, (message) => {
      if (message.kind === 'step') {
        this.#lastStep = message.step;
        onStep?.(message.step);
      }
      return message.kind === 'outcome' ? message.outcome : undefined;
    });
  }

  /** Lets two variants take turns. Throws DeviceFault as `run` does. */
  duel(duel: Dueling, onStep?: (step: Step) => void): Promise<DuelOutcome> {
    return this.#converse({ kind: 'duel', duel }, (message) => {
      if (message.kind === 'step') {
        this.#lastStep = message.step;
        onStep?.(message.step);
      }
      return message.kind === 'dueled' ? message.outcome : undefined;
    });
  }

  /** Probes the device; null if it has no probes. Throws DeviceFault as `run` does. */
  survey(): Promise<RooflineSurvey | null> {
    return this.#converse({ kind: 'survey' }, (message) => {
      if (message.kind === 'step') this.#lastStep = message.step;
      return message.kind === 'surveyed' ? message.survey : undefined;
    });
  }

  /** Kills the child, whatever it is doing, and waits for its end. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Sends a message, then listens until `answer` recognises a reply. */
  async #converse<T>(
    message: FromParent | null,
    answer: (message: FromChild) => T | undefined,
  ): Promise<T> {
    const child = this.#child;
    const ended = new AbortController();
    try {
      return await new Promise<T>((resolve, reject) => {
        const hung = setTimeout(() => {
          const seconds = this.#watchdogMs / 1000;
          reject(new DeviceFault(`no answer for ${seconds} s at step: ${this.#lastStep}`));
        }, this.#watchdogMs);
        const onMessage = (reply: FromChild) => {
          hung.refresh();
          if (reply.kind === 'failure') {
            const { message, field } = reply;
            return reject(
              field === null ? new DeviceFault(message) : new InputError(message, field),
            );
          }
          const value = answer(reply);
          if (value !== undefined) resolve(value);
        };
        const onClose = () => reject(new DeviceFault(this.#explainEnd()));
        child.on('message', onMessage);
        child.once('close', onClose);
        ended.signal.addEventListener('abort', () => {
          clearTimeout(hung);
          child.off('message', onMessage);
          child.off('close', onClose);
        });
        if (this.hasEnded) onClose();
        else if (message)
          child.send(message, (error) => error && reject(new DeviceFault(error.message)));
      });
    } finally {
      ended.abort();
    }
  }

  #explainEnd(): string {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;
    const said = this.#stderr.trim();
    return `the GPU process ${how} at step: ${this.#lastStep}${said ? `; it said: ${said}` : ''}`;
  }
}
