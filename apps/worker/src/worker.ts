import { hostname } from 'node:os';
import { setInterval } from 'node:timers/promises';
import type { DeviceClass, Step } from '@tilemark/core';
import type {
  ClaimedRun,
  Queue,
  RecordedRun,
  RunConsumer,
  RunJob,
  Store,
} from '@tilemark/core/server';
import { ServiceUnavailable } from '@tilemark/core/server';
import { DeviceFault } from '@tilemark/kernels';
import type { Logger } from 'pino';
import type { DeviceDescription } from './device/device';
import type { Journal } from './journal';
import { withMachineLock } from './machine-lock';
import type { Runner, RunReport } from './runner';
import { VERSION } from './version';
import { doneWithin } from './within';

const HEARTBEAT_MS = 5_000;

/** A run in hand may take this long to end before a worker that stops gives it back, ms. */
const FINISH_WITHIN_MS = 20_000;

/** A service that is away is not waited for longer than this by a worker that stops, ms. */
export const LEAVE_WITHIN_MS = 2_000;

/** A run that this many workers were lost over is not tried again: it may be what ends them. */
const MAX_ATTEMPTS = 3;

export interface WorkerParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly runner: Runner;
  readonly journal: Journal;
  readonly log: Logger;
  readonly finishWithinMs?: number;
  readonly lockPath?: string;
}

export interface Attached {
  readonly worker: Worker;
  readonly workerId: string;
  readonly deviceKey: string;
  readonly deviceClass: DeviceClass;
  /** Whether no worker had it before. */
  readonly newDevice: boolean;
}

/** The run was given back because the worker stops; another worker, or the next start, takes it. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Serves the queue of one device: claims a run, measures it, keeps the result in
 * the journal, writes it to the store, strikes it from the journal.
 */
export class Worker {
  /** Settles when the device is gone for good: this worker is of no more use. */
  readonly gone: Promise<DeviceFault>;
  readonly #parts: WorkerParts;
  readonly #id: string;
  #tellGone: (fault: DeviceFault) => void = () => {};
  /** Ends the heartbeat. */
  readonly #ending = new AbortController();
  /** Ends the run in hand. */
  readonly #interrupt = new AbortController();
  #state: 'idle' | 'running' | 'draining' = 'idle';
  #consumer: RunConsumer | null = null;
  /** Settles when the last run taken has ended, however. */
  #inHand: Promise<unknown> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #writing: Promise<void> = Promise.resolve();
  #isStoreAway = false;

  private constructor(parts: WorkerParts, id: string) {
    this.#parts = parts;
    this.#id = id;
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
  }

