import type { Dtype, Problem, Variant } from '@tilemark/kernels';
import type {
  AuditAction,
  AuditEntry,
  BestQuery,
  BestVariant,
  Device,
  DeviceQueue,
  GroupedQuery,
  HeatMap,
  Leaderboard,
  LeaderboardQuery,
  Page,
  PortabilityQuery,
  PortabilityReport,
  ResultDetail,
  RooflineRecord,
  RunResult,
  Sweep,
  SweepEvent,
  Token,
  WantedState,
  Worker,
} from '../api';
import type { DeviceCapabilities, DeviceIdentity, Profile } from '../device';
import type { DeviceHistory } from '../device-history';
import type { Environment } from '../environment';
import type { HeadToHead, Pair } from '../head-to-head';
import type { Headline } from '../headline';
import type { KernelResults } from '../kernel-results';
import type { Outcome } from '../outcome';
import type { Pace } from '../pace';
import type { PlannedRun } from '../planned-run';
import type { PolicyId } from '../policy';
import type { RooflineSurvey } from '../roofline-survey';
import type { SweepSpec } from '../spec';
import type { QueueAccount } from './queue';

export type Role = 'member' | 'admin' | 'worker';

/** A run as its worker receives it. */
export interface ClaimedRun {
  readonly id: string;
  readonly deviceKey: string;
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
  /** 1 the first time; more: that many workers less one were lost while running it. */
  readonly attempt: number;
}

/** A device as sweeps are planned by. */
export type DeviceToPlan = Pick<Device, 'key' | 'name' | 'class' | 'capabilities' | 'workers'>;

/** What a worker hands in; also a line of its journal. Writing it twice changes nothing. */
export interface RecordedRun {
  readonly runId: string;
  readonly workerId: string;
  readonly environment: Environment;
  /** The specialised source; null for host kernels. */
  readonly wgsl: string | null;
  readonly outcome: Outcome;
  readonly endedAt: string;
}

/** A result out of a file, with how it is to be listed. */
export interface ImportedRun {
  readonly run: PlannedRun;
  readonly environment: Environment;
  readonly outcome: Outcome;
  readonly endedAt: string;
}

/** How a variant stands on one problem of a device. */
export interface NewestRun {
  readonly deviceKey: string;
  readonly address: string;
  /** As `shapeText` writes it. */
  readonly shape: string;
  readonly dtype: Dtype;
  readonly profile: Profile;
  /** Pending or running; else it has ended. */
  readonly isWaiting: boolean;
  /** It ended, failed or incorrect. */
  readonly hasFailed: boolean;
  /** SHA-256 of the source that ran; null for host kernels, skipped and imported runs. */
  readonly sourceHash: string | null;
}

export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
}

/** Who does what: an entry of the audit list, written by the transaction that does it. */
export interface AuditNote {
  readonly action: AuditAction;
  readonly by: Principal;
}

/** Who makes a sweep; without a token it is the grid's own. */
export type Author = Pick<Principal, 'name'> & Partial<Pick<Principal, 'tokenId'>>;

/** Workers beat a few times within this. */
export const LOST_AFTER_MS = 20_000;

