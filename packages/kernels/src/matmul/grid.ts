import type { TunableValues } from '../kernel';
import type { Problem } from '../problem';
import { ceilDiv } from '../values';
import { matmulShape } from './op';

/** Workgroups that cover C in blocks of `rows x cols`; MAPPING says which of them runs along x. */
export function gridOverC(
  values: TunableValues,
  problem: Problem,
  rows: number,
  cols: number,
): readonly [number, number, number] {
  const { m, n } = matmulShape(problem);
  const down = ceilDiv(m, rows);
  const across = ceilDiv(n, cols);
  return values.MAPPING === 'row-x' ? [down, across, 1] : [across, down, 1];
}
