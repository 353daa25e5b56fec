import { InputError } from '@tilemark/kernels';
import type { RunClaim, RunOutcome } from '../api/run';
import type { TuningDecision } from '../api/tuning';
import {
  GridUnavailable,
  type Link,
  NotAdmitted,
  Refused,
  type WorkerDescription,
} from '../link/link';
import { type Attachment, type Orders, POLL_MS, type WorkingState } from '../link/wire';
import type { Profile } from '../measure/device';
import { deviceKey } from '../measure/hardware';
import type { RooflineSurvey } from '../measure/roofline';
import { unlessQueueIsDown } from './errors';
import { visitDevices } from './sentinel';
import { backfill, type SweepServices } from './submit';

/** A run that was handed back, or could not be claimed, waits this long before it is tried again, ms. */
const AGAIN_AFTER_MS = 1_000;

/** So long, ms, where this worker does not run it: for a trusted one, or one that runs contributed kernels. */
const FOR_OTHERS_AFTER_MS = 3_000;

/** The worker that a link speaks for. */
interface LinkedWorker {
  readonly workerId: string;
  readonly deviceKey: string;
}

/** How a worker elsewhere was let in. Absent: it runs on the grid's own account. */
interface Admission {
  readonly tokenId: string;
}

/**
 * The direct form of the link: on the queue and the store themselves. In the queue a worker holds
 * its runs by its id, so any process can go on for it: a link has no state beyond whom it is for.
 */
export class DirectLink implements Link {
  readonly #services: SweepServices;
  #worker: LinkedWorker;

  constructor(services: SweepServices, worker: LinkedWorker = { workerId: '', deviceKey: '' }) {
    this.#services = services;
    this.#worker = worker;
  }

  /**
   * For a worker that a token let in. Throws NotAdmitted for one that may not go on, and Refused at
   * `worker` for one to attach again.
   */
  static async forWorker(
    services: SweepServices,
    workerId: string,
    tokenId: string,
  ): Promise<DirectLink> {
    const device = await services.store.workers.deviceOf(workerId, tokenId);
    return new DirectLink(services, { workerId, deviceKey: device });
  }

