import type { KernelFile } from '@tilemark/kernels';
import type { Link, WorkerDescription } from '../link/link';
import type { Log } from './log';
import type { Journal } from './outbox';
import type { DeviceDescription } from './protocol';
import type { DeviceRunner } from './runner';

/** The parts of a worker: its link to the grid, its device, and what its machine gives it. */
export interface WorkerParts {
  readonly link: Link;
  readonly runner: Pick<DeviceRunner, 'open' | 'run' | 'close'>;
  readonly journal: Journal;
  readonly log: Log;
  /** Makes a contributed kernel known to this program; absent: it runs ours alone. */
  readonly admit?: (file: KernelFile) => Promise<unknown>;
  /** How it tells the grid about itself. */
  readonly describe: (device: DeviceDescription) => WorkerDescription;
  /** Does work while nothing else here measures. Throws the signal's reason if aborted first. */
  readonly alone: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Others of this machine use the same journal, and hand in for each other. */
  readonly sharesJournal?: boolean;
  readonly finishWithinMs?: number;
}
