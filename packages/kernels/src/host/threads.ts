import { tunable } from '../kernel';

/** How many threads divide the rows of a host kernel's output. */
export const THREADS = tunable(
  'THREADS',
  'Threads that share the rows of the output; all means one per core',
  ['all', 1, 2, 4, 8, 16, 32, 64],
  'all',
);
