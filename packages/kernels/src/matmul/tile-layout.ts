/**
 * A tile of C and who computes what of it. Written out in full by `emitTileKernel`,
 * because WGSL has no unroll hint and an accumulator must have a name to stay in a
 * register: an array of them, indexed in a loop, goes to memory.
 */
export interface TileLayout {
  /** Threads of a workgroup, in one dimension. */
  readonly threads: number;
  /** The workgroup's tile of C is bm x bn; bk of K is staged at a time. */
  readonly bm: number;
  readonly bn: number;
  readonly bk: number;
  /** Steps of K written out; a loop runs over the rest of bk. */
  readonly unroll: number;
  /** Products are added by `fma`; absent: by `a * b + c`, which a compiler may contract. */
  readonly fma?: boolean;
  /**
   * Parts of K, each summed by workgroups of their own (`workgroup_id.z`) into scratch
   * memory, which the entry point `add_parts` adds up. Absent or 1: K is summed whole.
   */
  readonly split?: number;
  /**
   * Workgroups that the device holds at once. The tiles that would leave some of them
   * idle in the last round are shared out evenly, step by step of K, and `add_parts`
   * adds up what each tile's workgroups found. Absent: a workgroup a tile.
   */
  readonly wave?: number;
  /** The tile of A has no padding: its columns are permuted from row to row. */
  readonly swizzled?: boolean;
  /** Two tiles of each matrix, written in turn: one barrier a tile, and twice the memory. */
  readonly doubled?: boolean;
  /** The next tile's loads are spread over the steps; absent: all before the first. */
  readonly spread?: boolean;
  /** The loop over tiles ends at a constant, so that Tint adds no counter to it. */
  readonly bounded?: boolean;
  /** Many products of one shape: `workgroup_id.z`, handed to memory's functions, is which. */
  readonly batched?: boolean;
  /** A thread's rows: groups of four neighbours, `rowStride` rows apart. */
  readonly rowGroups: number;
  readonly rowStride: number;
  /** A thread's columns: groups of four neighbours, `colStride` columns apart. */
  readonly colGroups: number;
  readonly colStride: number;
  /** WGSL of the thread's first row and column in the tile, in fours, from `thread`. */
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
