import { tunable } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import type { MatmulShape } from './op';

/** The direction in which neighbouring threads run. */
export const MAPPING = tunable(
  'MAPPING',
  'Neighbouring threads compute neighbouring columns of C (col-x, coalesced) or rows (row-x, strided)',
  ['col-x', 'row-x'],
  'col-x',
);

/**
 * Workgroups that cover C in blocks of `rows x cols`; MAPPING says which side runs along x. The products of a
 * batch run along z, each with all parts of K.
 */
export function gridOverC(
  { b = 1, m, n }: MatmulShape,
  rows: number,
  cols: number,
  {
    MAPPING: mapping = MAPPING.default,
    SPLIT = 1,
  }: { readonly MAPPING?: (typeof MAPPING.values)[number]; readonly SPLIT?: number } = {},
): readonly [number, number, number] {
  const [down, across] = [ceilDiv(m, rows), ceilDiv(n, cols)];
  return mapping === 'row-x' ? [down, across, b * SPLIT] : [across, down, b * SPLIT];
}

/** Most workgroups in one dimension that every device can dispatch. */
const MOST_GROUPS = 65_535;

/** Workgroups numbered by `FOLDED`, in as many rows as one dimension needs; those beyond are to return. */
export function foldedGrid(count: number, z: number): readonly [number, number, number] {
  const y = ceilDiv(count, MOST_GROUPS);
  return [ceilDiv(count, y), y, z];
}

/** The number of a workgroup, of `group` and `groups`: `workgroup_id` and `num_workgroups`. */
export const FOLDED = 'group.y * groups.x + group.x';
