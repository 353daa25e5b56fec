import type { TunableValues } from '../kernel';
import type { Problem } from '../problem';
import { transposeShape } from './op';

/**
 * Entry point of a kernel that moves vec4s: `main` where every row of A and of B
 * starts on a vec4, `unaligned` (element by element) for the other shapes.
 */
export function entryPointByAlignment(_values: TunableValues, problem: Problem): string {
  const { rows, cols } = transposeShape(problem);
  return rows % 4 === 0 && cols % 4 === 0 ? 'main' : 'unaligned';
}