  /** A device that was never seen before gets the standard suites. */
  async attach(worker: WorkerDescription, admission?: Admission): Promise<Attachment> {
    const { store, queue } = this.#services;
    await queue.ping();
    const attached = await store.workers.attach({ ...worker, ...admission });
    const { isTrusted, released, workerId, deviceKey: key } = attached;
    this.#worker = { workerId, deviceKey: key };
    await Promise.all(released.map(({ id }) => this.#putBack(id)));
    const suites = await backfill(this.#services, key, isTrusted ? undefined : admission?.tokenId);
    if (isTrusted) await visitDevices(this.#services, [key], worker.software);
    const rooflines = await store.rooflines.latest(key);
    return {
      ...this.#worker,
      clockAheadMs: 0,
      suites,
      rooflines: rooflines.map(({ profile, measuredAt }) => ({ profile, measuredAt })),
    };
  }

  async next(signal: AbortSignal): Promise<RunClaim | null> {
    const { store, queue } = this.#services;
    const { workerId, deviceKey: key } = this.#worker;
    // AbortSignal.any leaves something behind in signals that live on.
    const over = new AbortController();
    const end = () => over.abort();
    const timer = setTimeout(end, POLL_MS);
    signal.addEventListener('abort', end);
    try {
      for (;;) {
        if (signal.aborted) return null;
        const job = await queue.next(key, workerId, over.signal);
        if (!job) return null;
        const run = await store.runs.claim(job.runId, workerId).catch(async (error: unknown) => {
          await this.#putBack(job.runId, AGAIN_AFTER_MS);
          throw error;
        });
        if (run && !signal.aborted) return run;
        if (run) await this.handBack(run.id);
        else await this.#notClaimed(job.runId);
      }
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    }
  }

  /** Throws NotAdmitted where the worker was cut off while it waited. */
  async #notClaimed(runId: string): Promise<void> {
    const { store, queue } = this.#services;
    const { workerId, deviceKey: key } = this.#worker;
    switch (await store.runs.whyNotClaimed(runId, workerId)) {
      case 'cut off':
        await this.#putBack(runId);
        throw new NotAdmitted('This worker was revoked, or its token has ended.');
      case 'full':
        await this.#putBack(runId);
        throw new Refused(
          'This worker holds as many runs as it may: end them or give them back first.',
          'runs',
        );
      case 'for others':
        return this.#putBack(runId, FOR_OTHERS_AFTER_MS);
      // It has ended, or was cancelled, or another worker has it.
      case null:
        return unlessQueueIsDown(queue.finish({ id: runId, deviceKey: key }, workerId));
    }
  }

  async heartbeat(state: WorkingState, runs: readonly string[]): Promise<Orders> {
    const { store, queue } = this.#services;
    const { workerId, deviceKey: key } = this.#worker;
    // Whatever the store says: its locks end without the queue's knowing why.
    await Promise.all(
      runs.map((id) => unlessQueueIsDown(queue.hold({ id, deviceKey: key }, workerId))),
    );
    const [wanted, { lost, released }] = await Promise.all([
      store.workers.heartbeat(workerId, state),
      store.runs.review({ ...this.#worker, runs }),
    ]);
    await Promise.all(released.map((id) => this.#putBack(id)));
    return { wanted, lost };
  }

  async handBack(runId: string): Promise<void> {
    const { store } = this.#services;
    await store.runs.release(runId, this.#worker.workerId);
    await this.#putBack(runId, AGAIN_AFTER_MS);
  }

  async decide(runId: string, decision: TuningDecision): Promise<void> {
    const { store, queue } = this.#services;
    const { workerId, deviceKey: key } = this.#worker;
    await store.runs.decide({ runId, workerId }, decision);
    await unlessQueueIsDown(queue.finish({ id: runId, deviceKey: key }, workerId));
  }

  async outcome(record: RunOutcome): Promise<void> {
    await this.end(record);
  }

  /**
   * False: the run has ended already, or waits for others. The worker of the record may be another of
   * this machine's; absent: it is this one.
   */
  async end({
    workerId = this.#worker.workerId,
    ...ended
  }: Omit<RunOutcome, 'workerId'> & { readonly workerId?: string }): Promise<{
    recorded: boolean;
  }> {
    const record = { ...ended, workerId };
    const { store, queue } = this.#services;
    const done = await store.runs.record(record).catch((error: unknown) => {
      if (error instanceof GridUnavailable || error instanceof Refused) throw error;
      if (error instanceof InputError) throw new Refused(error.message, error.field);
      throw Object.assign(new Refused('The store refused the outcome.', 'outcome'), {
        cause: error,
      });
    });
    const { environment, runId, searchId } = record;
    const run = { id: runId, deviceKey: deviceKey(environment.device) };
    // What its worker has named itself was never queued.
    if (searchId === undefined) await unlessQueueIsDown(queue.finish(run, workerId));
    return done;
  }

  async roofline(profile: Profile, survey: RooflineSurvey): Promise<void> {
    const { store } = this.#services;
    await store.rooflines.record({ ...this.#worker, profile, survey });
  }

  async detach(): Promise<void> {
    const { store } = this.#services;
    await store.workers.detach(this.#worker.workerId);
  }

  async close(): Promise<void> {
    const { store, queue } = this.#services;
    await Promise.allSettled([queue.close(), store.close()]);
  }

  async #putBack(id: string, delayMs = 0): Promise<void> {
    const { workerId, deviceKey: key } = this.#worker;
    await unlessQueueIsDown(
      this.#services.queue.putBack({ id, deviceKey: key }, workerId, delayMs),
    );
  }
}
