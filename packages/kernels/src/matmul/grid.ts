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

/**
 * Workgroups that cover C in blocks of `rows x cols`; the mapping says which side runs along x.
 * The products of a batch run along z.
 */
export function gridOverC(
  { b = 1, m, n }: MatmulShape,
  rows: number,
  cols: number,
  mapping: (typeof MAPPING.values)[number] = MAPPING.default,
): readonly [number, number, number] {
  const down = ceilDiv(m, rows);
  const across = ceilDiv(n, cols);
  return mapping === 'row-x' ? [down, across, b] : [across, down, b];
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

/** Where the matrices of a batch's product begin, in elements. */
const BEGIN: Readonly<Record<string, string>> = {
  A: 'product * shape.m * shape.k',
  B: 'product * shape.k * shape.n',
  C: 'product * shape.m * shape.n',
};

/**
 * The source of a kernel that computes one product with A, B and C as arrays of elements, changed
 * to compute the product that z counts in a batch: each access begins at its product's matrix.
 */
export const batched = (wgsl: string): string =>
  `${wgsl
    // Not what reads an element of a decoded matrix, but its calls.
    .replaceAll(
      /^fn load_.*$|\b([ABC])\[|\bload_([AB])\(/gm,
      (text, matrix?: string, read?: string) =>
        matrix || read ? `${text}${BEGIN[matrix ?? read ?? '']} + ` : text,
    )
    .replace(/^fn main\([^{]*?(\w+): vec3u[^{]*\{$/m, '$&\n  product = $1.z;')}
// Which product of the batch.
var<private> product: u32;
`;
