import type { RunClaim, RunOutcome } from '../api/run';
import type { TuningDecision } from '../api/tuning';
import type { Profile } from '../measure/device';
import type { RooflineSurvey } from '../measure/roofline';
import type { Attachment, AttachRequest, Orders, WorkingState } from './wire';

/**
 * The worker's link: everything a worker asks of its grid and reports to it, as one small interface with
 * two forms. **direct** (`../server/direct-link.ts`) works on the queue and the store themselves,
 * for the operator's own machines. **http** (`http-link.ts`) needs the site's address and a token,
 * and nothing else: the site answers by driving the direct form. `wire.ts` is what goes over the
 * wire. Everything here runs in a browser too.
 *
 * Methods reject with `GridUnavailable` for what another try may change, with `NotAdmitted` when
 * the grid no longer takes this worker, and with `Refused` for what it will never take.
 */
export interface Link {
  /** Registers device and worker; a process that attaches again takes over its row. */
  attach(worker: WorkerDescription): Promise<Attachment>;
  /** Waits for the device's next run; null after a while without one, or once the signal aborts. */
  next(signal: AbortSignal): Promise<RunClaim | null>;
  /**
   * A sign of life, without which the worker counts as lost. A run of this worker's that is not
   * among `runs` never reached it, and goes to another.
   *
   * @param runs what it has in hand, and those with a result that is still in its journal
   */
  heartbeat(state: WorkingState, runs: readonly string[]): Promise<Orders>;
  /** Gives a run back: it was not finished. */
  handBack(runId: string): Promise<void>;
  /** Ends a search whose measurements the grid has. */
  decide(runId: string, decision: TuningDecision): Promise<void>;
  /** Ends a run. Once it resolves, the result is the grid's; sending it twice changes nothing. */
  outcome(record: RunOutcome): Promise<void>;
  roofline(profile: Profile, survey: RooflineSurvey): Promise<void>;
  /** Clean end: the worker is no longer listed. */
  detach(): Promise<void>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** A worker as it describes itself; `instance` is the same after every restart of the process. */
export type WorkerDescription = Omit<AttachRequest, 'at' | 'instance'> & {
  readonly instance?: string;
};

/** The grid cannot be reached, or a part of it: another try may succeed. */
export class GridUnavailable extends Error {
  override readonly name = 'GridUnavailable';
}

/** The grid does not admit this worker: its token is wrong or has ended, or it was revoked. */
export class NotAdmitted extends Error {
  override readonly name = 'NotAdmitted';
}

/** The grid will never take what was sent; the message says why. */
export class Refused extends Error {
  override readonly name = 'Refused';

  constructor(
    message: string,
    /** The part of the request at fault. */
    readonly field: string | undefined,
    /** The run is not there any more: cancelled, or its sweep was deleted. */
    readonly isGone = false,
  ) {
    super(message);
  }
}
