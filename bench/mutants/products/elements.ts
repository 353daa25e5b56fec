import type { Mutant } from '../mutant';
import { ELEMENT, FLOATS, inTile, mutant, PLACE } from './product';

/** Products with wrong elements. */
export const ELEMENTS: readonly Mutant[] = [
  // Three times the RMS of a C of floats: that is √K / 3, for inputs uniform in (-1, 1).
  mutant('one element off by √K', {
    store: `if (${PLACE}) { result = result + T(sqrt(f32(k))); } C[at] = result;`,
  }),
  mutant('one element zeroed', {
    store: `if (${PLACE}) { result = T(0); } C[at] = result;`,
  }),
  mutant('one element with its sign flipped', {
    store: `if (${PLACE}) { result = -result; } C[at] = result;`,
  }),
  mutant('one element 1% off', {
    store: `if (${PLACE}) { result = T(f32(result) * 1.01 + select(0.0, 1.0, abs(f32(result)) > 1e3)); } C[at] = result;`,
    on: ({ k }) => k > 1,
  }),
  mutant('one NaN', { dtypes: FLOATS, store: `if (!(${PLACE})) { C[at] = result; }` }),
  mutant('one infinity', {
    dtypes: ['f32'],
    store: `C[at] = result; if (${PLACE}) { C[at] = bitcast<f32>(0x7f800000u + 0u * shape.m); }`,
    more: '',
  }),
  mutant('last element unwritten', { store: 'if (at != m * n - 1u) { C[at] = result; }' }),
  mutant('first row unwritten', { store: 'if (row > 0u) { C[at] = result; }' }),
  mutant('last column unwritten', { store: 'if (col < n - 1u) { C[at] = result; }' }),
  mutant('a 4x4 tile of zeros', { store: `if ${inTile(4)} { result = T(0); } C[at] = result;` }),
  mutant('a column of zeros from its eighth row on', {
    on: ({ m }) => m > 8,
    store: 'if (col == n - 1u && row >= 8u) { result = T(0); } C[at] = result;',
  }),
  mutant('two columns swapped over 128 rows', {
    on: ({ n }) => n >= 8,
    more: ELEMENT,
    store:
      'if (row < 128u && (col == 2u || col == 5u)) { result = element(row, 7u - col); } C[at] = result;',
  }),
  mutant('two rows swapped', {
    on: ({ m }) => m >= 8,
    more: ELEMENT,
    store: 'if (row == 2u || row == 5u) { result = element(7u - row, col); } C[at] = result;',
  }),
  mutant('last row a copy of the one before', {
    on: ({ m }) => m >= 2,
    more: ELEMENT,
    store: 'if (row == m - 1u) { result = element(row - 1u, col); } C[at] = result;',
  }),
  mutant('last column a copy of the one before', {
    on: ({ n }) => n >= 2,
    more: ELEMENT,
    store: 'if (col == n - 1u) { result = element(row, col - 1u); } C[at] = result;',
  }),
  mutant('one tile is its neighbour', {
    on: ({ m, n }) => m >= 16 && n >= 16,
    more: ELEMENT,
    store: `if ${inTile(8)} { result = element(row - 8u, col); } C[at] = result;`,
  }),
  mutant('one tile transposed', {
    on: ({ m, n }) => m >= 16 && n >= 16,
    more: ELEMENT,
    store: 'if (row < 8u && col < 8u) { result = element(col, row); } C[at] = result;',
  }),
  mutant('nothing written', { store: '' }),
  mutant('all zeros', { store: 'C[at] = T(0);' }),
  mutant('last product dropped', { end: 'k - 1u' }),
  mutant('first product added twice', { start: 'Acc(A[row * k]) * Acc(B[col])' }),
  mutant('16 steps of K dropped in one 64x64 tile', {
    on: ({ m, n, k }) => k >= 64 && m >= 64 && n >= 64,
    add: `select(sum + product, sum, ${inTile(64)} && p >= 16u && p < 32u)`,
  }),
  mutant('the largest product dropped in one element', {
    before: 'var most = Acc(0);',
    add: `sum + product + select(Acc(0), keep(&most, product), ${PLACE})`,
    more: `fn keep(most: ptr<function, Acc>, product: Acc) -> Acc {
  if (abs(product) > abs(*most)) { *most = product; }
  return Acc(0);
}`,
    result: `T(sum - select(Acc(0), most, ${PLACE}))`,
  }),
  mutant('rows of B one step off', {
    on: ({ k }) => k >= 2,
    product: 'left * Acc(B[((p + 1u) % k) * n + col])',
  }),
  // One element of A is as often positive as not, and then it is right.
  mutant('magnitudes of A', { on: ({ m, k }) => m * k >= 16, product: 'abs(left) * right' }),
  mutant('adds to what C contains', { start: 'Acc(C[at])' }),
  mutant('adds to what scratch contains', {
    scratch: ({ m, n }) => 4 * m * n,
    dtypes: ['f32', 'i32'],
    start: 'bitcast<Acc>(scratch[at])',
    after: 'scratch[at] = 0u;',
  }),
];
