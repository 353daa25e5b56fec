import type { Tunable, TunableValues } from '../kernel';
import { numberOf } from '../values';

/** Threads that share a host kernel's rows. */
export const THREADS: Tunable = {
  name: 'THREADS',
  about: 'Threads that share the rows of the output; all: one for each core',
  values: ['all', 1, 2, 4, 8, 16, 32, 64],
  default: 'all',
};

/** The number chosen for THREADS, or `all`. */
export function threadsOf(values: TunableValues): number | 'all' {
  return values.THREADS === 'all' ? 'all' : numberOf(values, 'THREADS');
}
