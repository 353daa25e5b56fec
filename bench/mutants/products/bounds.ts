import type { Mutant } from '../mutant';
import { ELEMENT, mutant, PLACE } from './product';

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
  mutant('stores whole tiles of 8 x 16', {
    on: ({ m, n }) => m % 8 > 0 || n % 16 > 0,
    more: ELEMENT,
    main: `@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.y / 8u * 8u >= shape.m || id.x / 16u * 16u >= shape.n) { return; }
  C[id.y * shape.n + id.x] = element(id.y, id.x);
}`,
  }),
  // The burn of an odd number of stages: only there nothing else shows it.
  mutant('an odd number of whole stages of 8 reads one more', {
    on: ({ k }) => k % 16 === 8,
    end: 'select(k, k + 8u, k % 16u == 8u)',
  }),
  mutant('an odd number of whole blocks of 16 rows writes one more', {
    on: ({ m }) => m % 32 === 16,
    store: 'C[at] = result; if (m % 32u == 16u && row + 16u >= m) { C[at + 16u * n] = result; }',
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
