import type { Tunable } from '../kernel';

/** How many threads divide the rows of a host kernel's output. */
export const THREADS = {
  name: 'THREADS',
  about: 'Threads that share the rows of the output; all means one per core',
  values: ['all', 1, 2, 4, 8, 16, 32, 64],
  default: 'all',
} as const satisfies Tunable;
