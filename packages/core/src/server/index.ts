export * from './access';
export { sendAlarms } from './alarm-webhook';
export { coverage, refreshStale } from './coverage';
export { DirectLink } from './direct-link';
export * from './env';
export * from './errors';
export { importResults } from './imports/import';
export { openQueue, type Queue } from './queue/queue';
export * from './reconcile';
export { visitDevices } from './sentinel';
export * from './shared-read';
export type { AuditNote, Principal, Role } from './store/audit';
export { quoteOf } from './store/boards/best-variant';
export type { Overview } from './store/boards/overview';
export type { Winner, WinnersOn } from './store/boards/winners';
export type {
  Beside,
  ContributedResults,
  ContributedRun,
} from './store/contributed-results';
export type { DeviceSummary } from './store/devices';
export { LOST_AFTER_MS } from './store/fleet';
export { openStore, type Store } from './store/store';
export { SESSION_SECONDS } from './store/tokens';
export type { Waiting } from './store/waiting';
export { backfill, retrySweep, type SweepServices, submitSweep } from './submit';
export { advanceTuning, submitTuning } from './tunings';
