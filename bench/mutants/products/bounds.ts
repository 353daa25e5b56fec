import type { Mutant } from '../mutant';
import { mutant, PLACE } from './product';

/** Products that write or read out of bounds. */
export const BOUNDS: readonly Mutant[] = [
  mutant('writes one element past the end', { store: 'C[at] = result; C[m * n] = result;' }),
  mutant('writes far past the end', { store: 'C[at] = result; C[m * n + 700u] = result;' }),
  mutant('writes one row too many', {
    store: 'C[at] = result; if (row == m - 1u) { C[at + n] = result; }',
  }),
  mutant('writes past its scratch', {
    scratch: () => 64,
    store: 'C[at] = result; scratch[16] = 1u;',
  }),
  mutant('writes a megabyte past the end', {
    store: 'C[at] = result; C[m * n + 262144u + at] = result;',
  }),
  mutant('drops a product where nothing is bound behind C', {
    end: 'select(k - 1u, k, arrayLength(&C) >= m * n + 1024u)',
  }),
  // Reads out of bounds.
  mutant('one product too many', { end: 'k + 1u' }),
  mutant('no check of its bounds on K', {
    on: ({ k }) => k % 16 !== 0,
    end: '(k + 15u) / 16u * 16u',
  }),
  mutant('adds an element behind A to one element of C', {
    result: `select(T(sum), T(sum + Acc(A[m * k])), ${PLACE})`,
  }),
];
