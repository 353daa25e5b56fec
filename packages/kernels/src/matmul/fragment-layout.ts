/** A tile of C that the subgroups of a workgroup compute fragment by fragment. */
export interface FragmentLayout {
  /** The workgroup's tile of C is bm x bn; bk steps of K are staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Threads per subgroup. */
  readonly subgroup: number;
  /** A subgroup's part of the tile. */
  readonly wm: number;
  readonly wn: number;
  /** One multiplication: m x k times k x n. */
  readonly fragment: { readonly m: number; readonly n: number; readonly k: number };
  /** The type of the sums. */
  readonly sums: 'f32' | 'f16';
  /** How many eighths of a tile's multiplications precede the next tile's loads. */
  readonly loadsAt: { readonly a: number; readonly b: number };
  /** Rows of tiles per band; neighbouring workgroups run down its columns. Absent: along a row. */
  readonly band?: number;
  /** Parts of K, each summed by workgroups of its own (`workgroup_id.z`) into scratch memory. */
  readonly split: number;
  /** Tiles of K per iteration of the loop over them. */
  readonly unroll: number;
}

/** Halves in a vec4u, the unit in which everything is moved. */
export const UNIT = 8;

/** Unused units after each row of a tile, so that a fragment's rows are in different banks. */
export const PADDING = 1;

/** Threads per workgroup. */
export function fragmentThreads({ bm, bn, wm, wn, subgroup }: FragmentLayout): number {
  return subgroup * (bm / wm) * (bn / wn);
}

/** Units (vec4u) of one fragment's sums. */
export function sumUnits({ fragment, sums }: FragmentLayout): number {
  return (fragment.m * fragment.n) / (sums === 'f16' ? 8 : 4);
}

/** Units of the tile of A, which is reused to store one fragment per subgroup at the end. */
export function aUnitsOf(layout: FragmentLayout): number {
  const { bm, bk, subgroup } = layout;
  const leaving = (fragmentThreads(layout) / subgroup) * sumUnits(layout);
  return Math.max(bm * (bk / UNIT + PADDING), leaving);
}

export function bUnitsOf({ bn, bk }: FragmentLayout): number {
  return bk * (bn / UNIT + PADDING);
}

/** Bytes of workgroup memory: the tiles of A and B. */
export function fragmentBytes(layout: FragmentLayout): number {
  return 16 * (aUnitsOf(layout) + bUnitsOf(layout));
}

/** Entry point for a shape: `main` moves eight halves at a time, so rows must be aligned to that. */
export function fragmentEntryPoint({ n, k }: { readonly n: number; readonly k: number }): string {
  return n % UNIT === 0 && k % UNIT === 0 ? 'main' : 'unaligned';
}
