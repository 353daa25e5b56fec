export { backfill } from './backfill';
export { coverage, refreshStale } from './coverage';
export { enrolWorker, reconcileAccess, type WorkerAddresses } from './enrol';
export {
  type Env,
  EnvError,
  type Limits,
  readAdminTokenSetting,
  readDataDir,
  readEnv,
} from './env';
export {
  AccountsRefused,
  connectionError,
  DatabaseUnavailable,
  isAccessRefused,
  QueueUnavailable,
  ServiceUnavailable,
} from './errors';
export { importResults } from './import';
export type { Queue, RunConsumer, RunJob } from './queue';
export { type Board, queueBoard } from './queue/board';
export { openQueue, type QueueOptions } from './queue/open-queue';
export { keepReconciled, type Reconciled, type ReconcileOptions, reconcile } from './reconcile';
export {
  type AuditNote,
  type ClaimedRun,
  type ImportedRun,
  LOST_AFTER_MS,
  type Principal,
  type RecordedRun,
  type Role,
  type Store,
} from './store';
export { openStore } from './store/open-store';
export { retrySweep, type SubmitOptions, type SweepServices, submitSweep } from './submit';
