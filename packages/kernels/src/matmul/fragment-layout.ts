/** A tile of C that the subgroups of a workgroup compute in fragments. */
export interface FragmentLayout {
  /** The workgroup's tile of C is bm x bn; bk of K is staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Threads of a subgroup. */
  readonly subgroup: number;
  /** A subgroup's part of the tile. */
  readonly wm: number;
  readonly wn: number;
  /** One multiplication: m x k times k x n. */
  readonly fragment: { readonly m: number; readonly n: number; readonly k: number };
  /** The type that products are added up in. */
  readonly sums: 'f32' | 'f16';
  /** After how many eighths of a tile's multiplications the next tile's loads are issued. */
  readonly loadsAt: { readonly a: number; readonly b: number };
  /** Rows of tiles in a band, down whose columns neighbouring workgroups lie; absent: along a row. */
  readonly band?: number;
  /** Tiles of K written out in the loop over them. */
  readonly unroll: number;
}

/** Halves in a vec4u, the unit everything is moved in. */
export const UNIT = 8;

/** Unused units behind each row of a tile: a fragment's rows lie in different banks. */
export const PADDING = 1;

/** Threads of the workgroup. */
export function fragmentThreads({ bm, bn, wm, wn, subgroup }: FragmentLayout): number {
  return subgroup * (bm / wm) * (bn / wn);
}

/** vec4u of one fragment's sums. */
export function sumUnits({ fragment, sums }: FragmentLayout): number {
  return (fragment.m * fragment.n) / (sums === 'f16' ? 8 : 4);
}

/** Units of the tile of A, in whose place one fragment of each subgroup leaves. */
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

/** Entry point for a shape: `main` moves eight halves, which rows of A, B and C must start on. */
export function fragmentEntryPoint({ n, k }: { readonly n: number; readonly k: number }): string {
  return n % UNIT === 0 && k % UNIT === 0 ? 'main' : 'unaligned';
}
