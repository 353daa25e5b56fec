import { setInterval } from 'node:timers/promises';
import type { DeviceClass, Enrolment, Step, WantedState } from '@tilemark/core';
import type { ClaimedRun, Queue, RunJob, Store } from '@tilemark/core/server';
import { ServiceUnavailable } from '@tilemark/core/server';
import { DeviceFault } from '@tilemark/kernels';
import type { Logger } from 'pino';
import { listedAs } from './enroll';
import type { Journal } from './journal';
import { withMachineLock } from './machine-lock';
import { messageOf } from './message';
import { Outbox } from './outbox';
import type { Runner, RunReport } from './runner';
import type { Seat } from './seat';
import { Serving } from './serving';
import { doneWithin } from './within';

const HEARTBEAT_MS = 5_000;

/** Without a run for this long a worker says that it is idle; between two runs it is not, ms. */
const IDLE_AFTER_MS = 250;

/** A run in hand may take this long to end before a worker that stops gives it back, ms. */
const FINISH_WITHIN_MS = 20_000;

/** A service that is away is not waited for longer than this by a worker that stops, ms. */
export const LEAVE_WITHIN_MS = 2_000;

/** A run that this many workers were lost over is not tried again: it may be what ends them. */
const MAX_ATTEMPTS = 3;

export interface WorkerParts {
  readonly store: Store;
  readonly queue: Queue;
  readonly runner: Pick<Runner, 'open' | 'run' | 'close'>;
  readonly journal: Journal;
  readonly log: Logger;
  /** As what the grid has attached it already; absent: it attaches itself. */
  readonly enrolled?: Pick<Enrolment, 'workerId' | 'deviceKey' | 'clockAheadMs'>;
  /** Its place, so that it takes over its row when it attaches itself again. */
  readonly seat?: Pick<Seat, 'instance' | 'number'>;
  readonly finishWithinMs?: number;
  readonly lockPath?: string;
}

export interface Attached {
  readonly worker: Worker;
  readonly workerId: string;
  readonly deviceKey: string;
  readonly deviceClass: DeviceClass;
}

