export * from './access';
export { DirectLink } from './direct-link';
export * from './env';
export * from './errors';
export { handIn, handInSchema } from './imports/hand-in';
export { importResults } from './imports/import';
export { openQueue, type Queue } from './queue/queue';
export * from './reconcile';
export * from './shared-read';
export { problemToOpen } from './store/boards/problems';
export type { Winner } from './store/boards/winners';
export type {
  Beside,
  ContributedResults,
  ContributedRun,
} from './store/contributed/results';
export type { DeviceSummary } from './store/devices/summaries';
export type { Principal, Role } from './store/principal';
export { openStore, type Store } from './store/store';
export type { Waiting } from './store/sweeps/waiting';
export { SESSION_SECONDS } from './store/tokens/log-in';
export { retrySweep, submitSweep } from './submit';
export { submitTuning } from './tunings';
