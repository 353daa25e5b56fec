import type { Mutant } from '../mutant';
import { mutant } from './product';

/** Products that sum or store in fewer bits than they should. */
export const PRECISION: readonly Mutant[] = [
  mutant('tf32 operands', {
    dtypes: ['f32'],
    product: 'short(left, 0xffffe000u) * short(right, 0xffffe000u)',
  }),
  mutant('bf16 operands', {
    dtypes: ['f32'],
    product: 'short(left, 0xffff0000u) * short(right, 0xffff0000u)',
  }),
  mutant('operands of two bf16 halves', {
    dtypes: ['f32'],
    product: 'short(left, 0xffffff00u) * short(right, 0xffffff00u)',
  }),
  mutant('operands of 18 bits', {
    dtypes: ['f32'],
    product: 'short(left, 0xffffffc0u) * short(right, 0xffffffc0u)',
  }),
  mutant('one operand in f16', { dtypes: ['f32'], product: 'short(left, 0xffffe000u) * right' }),
  mutant('bf16 products', { dtypes: ['f32'], add: 'sum + short(product, 0xffff0000u)' }),
  mutant('sums of 11 bits', { dtypes: ['f32'], add: 'short(sum + product, 0xffffe000u)' }),
  mutant('sums of 16 bits', { dtypes: ['f32'], add: 'short(sum + product, 0xffffff00u)' }),
  mutant('sums of a quarter of K in f16', {
    dtypes: ['f32'],
    add: 'select(sum + product, short(sum + product, 0xffffe000u), (p + 1u) % ((k + 3u) / 4u) == 0u)',
  }),
  mutant('a result of 16 bits', { dtypes: ['f32'], result: 'short(sum, 0xffffff00u)' }),
  mutant('a result in f16', { dtypes: ['f32'], result: 'short(sum, 0xffffe000u)' }),
  mutant('tf32 operands in one block of rows', {
    dtypes: ['f32'],
    product:
      'select(left * right, short(left, 0xffffe000u) * short(right, 0xffffe000u), row / 16u == m / 32u)',
  }),
  mutant('f16 sums', {
    dtypes: ['f16'],
    on: ({ k }) => k >= 5,
    add: 'short(sum + product, 0xffffe000u)',
  }),
  mutant('operands of 8 bits', {
    dtypes: ['f16', 'f16acc16'],
    product: 'Acc(short(f32(left), 0xffff0000u)) * Acc(short(f32(right), 0xffff0000u))',
  }),
  mutant('a row without a positive value is 0', {
    dtypes: ['f32'],
    before: 'var most = T(0); for (var p = 0u; p < k; p++) { most = max(most, A[row * k + p]); }',
    on: ({ k }) => k >= 2,
    result: 'select(T(sum), T(0), most == T(0))',
  }),
  mutant('integers in f32', {
    dtypes: ['i32'],
    product: 'i32(f32(left) * f32(right))',
    result: 'i32(f32(sum))',
  }),
];
