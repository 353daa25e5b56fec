import { DeviceFault, fileOf, InputError, type KernelFile, type Variant } from '@tilemark/kernels';
import { type DuelOutcome, type DuelSide, SideEnded, type SideInput } from '../measure/duel';
import type { Step } from '../measure/measure';
import type { Outcome } from '../measure/outcome';
import type { RooflineSurvey } from '../measure/roofline';
import { COMPILE_WITHIN_MS } from './caution';
import type {
  Compilable,
  DeviceDescription,
  Dueling,
  FromOwner,
  ListedDevice,
  Measurable,
  ToOwner,
} from './protocol';

/** An owner that is silent for this long has hung: longer than any step of a sane run, ms. */
export const WATCHDOG_MS = 120_000;

/** The way to the process or the Web Worker that owns a device, or is about to. */
export interface OwnerChannel {
  readonly hasEnded: boolean;
  readonly pid?: number | undefined;
  post(message: ToOwner): void;
  /** @returns what ends it */
  listen(onMessage: (message: FromOwner) => void, onEnd: () => void): () => void;
  /** How it ended while at a step, in words. */
  explainEnd(step: string): string;
  /** Ends the owner, whatever it is doing, and waits for that. */
  kill(): Promise<void>;
}

/** The user's side of what owns a device. */
export class DeviceOwner {
  readonly #channel: OwnerChannel;
  readonly #watchdogMs: number;
  #lastStep: Step | 'open the device' = 'open the device';

  private constructor(channel: OwnerChannel, watchdogMs: number) {
    this.#channel = channel;
    this.#watchdogMs = watchdogMs;
  }

  /**
   * Waits until the device is open. Throws InputError if there is no such device and DeviceFault if
   * it cannot be opened.
   */
  static async open(
    channel: OwnerChannel,
    watchdogMs = WATCHDOG_MS,
  ): Promise<{ owner: DeviceOwner; description: DeviceDescription }> {
    const owner = new DeviceOwner(channel, watchdogMs);
    try {
      const description = await owner.#converse(null, (message) =>
        message.kind === 'ready' ? message.description : undefined,
      );
      return { owner, description };
    } catch (error) {
      await owner.kill();
      throw error;
    }
  }

  /** The devices that there are. Throws DeviceFault if listing them crashes a driver. */
  static async list(channel: OwnerChannel): Promise<readonly ListedDevice[]> {
    const owner = new DeviceOwner(channel, WATCHDOG_MS);
    try {
      return await owner.#converse(null, (message) =>
        message.kind === 'devices' ? message.devices : undefined,
      );
    } finally {
      await owner.kill();
    }
  }

  get pid(): number | undefined {
    return this.#channel.pid;
  }

  get hasEnded(): boolean {
    return this.#channel.hasEnded;
  }

  /**
   * Measures one run and compiles others meanwhile. Throws DeviceFault if the owner crashes,
   * hangs or loses its device.
   */
  run(
    run: Measurable,
    ahead: readonly Compilable[],
    onStep?: (step: Step) => void,
  ): Promise<Outcome> {
    const variants = [run, ...ahead].map(({ variant }) => variant);
    return this.#converse(
      { kind: 'run', run, ahead, files: filesOf(...variants) },
      (message) => (message.kind === 'outcome' ? message.outcome : undefined),
      onStep,
    );
  }

  /** Lets two variants take turns. Throws DeviceFault as `run` does. */
  duel(duel: Dueling, onStep?: (step: Step) => void): Promise<DuelOutcome> {
    return this.#converse(
      { kind: 'duel', duel, files: filesOf(duel.a, duel.b) },
      (message) => (message.kind === 'dueled' ? message.outcome : undefined),
      onStep,
    );
  }

  /** Opens one side of a duel across processes. Throws SideEnded; DeviceFault as `run` does. */
  async side(input: SideInput): Promise<DuelSide> {
    const files = filesOf(input.variant);
    await this.#ofSide({ kind: 'open side', side: input, files }, ({ kind }) =>
      kind === 'side open' ? true : undefined,
    );
    return {
      turn: () =>
        this.#ofSide({ kind: 'turn' }, (reply) => (reply.kind === 'turned' ? reply.ns : undefined)),
      end: () =>
        this.#ofSide({ kind: 'end side' }, (reply) =>
          reply.kind === 'side done' ? reply.side : undefined,
        ),
    };
  }

  async #ofSide<T>(message: ToOwner, answer: (reply: FromOwner) => T | undefined): Promise<T> {
    const reply = await this.#converse(message, (reply) => {
      if (reply.kind === 'side ended') return { ended: reply.outcome };
      const value = answer(reply);
      return value === undefined ? undefined : { value };
    });
    if ('ended' in reply) throw new SideEnded(reply.ended);
    return reply.value;
  }

  /** Probes the device; null if it has no probes. Throws DeviceFault as `run` does. */
  survey(): Promise<RooflineSurvey | null> {
    return this.#converse({ kind: 'survey' }, (message) =>
      message.kind === 'surveyed' ? message.survey : undefined,
    );
  }

  kill(): Promise<void> {
    return this.#channel.kill();
  }

  /** Sends a message, then listens until `answer` recognises a reply. */
  async #converse<T>(
    message: ToOwner | null,
    answer: (message: FromOwner) => T | undefined,
    onStep?: (step: Step) => void,
  ): Promise<T> {
    const channel = this.#channel;
    const isForeign = message !== null && 'files' in message && message.files.length > 0;
    let hung: ReturnType<typeof setTimeout> | undefined;
    let stopListening = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        const fail = (how: string) => reject(new DeviceFault(how));
        const watch = () => {
          clearTimeout(hung);
          const isCompiling = this.#lastStep === 'compile' && isForeign;
          const ms = isCompiling ? Math.min(COMPILE_WITHIN_MS, this.#watchdogMs) : this.#watchdogMs;
          const silent = `no answer for ${ms / 1000} s at step: ${this.#lastStep}`;
          hung = setTimeout(() => fail(silent), ms);
        };
        const onMessage = (reply: FromOwner) => {
          if (reply.kind === 'step') this.#lastStep = reply.step;
          watch();
          if (reply.kind === 'failure') {
            const { message: text, field } = reply;
            return reject(field === null ? new DeviceFault(text) : new InputError(text, field));
          }
          if (reply.kind === 'step') onStep?.(reply.step);
          const value = answer(reply);
          if (value !== undefined) resolve(value);
        };
        const onEnd = () => fail(channel.explainEnd(this.#lastStep));
        stopListening = channel.listen(onMessage, onEnd);
        watch();
        if (channel.hasEnded) onEnd();
        else if (message) channel.post(message);
      });
    } finally {
      clearTimeout(hung);
      stopListening();
    }
  }
}

/** The files of contributed variants, which the owner needs. */
const filesOf = (...variants: readonly Variant[]): KernelFile[] =>
  variants.flatMap(({ kernel }) => fileOf(kernel) ?? []);
