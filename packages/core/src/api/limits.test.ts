import { parseProblem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { splitFor } from './limits';

const problem = parseProblem({ op: 'matmul', shape: '1x1000x1024', dtype: 'f32-nt' });
const BYTES = 1000 * 1024 * 4;

it('splits the side of the largest tensor into the fewest parts that fit, in multiples of 64', () => {
  // Halves of 500 columns are 512, which do not fit.
  expect(splitFor(problem, BYTES / 2)).toEqual({
    side: 'n',
    parts: 3,
    size: 384,
    bytes: BYTES / 2,
  });
});

it('splits nothing that fits', () => {
  expect(splitFor(problem, BYTES)).toBeNull();
});