/** The run was given back because the worker stops or pauses; another worker, or this one later, takes it. */
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
  /** Ends the run in hand; one for each run, and for each time that an admin paused the worker. */
  #interrupt = new AbortController();
  readonly #serving: Serving;
  readonly #outbox: Outbox;
  #wanted: WantedState = 'working';
  #isRunning = false;
  #isStopping = false;
  /** Settles when the last run taken has ended, however. */
  #inHand: Promise<unknown> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #idleSoon: NodeJS.Timeout | undefined;

  private constructor(parts: WorkerParts, id: string, deviceKey: string) {
    this.#parts = parts;
    this.#id = id;
    this.#outbox = new Outbox(parts);
    this.#serving = new Serving(() =>
      parts.queue.consume(deviceKey, (job, signal) => {
        const taken = this.#take(job, signal);
        this.#inHand = taken.catch(() => {});
        return taken;
      }),
    );
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
  }

  /**
   * Opens the device, registers it and this worker, and begins to take runs.
   * Throws InputError and DeviceFault of the device, ServiceUnavailable of the services.
   */
  static async attach(parts: WorkerParts): Promise<Attached> {
    const { store, queue, runner, seat, log } = parts;
    await queue.ping();
    const description = await runner.open('default');
    const { identity } = description;
    const { workerId, deviceKey } =
      parts.enrolled ??
      (await store.workers.attach({
        ...listedAs(description, seat?.number),
        ...(seat && { instance: seat.instance }),
      }));
    log.info({ workerId, deviceKey, device: identity.device }, 'attached');
    const worker = new Worker(parts, workerId, deviceKey);
    // Also tells what an admin wanted of it before it was started again.
    await worker.#heartbeat();
    worker.#beating = worker.#beat();
    await worker.#serve(worker.#wanted === 'working');
    return { worker, workerId, deviceKey, deviceClass: identity.class };
  }

  /**
   * Takes no new run, finishes the one in hand or gives it back after 20 s, and
   * signs off. Calling it again gives the run back at once. A service that is away
   * delays it by seconds and no more; never throws.
   */
  async stop(): Promise<void> {
    const { log, finishWithinMs = FINISH_WITHIN_MS } = this.#parts;
    if (this.#isStopping) {
      this.#interrupt.abort();
      return;
    }
    log.info(this.#isRunning ? 'stopping once the run in hand has ended' : 'stopping');
    this.#isStopping = true;
    const drained = this.#serve(false);
    await doneWithin(finishWithinMs, this.#inHand);
    this.#interrupt.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, drained))) log.warn('the queue does not answer');
    this.#ending.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, this.#signOff()))) {
      log.warn('could not sign off in time; the worker will be listed as lost');
    }
    log.info('stopped');
  }

  /** Joins or leaves the queue; never throws: the next heartbeat tries again. */
  async #serve(isWanted: boolean): Promise<void> {
    try {
      await this.#serving.want(isWanted);
    } catch (error) {
      const what = isWanted ? 'could not join the queue' : 'could not leave the queue';
      this.#parts.log.warn({ error: messageOf(error) }, what);
    }
  }

  /** Does what an admin wants: works, ends with the run in hand, or gives that one back. */
  #follow(wanted: WantedState): void {
    if (this.#isStopping) return;
    if (wanted !== this.#wanted) this.#parts.log.info({ wanted }, 'as an admin wants');
    this.#wanted = wanted;
    if (wanted === 'paused') this.#interrupt.abort();
    else if (this.#interrupt.signal.aborted) this.#interrupt = new AbortController();
    void this.#serve(wanted === 'working');
  }

  get #state(): 'idle' | 'running' | 'draining' | 'paused' {
    if (this.#isStopping) return 'draining';
    if (this.#wanted === 'working') return this.#isRunning ? 'running' : 'idle';
    return this.#isRunning ? 'draining' : 'paused';
  }

  async #signOff(): Promise<void> {
    const { store, runner, log } = this.#parts;
    clearTimeout(this.#idleSoon);
    await Promise.all([runner.close(), this.#beating]);
    await this.#outbox.write();
    await store.workers.detach(this.#id).catch((error: unknown) => {
      log.warn(
        { error: messageOf(error) },
        'could not sign off; the worker will be listed as lost',
      );
    });
  }

  async #take({ runId }: RunJob, signal: AbortSignal): Promise<void> {
    const { store, log } = this.#parts;
    // Handed over while the queue was being left.
    if (this.#wanted !== 'working') throw new Interrupted('the worker is paused');
    const run = await store.runs.claim(runId, this.#id);
    if (!run) return log.debug({ runId }, 'not pending any more');
    // The claim has told the store.
    clearTimeout(this.#idleSoon);
    this.#isRunning = true;
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
      this.#isRunning = false;
      // Node keeps something of each signal that it makes of another for as long as that one lives.
      if (!this.#interrupt.signal.aborted) this.#interrupt = new AbortController();
      if (!this.#isStopping) {
        this.#idleSoon = setTimeout(() => void this.#heartbeat(), IDLE_AFTER_MS);
      }
    }
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
      throw signal.aborted ? new Interrupted('the worker stops or is paused') : error;
    }
  }

  async #giveUp({ attempt, profile }: ClaimedRun): Promise<RunReport> {
    const { environment } = await this.#parts.runner.open(profile);
    const message = `${attempt - 1} workers were lost while running it`;
    return { outcome: { kind: 'failed', stage: 'device', message }, environment, wgsl: null };
  }

  /** The result is safe once it is in the journal; the store may be away. */
  async #keep(run: ClaimedRun, report: RunReport): Promise<void> {
    const { journal, log, enrolled } = this.#parts;
    const { outcome } = report;
    log.info({ runId: run.id, kernel: run.variant.kernel, ...summaryOf(report) }, outcome.kind);
    await journal.append({
      runId: run.id,
      workerId: this.#id,
      ...report,
      // By the grid's clock: this machine's may be wrong.
      endedAt: new Date(Date.now() - (enrolled?.clockAheadMs ?? 0)).toISOString(),
    });
    await this.#outbox.write();
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

  /** A sign of life that tells what an admin wants; where the store answers, the journal is written too. */
  async #heartbeat(): Promise<void> {
    const { store, log } = this.#parts;
    try {
      const said = this.#state;
      this.#follow(await store.workers.heartbeat(this.#id, said));
      // A claim that was made meanwhile had told the store, which this may have written over.
      if (said === 'idle' && this.#state === 'running') {
        await store.workers.heartbeat(this.#id, 'running');
      }
    } catch (error) {
      if (error instanceof ServiceUnavailable) return this.#outbox.note(error);
      log.error({ error: messageOf(error) }, 'the store refused a heartbeat');
    }
    await this.#outbox.write();
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
