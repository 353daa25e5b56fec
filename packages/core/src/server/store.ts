import type { Problem, Variant } from '@tilemark/kernels';
import type {
  Device,
  Leaderboard,
  LeaderboardQuery,
  Page,
  ResultDetail,
  RunResult,
  Sweep,
  SweepEvent,
  Worker,
} from '../api';
import type { DeviceCapabilities, DeviceIdentity, Profile } from '../device';
import type { Environment } from '../environment';
import type { PlannedRun } from '../expand';
import type { Outcome } from '../outcome';
import type { PolicyId } from '../policy';
import type { SweepSpec } from '../spec';

export type Role = 'member' | 'admin' | 'worker';

/** A run as its worker receives it. */
export interface ClaimedRun {
  readonly id: string;
  readonly deviceKey: string;
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
}

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

export interface Principal {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
}

/** Everything the product keeps, on Postgres. */
export interface Store {
  readonly sweeps: {
    /** One transaction: the sweep and all of its runs. */
    create(input: {
      name: string;
      suite: string | null;
      spec: SweepSpec;
      runs: readonly PlannedRun[];
      createdBy: string;
    }): Promise<{ sweep: Sweep; runs: { id: string; deviceKey: string }[] }>;
    list(cursor?: string): Promise<Page<Sweep>>;
    get(id: string): Promise<Sweep | null>;
    results(id: string, cursor?: string): Promise<Page<RunResult>>;
    /** Ends a sweep; runs that had not begun are dropped. Null: no such sweep. */
    cancel(id: string): Promise<Sweep | null>;
    /** Puts runs that `failed` back to pending; returns them to be enqueued again. */
    retryFailed(id: string): Promise<{ id: string; deviceKey: string }[] | null>;
    /** Ids of sweeps started for a suite, for example `starter@1`, on a device. */
    ofSuite(suite: string, deviceKey: string): Promise<string[]>;
    /** Calls back after every recorded result of the sweep until the signal aborts. */
    watch(id: string, onEvent: (event: SweepEvent) => void, signal: AbortSignal): Promise<void>;
  };
  readonly runs: {
    /** Takes a pending run for a worker; null when it is not pending any more (ended, cancelled, gone). */
    claim(runId: string, workerId: string): Promise<ClaimedRun | null>;
    /** Gives a claimed run back to pending: the worker stops before it ended. */
    release(runId: string, workerId: string): Promise<void>;
    /** Ends the run, writes the result and moves `Best`, idempotently. */
    record(run: RecordedRun): Promise<{ recorded: boolean }>;
    /** Pending runs with the device they wait for: what the queue must hold. */
    pending(): AsyncIterable<{ id: string; deviceKey: string }>;
  };
  readonly results: { get(id: string): Promise<ResultDetail | null> };
  readonly devices: {
    list(cursor?: string): Promise<Page<Device>>;
    get(key: string): Promise<Device | null>;
    /** Best measured result of each problem on the device. */
    best(key: string): Promise<RunResult[]>;
  };
  readonly workers: {
    /** Registers device, worker and environments; `newDevice` when the device was never seen. */
    attach(input: {
      name: string;
      host: string;
      version: string;
      identity: DeviceIdentity;
      capabilities: DeviceCapabilities;
    }): Promise<{ workerId: string; deviceKey: string; newDevice: boolean }>;
    heartbeat(workerId: string, state: 'idle' | 'running' | 'draining'): Promise<void>;
    /** Clean end: the worker is no longer listed. */
    detach(workerId: string): Promise<void>;
    list(): Promise<Worker[]>;
  };
  leaderboard(query: LeaderboardQuery): Promise<Leaderboard>;
  readonly tokens: {
    /** The secret, `tm_<role>_<random>`, is returned once and kept only as a hash. */
    create(input: {
      name: string;
      role: Role;
      expiresAt: Date | null;
    }): Promise<{ id: string; secret: string }>;
    /** Null for unknown, expired and revoked secrets alike. */
    verify(secret: string): Promise<Principal | null>;
    /** Null when the token behind a session was revoked or has expired. */
    get(id: string): Promise<Principal | null>;
    revoke(id: string): Promise<boolean>;
  };
  ping(): Promise<void>;
  close(): Promise<void>;
}
