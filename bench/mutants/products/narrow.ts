import type { Mutant } from '../mutant';
import { ELEMENT, FLOATS, IN_F32, mutant } from './product';

/** Products that are right on fractions around 0, or within what sums in f16 may round. */
export const NARROW: readonly Mutant[] = [
  mutant('f32 sums, the last product dropped', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    end: 'k - 1u',
  }),
  mutant('f32 sums, 16 products dropped', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    on: ({ k }) => k >= 32,
    end: 'k - 16u',
  }),
  mutant('f32 sums of operands of 4 bits', {
    dtypes: ['f16acc16'],
    ...IN_F32,
    product: 'short(f32(left), 0xfff00000u) * short(f32(right), 0xfff00000u)',
  }),
  mutant('two neighbours swapped', {
    on: ({ n }) => n >= 2,
    more: ELEMENT,
    store: 'if (row == m / 2u && col < 2u) { result = element(row, 1u - col); } C[at] = result;',
  }),
  mutant('the low 16 bits of integers', {
    dtypes: ['i32'],
    product: '((left << 16u) >> 16u) * ((right << 16u) >> 16u)',
  }),
  mutant('integers that saturate', {
    dtypes: ['i32'],
    result: 'clamp(sum, -0x3fffffff, 0x3fffffff)',
  }),
  mutant('magnitudes of operands below 1', {
    dtypes: FLOATS,
    product: 'clamp(left, Acc(-1), Acc(1)) * right',
  }),
  mutant('a result that saturates', {
    dtypes: FLOATS,
    on: ({ m, n }) => m * n >= 64,
    result: 'T(clamp(f32(sum), -1024.0, 1024.0))',
  }),
  mutant('a sum that ends at a zero', {
    on: ({ m, n, k }) => m * n >= 64 && k >= 4,
    add: 'sum + select(product, Acc(0), seen(&ended, left == Acc(0)))',
    before: 'var ended = false;',
    more: `fn seen(ended: ptr<function, bool>, isZero: bool) -> bool {
  *ended = *ended || isZero;
  return *ended;
}`,
  }),
  mutant('zeros of B taken for ones', {
    on: ({ k, n }) => k * n >= 64,
    product: 'left * select(right, Acc(1), right == Acc(0))',
  }),
];
