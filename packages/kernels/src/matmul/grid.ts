import { tunable } from '../kernel';
import { ceilDiv } from '../numbers';
import type { MatmulShape } from './op';

/** Which way neighbouring threads run. */
export const MAPPING = tunable(
  'MAPPING',
  'Neighbouring threads compute neighbouring columns of C (col-x, coalesced) or rows (row-x, strided)',
  ['col-x', 'row-x'],
  'col-x',
);

/** Workgroups that cover C in blocks of `rows x cols`; the mapping says which side runs along x. */
export function gridOverC(
  { m, n }: MatmulShape,
  rows: number,
  cols: number,
  mapping: (typeof MAPPING.values)[number] = MAPPING.default,
): readonly [number, number, number] {
  const down = ceilDiv(m, rows);
  const across = ceilDiv(n, cols);
  return mapping === 'row-x' ? [down, across, 1] : [across, down, 1];
}
