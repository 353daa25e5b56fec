import { DeviceFault } from '@tilemark/kernels';
import type { RunClaim, RunOutcome } from '../api/run';
import type { WantedState } from '../api/worker';
import { GridUnavailable, NotAdmitted } from '../link/link';
import type { Attachment } from '../link/wire';
import type { DeviceClass } from '../measure/device';
import {
  type AskedOfWorker,
  aboutRecord,
  Interrupted,
  measureClaimed,
  withoutRunning,
} from './claimed-run';
import { type ClaimedSearch, searchClaimed } from './claimed-search';
import { messageOf } from './log';
import { Outbox } from './outbox';
import type { WorkerParts } from './parts';
import { doneWithin, retryForever, sleep } from './waiting';

const HEARTBEAT_MS = 5_000;

/** A worker reports that it is idle after this long without a run, so not between two runs, ms. */
const IDLE_AFTER_MS = 1_000;

/** A search goes on behind the runs that wait once it has had the device for this long, ms. */
const TURN_MS = 60_000;

/** How long a stopping worker lets its run finish before handing it back, ms. */
const FINISH_WITHIN_MS = 20_000;

/** How long a stopping worker waits for a service that does not answer, ms. */
export const LEAVE_WITHIN_MS = 2_000;

/** After a fault of its own a worker waits this long before it goes on, ms. */
const FAULT_PAUSE_MS = 1_000;

export interface Attached extends Attachment {
  readonly worker: GridWorker;
  readonly deviceClass: DeviceClass;
}

/**
 * Serves the queue of one device: asks its link for a run, measures it, keeps the result in the
 * journal, hands it in, and beats so that the grid knows that it lives.
 */
export class GridWorker {
  /** Settles, with the reason, when the device is gone for good or the grid no longer admits it. */
  readonly gone: Promise<DeviceFault | NotAdmitted>;
  readonly #parts: WorkerParts;
  readonly #attachment: Attachment;
  #tellGone: (why: DeviceFault | NotAdmitted) => void = () => {};
  readonly #ending = new AbortController();
  /** Ends the wait for a run; a new one for each. */
  #asking = new AbortController();
  /** Ends the run in hand; a new one per run and per pause. */
  #interrupt = new AbortController();
  readonly #outbox: Outbox;
  #wanted: WantedState = 'working';
  /** What an admin wants, whatever its own user does. */
  #asked: WantedState = 'working';
  #isPausedHere = false;
  #inHand: string | null = null;
  /** Why the grid does not take what was measured for the search in hand. */
  #unended: string | null = null;
  #isStopping = false;
  #isAdmitted = true;
  /** Wakes the worker when what is wanted of it changes. */
  #changed: () => void = () => {};
  /** Settles when the worker has ended what it does and takes nothing more. */
  #working: Promise<unknown> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  #idleSoon: ReturnType<typeof setTimeout> | undefined;
  #idleSinceMs = Date.now();