/** Everything the product keeps, on Postgres. Every method may throw `DatabaseUnavailable`. */
export interface Store {
  readonly sweeps: {
    /** One transaction: the sweep and all of its runs. */
    create(input: {
      name: string;
      suite: string | null;
      spec: SweepSpec;
      runs: readonly PlannedRun[];
      createdBy: string;
      /** Absent: no token made it, and only an admin may change it. */
      createdById?: string;
      /** Nobody waits for it; absent: somebody does. */
      background?: boolean;
      /** A second sweep with the same key is not made: the first is returned, and no runs. */
      idempotencyKey?: string;
      note?: AuditNote | undefined;
    }): Promise<{ sweep: Sweep; runs: { id: string; deviceKey: string }[] }>;
    /**
     * One transaction: a sweep of runs that have ended elsewhere, with their results,
     * marked as brought by `importedBy`, and the devices that are new. A second one of
     * the same content is not made: the first is returned.
     */
    import(input: {
      name: string;
      /** Where the results are all of one: as if it had been run here. */
      suite: string | null;
      spec: SweepSpec;
      importedBy: string;
      createdById?: string;
      /** SHA-256 of the file. */
      contentHash: string;
      results: readonly ImportedRun[];
      note?: AuditNote | undefined;
    }): Promise<Sweep>;
    list(cursor?: string): Promise<Page<Sweep>>;
    get(id: string): Promise<Sweep | null>;
    results(id: string, cursor?: string): Promise<Page<RunResult>>;
    /** The first runs of a sweep, in its order: what a table shows of them. */
    headlines(id: string, limit: number): Promise<Headline[]>;
    /**
     * Ends a sweep; runs that had not begun are dropped. A run that was claimed
     * before goes on and its result is recorded. Null: no such sweep.
     */
    cancel(id: string, note?: AuditNote): Promise<Sweep | null>;
    /**
     * Puts runs that `failed` back to pending; returns them to be enqueued again.
     * Null: no such sweep. Throws InputError when the sweep was cancelled.
     */
    retryFailed(id: string, note?: AuditNote): Promise<{ id: string; deviceKey: string }[] | null>;
    /** Ids of sweeps started here for a suite, for example `starter@1`, on a device. */
    ofSuite(suite: string, deviceKey: string): Promise<string[]>;
    /**
     * Calls back at once with counts, status and the newest results (at most 100),
     * so that a page rendered a moment ago misses nothing, and then after every
     * change until the signal aborts. The same result may come twice.
     * Throws InputError when there is no such sweep.
     */
    watch(id: string, onEvent: (event: SweepEvent) => void, signal: AbortSignal): Promise<void>;
  };
  readonly runs: {
    /**
     * Takes a run for a worker of its device; null when there is nothing to take (ended,
     * cancelled, gone, or claimed by a worker that is alive). A run that this worker or
     * a lost one had claimed is taken over.
     */
    claim(runId: string, workerId: string): Promise<ClaimedRun | null>;
    /** Gives a claimed run back to pending: the worker stops before it ended. */
    release(runId: string, workerId: string): Promise<void>;
    /**
     * Ends the run, writes the result and moves `Best`, in one transaction. False
     * when the run has ended already or was dropped: the first result stands,
     * whoever holds the claim by now.
     */
    record(run: RecordedRun): Promise<{ recorded: boolean }>;
    /** Pending runs with the device they wait for: what the queue must hold. */
    pending(): AsyncIterable<{ id: string; deviceKey: string; background: boolean }>;
    /**
     * Of each problem and profile of some variants on each of some devices, the newest run that
     * has ended and the newest that has not, under a policy whose results are ranked.
     */
    newest(deviceKeys: readonly string[], addresses: readonly string[]): Promise<NewestRun[]>;
    /** How many there are of each state: pending, running, and the outcomes. */
    byState(): Promise<Readonly<Record<string, number>>>;
    /** Returns to pending what lost workers had claimed; drops leftovers of cancelled sweeps. */
    reclaim(): Promise<{ reclaimed: number; dropped: number }>;
  };
  readonly results: { get(id: string): Promise<ResultDetail | null> };
  readonly devices: {
    list(cursor?: string): Promise<Page<Device>>;
    get(key: string): Promise<Device | null>;
    /** How long recent runs took on these devices, by op, shape and policy; nothing where none did. */
    paces(keys: readonly string[]): Promise<Pace[]>;
    /** Its best variants under each version of driver and runtime they were measured with. */
    history(key: string): Promise<DeviceHistory>;
    /** Every device as sweeps are planned by; its runs are not counted, however many there are. */
    toPlan(): Promise<DeviceToPlan[]>;
    /** Every device by what identifies it, without its counts: for choosing one. */
    names(): Promise<Pick<Device, 'key' | 'name' | 'class' | 'identity'>[]>;
    /** Best measured result of each problem on the device. */
    best(key: string): Promise<RunResult[]>;
  };
  readonly rooflines: {
    record(input: {
      deviceKey: string;
      profile: Profile;
      workerId: string;
      survey: RooflineSurvey;
    }): Promise<void>;
    /** The newest of each profile that has one. */
    latest(deviceKey: string): Promise<RooflineRecord[]>;
  };
  readonly workers: {
    /**
     * Registers device and worker. `newDevice` when the device was never seen, `wasAttached`
     * when the worker's row was on the list already.
     */
    attach(input: {
      name: string;
      host: string;
      version: string;
      identity: DeviceIdentity;
      capabilities: DeviceCapabilities;
      /** What the process calls itself: one that attaches again takes over its row. */
      instance?: string;
      /** What it enrols with; absent: it runs on the grid's own account. */
      tokenId?: string;
    }): Promise<{
      workerId: string;
      deviceKey: string;
      newDevice: boolean;
      wasAttached: boolean;
    }>;
    /**
     * Without one for `LOST_AFTER_MS` a worker is shown as `lost` and its run may be taken
     * over. Resolves to what an admin wants of the worker.
     */
    heartbeat(
      workerId: string,
      state: 'idle' | 'running' | 'draining' | 'paused',
    ): Promise<WantedState>;
    /** Says what a worker is to do from its next heartbeat on; null when none is attached. */
    want(workerId: string, wanted: WantedState, note?: AuditNote): Promise<Worker | null>;
    /** Clean end: the worker is no longer listed. */
    detach(workerId: string): Promise<void>;
    /**
     * Takes an enrolled worker off the list and lets it in again only with a token made
     * later; `enrolments.end` then ends its access. One that runs on the grid's own account
     * is only taken off the list, and only once it is lost. Null: no such worker is attached.
     */
    revoke(workerId: string, note?: AuditNote): Promise<'revoked' | 'not enrolled' | null>;
    /**
     * Whether the token does not let the worker of this name in: it was revoked after the token
     * was made, or is new to a token of which a worker was revoked, or the token has ended.
     */
    isBarred(instance: string, tokenId: string): Promise<boolean>;
    list(): Promise<Worker[]>;
    /** Devices that have a worker, or runs that wait for one. */
    queues(): Promise<DeviceQueue[]>;
  };
  /** Accounts of workers that enrolled: a Postgres role each, limited by the migrations' policies. */
  readonly enrolments: {
    /**
     * Makes the worker's role, or replaces its password and ends the sessions of the one
     * before. The passwords are in this answer and nowhere else. Null: it is barred by now.
     * Throws AccountsRefused where the grid's own user may not make roles.
     */
    grant(input: { workerId: string; tokenId: string; note?: AuditNote | undefined }): Promise<{
      login: string;
      password: string;
      redisPassword: string;
    } | null>;
    /** Ids of the workers that have access. */
    current(): Promise<string[]>;
    /** Lets the worker's account into the queue while its access cannot end; nothing where it has. */
    admit(workerId: string, letIn: (account: QueueAccount) => Promise<void>): Promise<void>;
    /** Those whose worker was revoked, signed off or fell silent, or whose token ended. */
    ended(): Promise<{ workerId: string; login: string }[]>;
    /**
     * Ends the role's sessions, locks it out of the queue, drops it and gives back the run it
     * held. False where it has ended already, or the worker has enrolled anew. Can be repeated.
     */
    end(
      enrolment: { workerId: string; login: string },
      lockOut: (login: string) => Promise<void>,
    ): Promise<boolean>;
  };
  /**
   * A kernel on one problem, device by device; the problem most devices have where none is
   * asked for. Throws InputError at `shape`.
   */
  kernelResults(query: {
    kernel: string;
    dtype?: Dtype | undefined;
    shape?: string | undefined;
    profile?: Profile | undefined;
  }): Promise<KernelResults>;
  /** Two devices by their best variants, or two variants, wherever both were measured. */
  headToHead(pair: Pair): Promise<HeadToHead[]>;
  leaderboard(query: LeaderboardQuery): Promise<Leaderboard>;
  /** Devices x kernels on one problem. Throws InputError at `shape`. */
  heatMap(query: GroupedQuery): Promise<HeatMap>;
  /** How near each variant comes to the best of every device. Throws InputError at `shape`, `ship`. */
  portability(query: PortabilityQuery): Promise<PortabilityReport>;
  /**
   * The variant to run for a problem, decided by ranked results of the device, else by the
   * tuned variants that ship for such devices, else by results of its architecture, its
   * vendor, or all GPUs; on this problem or the nearest. Null: nothing that could run it
   * was ranked. Throws InputError for a problem without all dimensions.
   */
  best(query: BestQuery): Promise<BestVariant | null>;
  readonly tokens: {
    /**
     * The secret, `tm_<role>_<random>`, is returned once and kept only as a hash.
     * A given secret that is known already is the token it was made for, unchanged:
     * still revoked or expired where it was. Throws InputError at `secret` for one of
     * another form or role.
     */
    create(input: {
      name: string;
      role: Role;
      expiresAt: Date | null;
      /** Chosen by the deployment; absent: a random one. */
      secret?: string;
      note?: AuditNote | undefined;
    }): Promise<{ id: string; secret: string }>;
    /** Null for unknown, expired and revoked secrets alike. */
    verify(secret: string): Promise<Principal | null>;
    /** Null when the token behind a session was revoked or has expired. */
    get(id: string): Promise<Principal | null>;
    /** A code that logs in once as whom the token is, within a day. It is kept only as a hash. */
    loginCode(id: string): Promise<string>;
    /** Takes a login code. Null where it was taken before, has expired, or its token has ended. */
    redeem(code: string): Promise<Principal | null>;
    revoke(id: string, note?: AuditNote): Promise<boolean>;
    /** Newest first, those that were revoked or have expired too. */
    list(cursor?: string): Promise<Page<Token>>;
  };
  readonly audit: {
    /** What is done without a transaction of its own, before it is done. */
    record(note: AuditNote, subject: string | null): Promise<void>;
    /** Newest first. */
    list(query?: {
      readonly cursor?: string | undefined;
      readonly actorId?: string | undefined;
      readonly action?: AuditAction | undefined;
    }): Promise<Page<AuditEntry>>;
  };
  readonly limits: {
    /** Counts one request under a key; where it passes the limit, how long to wait. */
    take(key: string, perMinute: number): Promise<{ readonly retryAfterS: number } | null>;
    /** What `take` would answer next where the limit is reached; counts nothing. */
    passed(key: string, perMinute: number): Promise<{ readonly retryAfterS: number } | null>;
  };
  /** Equal numbers of one process: no result has become visible in between. */
  version(): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}
