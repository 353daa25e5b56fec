import { expect, it } from 'vitest';
import { refusals } from '@/ui/query';
import { bestPageQuerySchema } from './query';

const refused = (given: Record<string, string>): string[] => {
  const parsed = bestPageQuerySchema.safeParse(given);
  return parsed.success ? [] : refusals(parsed.error, given);
};

it('takes a shape in place of its dimensions', () => {
  expect(bestPageQuerySchema.parse({ shape: '512x256x128' })).toMatchObject({
    m: 512,
    n: 256,
    k: 128,
  });
  expect(bestPageQuerySchema.parse({ op: 'transpose', shape: '4096' })).toMatchObject({
    rows: 4096,
    cols: 4096,
  });
  expect(bestPageQuerySchema.parse({ shape: '8x512x256x128' })).toMatchObject({ b: 8, m: 512 });
  expect(bestPageQuerySchema.parse({ shape: '512' })).not.toHaveProperty('b');
  expect(bestPageQuerySchema.parse({}).m).toBeUndefined();
});

it('refuses an invalid shape, or one that contradicts dimensions beside it', () => {
  expect(refused({ shape: '512x256' })).toEqual([
    'shape cannot be “512x256”: matmul takes [Bx]MxNxK, or one number if all are equal',
  ]);
  expect(refused({ shape: '512', m: '64' })).toEqual([
    'shape cannot be “512”: give either shape or m, n, k',
  ]);
});

it('refuses a problem of which a dimension is missing or another op’s', () => {
  expect(refused({ m: '512', n: '512' })).toEqual(['k is missing: matmul takes m, n, k']);
  expect(refused({ m: '512', n: '512', k: '8', b: '4' })).toEqual([]);
  expect(refused({ b: '4' })).toHaveLength(3);
  expect(refused({ op: 'transpose', rows: '8', cols: '8', k: '8' })).toEqual([
    'k cannot be “8”: transpose has no such dimension',
  ]);
});

it('says what a dimension may be, not what it was read as', () => {
  expect(refused({ m: '512', n: 'abc', k: '512' })).toEqual([
    'n cannot be “abc”: a dimension is a whole number from 1 to 16777216',
  ]);
});
