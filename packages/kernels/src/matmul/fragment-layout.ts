import { tunable, type ValuesOf } from '../kernel/kernel';
import { DTYPES, type Dtype } from '../problem/dtype';
import type { Problem } from '../problem/problem';
import type { Scalar } from '../problem/scalar';
import { type Written, weightsOf } from './memory';
import { isPacked } from './packed-dots';
import { splitTunable } from './tile-memory';

/** Threads of a subgroup, unless a kernel has a tunable for it: the shader relies on who is in one. */
const SUBGROUP = 32;

/** Rows of tiles per band of ORDER=bands. */
export const BAND = 4;

/** How many eighths of a tile's multiplications precede the loads of each matrix, by LOADS. */
export const LOADS_AT = {
  ahead: { a: 0, b: 0 },
  halfway: { a: 4, b: 4 },
  staggered: { a: 1, b: 4 },
} as const;

/** The sizes of a tile. */
export const TILE_SIZES = [
  tunable('BM', 'Rows of C per workgroup', [16, 32, 64, 128, 256], 128),
  tunable('BN', 'Columns of C per workgroup', [32, 64, 128, 256], 128),
  tunable('BK', 'Steps of K staged in workgroup memory at a time', [16, 32, 64], 32),
  tunable('WM', 'Rows of C per subgroup', [16, 32, 64, 128], 64),
  tunable('WN', 'Columns of C per subgroup', [16, 32, 64, 128], 64),
] as const;

/** How tiles are loaded, and by whom. */
export const TILE_ORDER = [
  tunable(
    'LOADS',
    "When the next tile is loaded: before the first multiplication (ahead), after half of them (halfway), or A's tile after an eighth and B's after half (staggered)",
    ['ahead', 'halfway', 'staggered'],
    'ahead',
  ),
  tunable(
    'ORDER',
    `Neighbouring workgroups run along a row of tiles of C, or down the columns of bands of ${BAND} rows of tiles`,
    ['rows-first', 'bands'],
    'rows-first',
  ),
  tunable('UNROLL', 'Tiles of K per iteration of the loop over them', [1, 2], 1),
  splitTunable([1, 2, 4, 8, 16, 32, 64]),
] as const;

export const FRAGMENT_TUNABLES = [
  ...TILE_SIZES,
  tunable('FRAGMENT_N', 'N of one 16 × N × 16 matrix multiplication', [8, 16], 16),
  ...TILE_ORDER,
  tunable(
    'PREFETCH',
    'Tiles of K on their way while one is multiplied; off: the next, in time for it',
    ['off', 2, 3, 4],
    'off',
  ),
] as const;

type FragmentValues = ValuesOf<typeof FRAGMENT_TUNABLES>;

/** One multiplication: m x k times k x n. */
export interface Fragment {
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

/** How a workgroup is divided. */
interface Subgroups {
  readonly BM: number;
  readonly BN: number;
  readonly WM: number;
  readonly WN: number;
  /** Threads of a subgroup; absent: 32. */
  readonly SUBGROUP?: number;
}

/** The sizes of a tile, of whatever kernel. */
export interface TileSizes extends Subgroups {
  readonly BK: number;
}

/** A tile of C that the subgroups of a workgroup compute fragment by fragment. */
export interface FragmentLayout extends Written, TileSizes, ValuesOf<typeof TILE_ORDER> {
  /** Tiles of K on their way in registers while one is multiplied; absent or off: 1. */
  readonly PREFETCH?: number | 'off';
  readonly fragment: Fragment;
  /** The type of the sums: f32, f16 or, of bytes, i32. */
  readonly sums: Scalar;
}

/** @param fragment of `values`, which have more tunables than a layout */
export const layoutWith = (
  values: Omit<FragmentLayout, 'fragment' | 'sums' | 'weights'>,
  fragment: Fragment,
  dtype: Dtype,
): FragmentLayout => ({
  ...values,
  fragment,
  sums: DTYPES[dtype].sums,
  weights: weightsOf(dtype),
});

/** Tiles on their way at a time. */
export const prefetchOf = ({ PREFETCH = 'off' }: Pick<FragmentLayout, 'PREFETCH'>): number =>
  PREFETCH === 'off' ? 1 : PREFETCH;

export const fragmentLayout = (values: FragmentValues, dtype: Dtype): FragmentLayout =>
  layoutWith(values, { m: 16, n: values.FRAGMENT_N, k: 16 }, dtype);

/** What is multiplied. */
export const operandOf = (layout: Pick<Written, 'weights'>) => (isPacked(layout) ? 'i8' : 'f16');

/** Halves in a vec4u, the unit in which everything is moved; sums that a thread stores. */
export const UNIT = 8;

/** Halves or bytes in a vec4u. */
export const unitOf = (layout: Pick<Written, 'weights'>): number =>
  isPacked(layout) ? 2 * UNIT : UNIT;

/** Unused units after each row of a tile, so that a fragment's rows are in different banks. */
export const PADDING = 1;

/** Threads per subgroup, and per workgroup. */
export const subgroupOf = ({ SUBGROUP: threads = SUBGROUP }: Subgroups): number => threads;
export const fragmentThreads = (layout: Subgroups): number =>
  subgroupOf(layout) * (layout.BM / layout.WM) * (layout.BN / layout.WN);

/** Units (vec4u) of one fragment's sums. */
export function sumUnits({ fragment, sums }: FragmentLayout): number {
  return (fragment.m * fragment.n) / (sums === 'f16' ? 8 : 4);
}

/** Units of the tile of A, which is reused to store one fragment per subgroup at the end. */
export function aUnitsOf(layout: FragmentLayout): number {
  const { BM, BK } = layout;
  const leaving = (fragmentThreads(layout) / subgroupOf(layout)) * sumUnits(layout);
  return Math.max(BM * (BK / unitOf(layout) + PADDING), leaving);
}

/** Units of the tile of B; of weights, a line is a row of N. */
export function bUnitsOf({ BN, BK, weights }: FragmentLayout): number {
  return weights ? BN * (BK / unitOf({ weights }) + PADDING) : BK * (BN / UNIT + PADDING);
}

/** Bytes of workgroup memory: the tiles of A and B. */
export function fragmentBytes(layout: FragmentLayout): number {
  return 16 * (aUnitsOf(layout) + bUnitsOf(layout));
}

/** Entry point for a shape: `main` loads 16 bytes and stores eight sums at a time, so rows must be aligned to that. */
export function fragmentEntryPoint({ dtype, shape: { n, k } }: Problem<'matmul'>): string {
  return n % UNIT === 0 && k % unitOf({ weights: dtype }) === 0 ? 'main' : 'unaligned';
}