  /**
   * Opens the device, registers it and this worker, and begins to take runs.
   * Throws InputError and DeviceFault of the device, ServiceUnavailable of the services.
   */
  static async attach(parts: WorkerParts): Promise<Attached> {
    const { store, queue, runner, log } = parts;
    await queue.ping();
    const { identity, capabilities }: DeviceDescription = await runner.open('default');
    const { workerId, deviceKey, newDevice } = await store.workers.attach({
      name: `${hostname()}: ${identity.device}`,
      host: hostname(),
      version: VERSION,
      identity,
      capabilities,
    });
    log.info({ workerId, deviceKey, device: identity.device }, 'attached');
    const worker = new Worker(parts, workerId);
    await worker.#writeJournal();
    worker.#beating = worker.#beat();
    worker.#consumer = await queue.consume(deviceKey, (job, signal) => {
      const taken = worker.#take(job, signal);
      worker.#inHand = taken.catch(() => {});
      return taken;
    });
    return { worker, workerId, deviceKey, deviceClass: identity.class, newDevice };
  }

  /**
   * Takes no new run, finishes the one in hand or gives it back after 20 s, and
   * signs off. Calling it again gives the run back at once. A service that is away
   * delays it by seconds and no more; never throws.
   */
  async stop(): Promise<void> {
    const { log, finishWithinMs = FINISH_WITHIN_MS } = this.#parts;
    if (this.#state === 'draining') {
      this.#interrupt.abort();
      return;
    }
    log.info(this.#state === 'running' ? 'stopping once the run in hand has ended' : 'stopping');
    this.#state = 'draining';
    const drained = this.#drain();
    await doneWithin(finishWithinMs, this.#inHand);
    this.#interrupt.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, drained))) log.warn('the queue does not answer');
    this.#ending.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, this.#signOff()))) {
      log.warn('could not sign off in time; the worker will be listed as lost');
    }
    log.info('stopped');
  }

  async #drain(): Promise<void> {
    try {
      await this.#consumer?.close();
    } catch (error) {
      this.#parts.log.warn({ error: messageOf(error) }, 'could not leave the queue');
    }
  }

  async #signOff(): Promise<void> {
    const { store, runner, log } = this.#parts;
    await Promise.all([runner.close(), this.#beating]);
    await this.#writeJournal();
    await store.workers.detach(this.#id).catch((error: unknown) => {
      log.warn(
        { error: messageOf(error) },
        'could not sign off; the worker will be listed as lost',
      );
    });
  }

  async #take({ runId }: RunJob, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#parts;
    const run = await store.runs.claim(runId, this.#id);
    if (!run) return log.debug({ runId }, 'not pending any more');
    await this.#become('running');
    try {
      const report = await this.#measure(run, AbortSignal.any([signal, this.#interrupt.signal]));
      await this.#keep(run, report);
    } catch (error) {
      log.warn({ runId, error: messageOf(error) }, 'run given back');
      if (error instanceof DeviceFault) this.#tellGone(error);
      await store.runs.release(runId, this.#id).catch((cause: unknown) => {
        log.warn({ runId, error: messageOf(cause) }, 'could not give the run back');
      });
      throw error;
    } finally {
      await this.#become('idle');
    }
  }

  /** Tells the store at once, for people who watch; a worker that drains goes on draining. */
  async #become(state: 'idle' | 'running'): Promise<void> {
    if (this.#state === 'draining') return;
    this.#state = state;
    await this.#heartbeat();
  }

  /** Measures while nothing else on this machine does. Throws Interrupted when aborted. */
  async #measure(run: ClaimedRun, signal: AbortSignal): Promise<RunReport> {
    const { runner, log, lockPath } = this.#parts;
    const onStep = (step: Step) => log.debug({ runId: run.id, step });
    try {
      return await withMachineLock(
        () =>
          run.attempt > MAX_ATTEMPTS ? this.#giveUp(run) : runner.run(run, { onStep, signal }),
        { signal, path: lockPath },
      );
    } catch (error) {
      throw signal.aborted ? new Interrupted('the worker stops') : error;
    }
  }

  async #giveUp({ attempt, profile }: ClaimedRun): Promise<RunReport> {
    const { environment } = await this.#parts.runner.open(profile);
    const message = `${attempt - 1} workers were lost while running it`;
    return { outcome: { kind: 'failed', stage: 'device', message }, environment, wgsl: null };
  }

  /** The result is safe once it is in the journal; the store may be away. */
  async #keep(run: ClaimedRun, report: RunReport): Promise<void> {
    const { journal, log } = this.#parts;
    const { outcome } = report;
    log.info({ runId: run.id, kernel: run.variant.kernel, ...summaryOf(report) }, outcome.kind);
    await journal.append({
      runId: run.id,
      workerId: this.#id,
      ...report,
      endedAt: new Date().toISOString(),
    });
    await this.#writeJournal();
  }

  /** Writes what the journal holds to the store, one caller at a time. Never throws: it logs. */
  #writeJournal(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writePending());
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    const { journal, log } = this.#parts;
    const pending = await journal.pending().catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the journal cannot be read');
      return [];
    });
    for (const record of pending) {
      try {
        await this.#write(record);
      } catch (error) {
        if (error instanceof ServiceUnavailable) return this.#noteStore(error);
        log.error(
          { runId: record.runId, error: messageOf(error) },
          'the journal cannot be changed',
        );
      }
    }
    this.#noteStore(null);
  }

  /** Throws ServiceUnavailable, and the errors of the journal. */
  async #write(record: RecordedRun): Promise<void> {
    const { store, journal, log } = this.#parts;
    const { runId } = record;
    try {
      await store.runs.record(record);
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw error;
      log.error({ runId, error: messageOf(error) }, 'the store refused a result');
      return journal.setAside(runId);
    }
    await journal.strike(runId);
  }

  async #beat(): Promise<void> {
    try {
      for await (const _ of setInterval(HEARTBEAT_MS, undefined, { signal: this.#ending.signal })) {
        await this.#heartbeat();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }

  /** A sign of life; where the store answers, the journal is written too. */
  async #heartbeat(): Promise<void> {
    const { store, log } = this.#parts;
    try {
      await store.workers.heartbeat(this.#id, this.#state);
    } catch (error) {
      if (error instanceof ServiceUnavailable) return this.#noteStore(error);
      log.error({ error: messageOf(error) }, 'the store refused a heartbeat');
    }
    await this.#writeJournal();
  }

  /** Says once that the store went away, and once that it is back. */
  #noteStore(error: ServiceUnavailable | null): void {
    const { log } = this.#parts;
    if (error && !this.#isStoreAway) {
      log.warn({ error: error.message }, 'the store is away; results wait in the journal');
    }
    if (!error && this.#isStoreAway) log.info('the store is back; the journal is written');
    this.#isStoreAway = error !== null;
  }
}

function summaryOf({ outcome }: RunReport): Record<string, unknown> {
  switch (outcome.kind) {
    case 'measured':
      return { medianNs: outcome.measurement.cold.medianNs, stop: outcome.measurement.stop };
    case 'skipped':
      return { why: outcome.why };
    case 'incorrect':
      return { when: outcome.when, worst: outcome.worst };
    case 'failed':
      return { stage: outcome.stage, message: outcome.message };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