  private constructor(parts: WorkerParts, attachment: Attachment) {
    this.#parts = parts;
    this.#attachment = attachment;
    this.#outbox = new Outbox({
      ...parts,
      workerId: parts.sharesJournal ? null : attachment.workerId,
      onNotAdmitted: (why) => this.#refused(why),
      onUnended: ({ searchId }, why) => {
        if (searchId === this.#inHand) this.#unended = why;
      },
    });
    this.gone = new Promise((resolve) => {
      this.#tellGone = resolve;
    });
  }

  /**
   * Opens the device, registers it and this worker, and begins to take runs.
   * Throws InputError and DeviceFault of the device, and what the link's `attach` does.
   */
  static async attach(parts: WorkerParts): Promise<Attached> {
    const { link, runner, describe, log } = parts;
    const description = await runner.open('default');
    const { identity } = description;
    const attachment = await link.attach(describe(description));
    const { deviceKey, suites, workerId } = attachment;
    log.info({ workerId, deviceKey, device: identity.device }, 'attached');
    if (suites.length > 0) log.info({ sweeps: suites }, 'started the standard suites');
    const worker = new GridWorker(parts, attachment);
    // Also tells whether an admin has paused it.
    await worker.#heartbeat();
    worker.#beating = worker.#beat();
    worker.#working = worker.#work();
    return { ...attachment, worker, deviceClass: identity.class };
  }

  /** For how long it has waited for a run in vain, ms; 0 while it has one or takes none. */
  get idleMs(): number {
    return this.#state === 'idle' ? Date.now() - this.#idleSinceMs : 0;
  }

  /**
   * Takes no new run, finishes the one in hand or hands it back after 20 s, and
   * signs off. A second call hands the run back at once. A service that is down
   * delays it by a few seconds. Never throws.
   */
  async stop(): Promise<void> {
    const { log, finishWithinMs = FINISH_WITHIN_MS } = this.#parts;
    if (this.#isStopping) {
      this.#interrupt.abort();
      return;
    }
    log.info({ runId: this.#inHand }, 'stopping');
    this.#isStopping = true;
    this.#asking.abort();
    this.#changed();
    await doneWithin(
      finishWithinMs,
      this.#working.then(() => this.#handIn()),
    );
    this.#interrupt.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, this.#working)))
      log.warn({}, 'the grid does not answer');
    this.#ending.abort();
    if (!(await doneWithin(LEAVE_WITHIN_MS, this.#signOff()))) {
      log.warn({}, 'could not detach in time; the worker will be listed as lost');
    }
    log.info({}, 'stopped');
  }

  /** Pauses it on its own user's behalf, as an admin may: it hands its run back and takes none. */
  pause(isPaused: boolean): void {
    if (isPaused === this.#isPausedHere) return;
    this.#isPausedHere = isPaused;
    this.#follow(this.#asked, 'its user');
    void this.#heartbeat();
  }

  /** Hands its run back in the moment that is left to a tab that is being closed. */
  abandon(): void {
    const { link } = this.#parts;
    void (this.#inHand ? link.handBack(this.#inHand) : link.detach()).catch(() => {});
  }

  /** Takes runs one after another until it stops. Never throws. */
  async #work(): Promise<void> {
    while (!this.#isStopping && this.#isAdmitted) {
      if (this.#wanted !== 'working') {
        await new Promise<void>((resolve) => {
          this.#changed = resolve;
        });
        continue;
      }
      this.#asking = new AbortController();
      const { signal } = this.#asking;
      try {
        await retryForever(() => this.#takeNext(signal), {
          signal,
          shouldRetry: ({ error }) =>
            !(error instanceof NotAdmitted) && !(error instanceof DeviceFault),
          // The end of a wait that it was told to end is not a failure.
          onFailedAttempt: ({ error }) => void (signal.aborted || this.#noteFailure(error)),
        });
      } catch (error) {
        if (error instanceof NotAdmitted) return this.#refused(error);
        if (error instanceof DeviceFault) return this.#tellGone(error);
        // Else it was told to ask no more, or is itself at fault.
        if (signal.aborted) continue;
        this.#parts.log.error({ error: messageOf(error) }, 'could not take a run');
        await sleep(FAULT_PAUSE_MS);
      }
    }
  }

  #noteFailure(error: Error): void {
    const level = error instanceof GridUnavailable ? 'debug' : 'warn';
    this.#parts.log[level]({ error: error.message }, 'could not take a run');
  }

  async #takeNext(signal: AbortSignal): Promise<void> {
    const run = await this.#parts.link.next(signal);
    if (!run) return;
    if (signal.aborted) await this.#parts.link.handBack(run.id);
    else await this.#take(run);
  }

  /** Does what is wanted of it: work, drain (finish the run in hand), or pause (hand it back). */
  #follow(asked: WantedState, by: 'an admin' | 'its user'): void {
    if (this.#isStopping) return;
    this.#asked = asked;
    const wanted = this.#isPausedHere ? 'paused' : asked;
    if (wanted !== this.#wanted) {
      this.#parts.log.info({ wanted }, `${by} has changed what this worker should do`);
    }
    this.#wanted = wanted;
    if (wanted === 'paused') this.#interrupt.abort();
    else if (this.#interrupt.signal.aborted) this.#interrupt = new AbortController();
    if (wanted === 'working') this.#changed();
    else if (!this.#inHand) this.#asking.abort();
  }

  /** The grid takes nothing of this worker any more: it ends what it does, and keeps its journal. */
  #refused(why: NotAdmitted): void {
    this.#isAdmitted = false;
    this.#asking.abort();
    this.#interrupt.abort();
    this.#tellGone(why);
  }

  get #state(): 'idle' | 'running' | 'draining' | 'paused' {
    if (this.#isStopping) return 'draining';
    if (this.#wanted === 'working') return this.#inHand ? 'running' : 'idle';
    return this.#inHand ? 'draining' : 'paused';
  }

  /** A child that is slow to end keeps nobody on the list. */
  async #signOff(): Promise<void> {
    clearTimeout(this.#idleSoon);
    await Promise.all([this.#parts.runner.close(), this.#leave()]);
  }

  async #leave(): Promise<void> {
    const { link, log } = this.#parts;
    await this.#beating;
    if (!this.#isAdmitted) return;
    await this.#handIn();
    await link.detach().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'could not detach; the worker will be listed as lost');
    });
  }

  async #take(run: RunClaim): Promise<void> {
    const { link, log } = this.#parts;
    const { id: runId } = run;
    // The claim told the grid.
    clearTimeout(this.#idleSoon);
    this.#inHand = runId;
    this.#unended = null;
    try {
      const { signal } = this.#interrupt;
      if (run.search) await this.#search({ ...run, search: run.search }, signal);
      else await this.#keep(run, await measureClaimed(run, this.#parts, this.#attachment, signal));
    } catch (error) {
      log.warn({ runId, error: messageOf(error) }, 'run handed back');
      if (this.#isAdmitted) {
        await link.handBack(runId).catch((cause: unknown) => {
          log.warn({ runId, error: messageOf(cause) }, 'could not return the run');
        });
      }
      if (!(error instanceof Interrupted)) throw error;
    } finally {
      this.#inHand = null;
      this.#idleSinceMs = Date.now();
      if (!this.#interrupt.signal.aborted || this.#wanted !== 'paused') {
        this.#interrupt = new AbortController();
      }
      if (!this.#isStopping) {
        this.#idleSoon = setTimeout(() => void this.#heartbeat(), IDLE_AFTER_MS);
      }
    }
  }

  /** Drives a search until it is decided, or for a turn: others wait for the device. */
  async #search(run: ClaimedSearch, signal: AbortSignal): Promise<void> {
    const { link, log, runner } = this.#parts;
    // From its first measurement: what it knows takes a while to go through.
    let endMs: number | null = null;
    const isOver = () => {
      endMs ??= Date.now() + TURN_MS;
      return this.#state !== 'running' || Date.now() > endMs || this.#unended !== null;
    };
    const ended = await searchClaimed(run, this.#parts, this.#attachment, {
      signal,
      isOver,
      keep: (asked, record) => this.#keep(asked, record),
    })
      .finally(() => this.#handInAll(run))
      .catch((error: unknown) => {
        if (this.#unended === null) throw error;
        return null;
      });
    if (ended === null || this.#unended !== null) {
      const message = `the grid refused what was measured for it: ${this.#unended}`;
      const outcome = { kind: 'failed', stage: 'measure', message } as const;
      return this.#keep(run, await withoutRunning(run, runner, outcome, this.#attachment));
    }
    if ('outcome' in ended) return this.#keep(run, ended);
    log.info({ runId: run.id, ...ended }, 'decided');
    await link.decide(run.id, ended);
  }

  /**
   * The result is safe once it is in the journal. It is handed in while the next run is measured:
   * the grid may be slow, or down. What was not measured is handed in first, since a kernel that
   * crashed or hung the device may get no further run.
   */
  async #keep(run: AskedOfWorker, record: RunOutcome): Promise<void> {
    const { journal, log } = this.#parts;
    log.info(aboutRecord(run, record), record.outcome.kind);
    await journal.append(record);
    const handedIn = this.#handIn();
    if (record.outcome.kind !== 'measured') await handedIn;
  }

  /** What was measured for a search is no longer taken once it has ended. */
  async #handInAll({ id }: ClaimedSearch): Promise<void> {
    await this.#handIn();
    while (this.#isAdmitted && !this.#isStopping && (await this.#outbox.pending(id)).length > 0) {
      await sleep(FAULT_PAUSE_MS);
      await this.#handIn();
    }
  }

  async #handIn(): Promise<void> {
    if (this.#isAdmitted) await this.#outbox.write();
  }

  async #beat(): Promise<void> {
    try {
      for (;;) {
        await sleep(HEARTBEAT_MS, this.#ending.signal);
        await this.#heartbeat();
      }
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
    }
  }

  /** A sign of life, answered with what an admin wants. If the grid is up, hands in the journal too. */
  async #heartbeat(): Promise<void> {
    const { link, log } = this.#parts;
    const beat = async () => {
      const said = this.#state;
      const kept = await this.#outbox.pending();
      // The first: a link may leave out those beyond the most that a heartbeat names.
      const runs = this.#inHand ? [this.#inHand, ...kept] : kept;
      const { lost, wanted } = await link.heartbeat(said, runs);
      if (this.#inHand && lost.includes(this.#inHand)) {
        log.warn(
          { runId: this.#inHand },
          'the run was cancelled, or another worker has taken it over',
        );
        this.#interrupt.abort();
      }
      this.#follow(wanted, 'an admin');
      return said;
    };
    try {
      // A claim made meanwhile told the grid so, which this may have overwritten.
      if ((await beat()) === 'idle' && this.#state === 'running') await beat();
    } catch (error) {
      if (error instanceof NotAdmitted) return this.#refused(error);
      if (error instanceof GridUnavailable) return this.#outbox.note(error);
      log.error({ error: messageOf(error) }, 'the grid refused a heartbeat');
    }
    await this.#outbox.write();
  }
}
