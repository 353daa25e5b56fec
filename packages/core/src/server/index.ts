export {
  connectionError,
  DatabaseUnavailable,
  QueueUnavailable,
  ServiceUnavailable,
} from './errors';
export type { Queue, RunConsumer, RunJob } from './queue';
export { openQueue, type QueueOptions } from './queue/open-queue';
export {
  type ClaimedRun,
  LOST_AFTER_MS,
  type Principal,
  type RecordedRun,
  type Role,
  type Store,
} from './store';
export { openStore } from './store/open-store';
