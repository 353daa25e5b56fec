export { endAccess, revokeWorker } from './access';
export { coverage, refreshStale } from './coverage';
export { type Admission, DirectLink, type LinkedWorker } from './direct-link';
export {
  type Env,
  EnvError,
  type Limits,
  readAdminTokenSetting,
  readDataDir,
  readEnv,
} from './env';
export {
  connectionError,
  DatabaseUnavailable,
  isServiceUnavailable,
  QueueUnavailable,
  ServiceUnavailable,
} from './errors';
export { importResults } from './imports/import';
export type { RunJob } from './queue/backend';
export { type Board, queueBoard } from './queue/dashboard';
export { openQueue, type Queue, type QueueOptions } from './queue/queue';
export { keepReconciled, type Reconciled, type ReconcileOptions, reconcile } from './reconcile';
export { RemoteLink } from './remote-link';
export { type SharedReads, sharedReads } from './shared-read';
export type { AuditNote, Principal, Role } from './store/audit';
export type { DeviceBest, Overview } from './store/boards/overview';
export type { DeviceSummary, SizeRate } from './store/devices';
export { LOST_AFTER_MS } from './store/fleet';
export type { ImportedRun } from './store/new-sweeps';
export type { RecordedRun } from './store/record';
export type { DatedResult } from './store/results';
export type { ClaimedRun } from './store/runs';
export { openStore, type Store } from './store/store';
export {
  backfill,
  retrySweep,
  type SubmitOptions,
  type SweepServices,
  submitSweep,
} from './submit';
