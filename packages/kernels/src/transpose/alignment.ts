import type { Problem } from '../problem';

/**
 * Entry point of a kernel that moves vec4s: `main` if every row of A and B starts on a vec4,
 * otherwise `unaligned`, which moves single elements.
 */
export function entryPointByAlignment(_values: unknown, problem: Problem<'transpose'>): string {
  const { rows, cols } = problem.shape;
  return rows % 4 === 0 && cols % 4 === 0 ? 'main' : 'unaligned';
}
