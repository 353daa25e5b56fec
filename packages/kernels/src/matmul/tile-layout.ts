import type { Written } from './memory';

/**
 * A tile of C and which thread computes which part of it. `emitTileKernel` unrolls it completely,
 * because WGSL has no unroll hint and only named accumulators stay in registers: an array indexed
 * in a loop goes to memory.
 */
export interface TileLayout extends Written {
  /** Threads per workgroup, in one dimension. */
  readonly threads: number;
  /** The workgroup's tile of C is bm x bn; bk steps of K are staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Steps of K unrolled per iteration of the loop over bk. */
  readonly unroll: number;
  /** Products are added by `fma`; absent: by `a * b + c`, which a compiler may contract. */
  readonly fma?: boolean;
  /**
   * Parts of K, each summed by its own workgroups (`workgroup_id.z`) into scratch memory; the entry
   * point `add_parts` adds them. Absent or 1: K is not split.
   */
  readonly split?: number;
  /**
   * Workgroups that the device runs at once. The tiles of the last, partial wave are divided evenly
   * among them along K, and `add_parts` adds the shares of each tile. Absent: one workgroup per
   * tile.
   */
  readonly wave?: number;
  /** The tile of A is not padded; instead, its columns are permuted from row to row. */
  readonly swizzled?: boolean;
  /** Two alternating tiles of each matrix: one barrier per tile and twice the memory. */
  readonly doubled?: boolean;
  /** The next tile's loads are spread over the steps; absent: all before the first. */
  readonly spread?: boolean;
  /** Tiles are staged by single elements, neighbours by neighbours; absent: by vec4s. */
  readonly elements?: boolean;
  /** The loop over tiles ends at a constant, so that Tint does not add a counter to it. */
  readonly bounded?: boolean;
  /** A thread's rows: groups of four adjacent rows, `rowStride` apart. */
  readonly rowGroups: number;
  readonly rowStride: number;
  /** A thread's columns: groups of four adjacent columns, `colStride` apart. */
  readonly colGroups: number;
  readonly colStride: number;
  /** WGSL expressions in `thread` for its first row and column in the tile, in units of four. */
  readonly row4: string;
  readonly col4: string;
}

type SplitLayout = TileLayout & { readonly split: number };

export function isSplit(layout: TileLayout): layout is SplitLayout {
  return layout.split !== undefined && layout.split > 1;
}

export type SharedLayout = TileLayout & { readonly wave: number };

export function isShared(layout: TileLayout): layout is SharedLayout {
  return layout.wave !== undefined;
}
