import { expect, test } from 'vitest';
import { bestOf } from './rate-bars';

const run = (kernel: string, reason: string | null) => ({
  variant: { kernel, tunables: {} },
  reason,
});
const ceiling = run('transpose/copy', null);
const noisy = run('transpose/tiled', 'noisy');
const ranked = run('transpose/naive', null);

test('the best bar is the fastest ranked one, never a ceiling', () => {
  expect(bestOf([ceiling, noisy, ranked, run('transpose/tiled', null)])).toBe(ranked);
});

test('where nothing is ranked, the fastest is the best', () => {
  expect(bestOf([ceiling, noisy, run('transpose/naive', 'noisy')])).toBe(noisy);
  expect(bestOf([ceiling])).toBeUndefined();
});
