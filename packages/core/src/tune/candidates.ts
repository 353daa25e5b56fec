import {
  ceilDiv,
  combinations,
  type GpuKernel,
  kernelById,
  type Problem,
  resolveVariant,
  type TunableValues,
} from '@tilemark/kernels';
import type { Point } from './space';

/**
 * The variants worth trying on a problem: what searches found to win somewhere, adapted to the
 * shape. A few dozen per problem, where the kernels together have more than a million; `tilemark
 * tune --suite` begins with them, and they are what the selector's evidence was measured on.
 */
export function candidatesFor(problem: Problem): Point[] {
  const points = Object.entries(LISTS).flatMap(([kernel, values]) => {
    const definition = kernelById(kernel) as GpuKernel;
    if (definition.op !== problem.op || !definition.dtypes.includes(problem.dtype)) return [];
    return values(problem).flatMap((tunables) => pointOf(definition, tunables, problem));
  });
  return [...new Map(points.map((point) => [point.address, point])).values()];
}

function pointOf(definition: GpuKernel, chosen: TunableValues, problem: Problem): Point[] {
  const isDeclared = definition.tunables.every(
    ({ name, values }) =>
      chosen[name] === undefined || values.some((each) => each === chosen[name]),
  );
  if (!isDeclared) return [];
  const { address, tunables } = resolveVariant(definition.id, chosen);
  const fits =
    definition.constraints.every(({ holds }) => holds(tunables)) &&
    (definition.problemConstraints ?? []).every(({ holds }) => holds(tunables, problem));
  if (!fits) return [];
  if (Math.max(...definition.workgroups(tunables, problem)) > MOST_WORKGROUPS) return [];
  return [{ kernel: definition.id, tunables, address }];
}

/** WebGPU's own limit on workgroups along a dimension. */
const MOST_WORKGROUPS = 65_535;

const tiles = (names: readonly string[], rows: readonly (readonly (number | string)[])[]) =>
  rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] as number | string])));

/** Workgroups that fill a GPU of today once, twice, ...: 16 to 192 processors, two groups on each. */
const FULL = { least: 96, most: 1200 };

/**
 * Parts of K that give a device enough workgroups and not too many, where one part has `groups` of
 * them, and that leave each at least `least` steps. No split, too, unless it would starve the device.
 */
function splits(k: number, least: number, groups: number): number[] {
  const possible = [1, 2, 4, 8, 16, 32, 64, 128, 256].filter(
    (split) => split === 1 || k / split >= least,
  );
  const good = possible.filter((s) => groups * s >= FULL.least && groups * s <= FULL.most);
  const most = possible.at(-1) ?? 1;
  const chosen = good.length > 0 ? good : [groups > FULL.most ? 1 : most];
  return [...new Set([...(groups >= FULL.least / 2 ? [1] : []), ...chosen])];
}

const cross = (
  base: readonly TunableValues[],
  axes: Parameters<typeof combinations>[0],
): TunableValues[] =>
  base.flatMap((each) => combinations(axes).map((more) => ({ ...each, ...more })));

const sizes = (problem: Problem) => {
  if (problem.op !== 'matmul') throw new TypeError('only products have m, n and k');
  return problem.shape;
};

/** Tiles of `matmul/warp-tile`, each with its parts of K. */
const WARP_TILES = tiles(
  ['BM', 'BN', 'BK', 'TM', 'TN', 'LANES_DOWN', 'A_TILE'],
  [
    [128, 128, 16, 8, 16, 8, 'swizzled'],
    [128, 128, 16, 8, 16, 4, 'swizzled'],
    [128, 64, 16, 8, 16, 8, 'padded'],
    [64, 64, 16, 8, 8, 4, 'padded'],
    [32, 64, 16, 8, 8, 4, 'padded'],
    [32, 32, 16, 4, 8, 8, 'padded'],
    [32, 128, 32, 8, 8, 4, 'padded'],
    [64, 128, 32, 8, 8, 4, 'padded'],
    [128, 32, 16, 8, 8, 8, 'padded'],
  ],
).map((tile): TunableValues => ({ ...tile, UNROLL: 16 }));

const FRAGMENT_TILES = tiles(
  ['BM', 'BN', 'BK', 'WM', 'WN', 'UNROLL', 'LOADS', 'ORDER'],
  [
    [16, 64, 64, 16, 32, 1, 'ahead', 'rows-first'],
    [16, 128, 64, 16, 32, 1, 'ahead', 'rows-first'],
    [32, 64, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [32, 128, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [64, 64, 64, 32, 32, 1, 'ahead', 'rows-first'],
    [64, 128, 64, 32, 64, 1, 'ahead', 'rows-first'],
    [128, 64, 64, 64, 32, 1, 'ahead', 'rows-first'],
    [128, 128, 32, 64, 64, 1, 'ahead', 'rows-first'],
    [128, 128, 32, 64, 64, 2, 'ahead', 'rows-first'],
    [128, 128, 64, 64, 64, 1, 'ahead', 'rows-first'],
    [256, 128, 32, 128, 64, 1, 'staggered', 'rows-first'],
    [256, 256, 32, 128, 64, 2, 'staggered', 'bands'],
  ],
);

const PREFETCHED_TILES = tiles(
  ['BM', 'BN', 'BK', 'WM', 'WN', 'PREFETCH'],
  [
    [16, 64, 64, 16, 32, 2],
    [32, 64, 64, 32, 32, 2],
    [32, 128, 64, 32, 32, 2],
    [64, 64, 32, 32, 32, 2],
    [64, 64, 32, 32, 32, 4],
    [64, 64, 64, 32, 32, 2],
    [64, 128, 32, 32, 64, 2],
    [64, 128, 64, 32, 64, 2],
    [128, 64, 64, 64, 32, 2],
    [128, 128, 32, 64, 64, 2],
    [128, 128, 32, 64, 32, 2],
    [128, 128, 64, 64, 32, 2],
  ],
);

/** Each tile with the parts of K that suit the shape. */
function splitTiles(bases: readonly TunableValues[], problem: Problem): TunableValues[] {
  const { b = 1, m, n, k } = sizes(problem);
  return bases.flatMap((tile) => {
    const groups = b * ceilDiv(m, Number(tile.BM)) * ceilDiv(n, Number(tile.BN));
    return splits(k, 2 * Number(tile.BK), groups).map((SPLIT) => ({ ...tile, SPLIT }));
  });
}

/** Tiles of a matrix of few rows or columns: as narrow as it is, and long. */
function strips({ op, shape }: Problem) {
  if (op !== 'transpose') throw new TypeError('only transposes have rows and cols');
  const narrow = (side: number) => 2 ** Math.max(2, Math.ceil(Math.log2(side)));
  return [64, 128, 256].flatMap((long) => [
    ...(shape.rows <= 32 ? [{ TILE_ROWS: narrow(shape.rows), TILE_COLS: long }] : []),
    ...(shape.cols <= 32 ? [{ TILE_ROWS: long, TILE_COLS: narrow(shape.cols) }] : []),
  ]);
}

/** Rows per thread for a strip of C: all of them up to 8, beyond that two strips or more. */
const rowsPerThread = (m: number) => [1, 2, 3, 4, 6].find((rows) => rows >= m) ?? 8;

const LISTS: Readonly<Record<string, (problem: Problem) => readonly TunableValues[]>> = {
  'matmul/few-rows': (problem) => {
    const { b = 1, m, n, k } = sizes(problem);
    if (k <= 64) {
      return combinations({
        ROWS: [4, 8, 16],
        LANES: [32, 64],
        DEEP: [1],
        DOWN: [1, 2, 4],
        UNROLL: [1],
      });
    }
    if (m > 16) return [];
    const ROWS = rowsPerThread(m);
    return tiles(
      ['LANES', 'DEEP', 'UNROLL'],
      [
        [8, 16, 1],
        [8, 32, 4],
        [16, 16, 1],
        [16, 16, 4],
        [32, 4, 1],
        [32, 8, 2],
        [32, 8, 4],
      ],
    ).flatMap((own) => {
      const UNROLL = Math.min(Number(own.UNROLL), ROWS > 4 ? 2 : 4);
      const groups = b * ceilDiv(n, 4 * Number(own.LANES)) * ceilDiv(m, ROWS);
      const all = splits(k, 4 * Number(own.DEEP), groups).filter((split) => split <= 64);
      return all.map((SPLIT) => ({ ...own, ROWS, UNROLL, SPLIT }));
    });
  },
  'matmul/few-rows-shuffled': (problem) => {
    const { m, k } = sizes(problem);
    if (m > 8 || k < 64) return [];
    const ROWS = rowsPerThread(m);
    const threads = tiles(
      ['LANES', 'DEEP', 'UNROLL'],
      [
        [2, 64, 1],
        [2, 128, 1],
        [2, 256, 1],
        [4, 32, 2],
        [4, 64, 1],
        [4, 64, 2],
        [4, 128, 1],
        [4, 128, 2],
        [4, 256, 1],
        [8, 32, 1],
        [8, 32, 2],
        [8, 64, 1],
        [8, 64, 2],
        [8, 128, 1],
        [16, 32, 1],
        [16, 64, 1],
      ],
    );
    return cross(threads, { SUBGROUP: [8, 16, 32, 64] }).map((own) => ({ ...own, ROWS }));
  },
  'matmul/few-cols': (problem) => {
    const { b = 1, m, n, k } = sizes(problem);
    if (n > 8 || k < 64) return [];
    return tiles(
      ['LANES', 'UNROLL', 'ROWS', 'REDUCE'],
      [
        [64, 1, 1, 'subgroup'],
        [64, 1, 4, 'subgroup'],
        [128, 2, 2, 'subgroup'],
        [128, 2, 4, 'subgroup'],
        [128, 2, 2, 'workgroup'],
        [256, 1, 1, 'subgroup'],
        [256, 2, 2, 'subgroup'],
        [256, 2, 4, 'subgroup'],
        [256, 4, 1, 'subgroup'],
        [256, 4, 2, 'subgroup'],
        [256, 4, 2, 'workgroup'],
      ],
    ).flatMap((own) =>
      splits(k, 512, b * ceilDiv(m, Number(own.ROWS))).map((SPLIT) => ({ ...own, COLS: n, SPLIT })),
    );
  },
  'matmul/warp-tile': (problem) => {
    const { m, n } = sizes(problem);
    if (problem.dtype === 'f16' || Math.min(m, n) < 6) return [];
    return splitTiles(WARP_TILES, problem);
  },
  'matmul/warp-elements': (problem) => {
    const { m, n, k } = sizes(problem);
    if (problem.dtype === 'f16' || Math.min(m, n) < 6 || (n % 4 === 0 && k % 4 === 0)) return [];
    return splitTiles(
      WARP_TILES.map(({ A_TILE: _, ...tile }) => tile),
      problem,
    );
  },
  'matmul/stream-k': (problem) => {
    const { m, n } = sizes(problem);
    if (problem.dtype === 'f16' || ceilDiv(m, 64) * ceilDiv(n, 64) < 64) return [];
    const own = WARP_TILES.filter(
      ({ BM, BN, LANES_DOWN }) => BM === BN && LANES_DOWN !== (BM === 128 ? 4 : 8),
    );
    return cross(own, { WAVE: [132, 264] });
  },
  'matmul/subgroup-matrix': (problem) => {
    const { m, n } = sizes(problem);
    return Math.min(m, n) < 2 ? [] : splitTiles(FRAGMENT_TILES, problem);
  },
  'matmul/subgroup-matrix-prefetch': (problem) => {
    const { m, n } = sizes(problem);
    return Math.min(m, n) < 2 ? [] : splitTiles(PREFETCHED_TILES, problem);
  },
  'transpose/swizzled': (problem) =>
    cross(
      [
        ...tiles(
          ['TILE_ROWS', 'TILE_COLS', 'THREADS_Y'],
          [
            [64, 64, 16],
            [64, 64, 8],
            [32, 64, 8],
            [64, 32, 16],
            [32, 32, 8],
            [128, 32, 16],
          ],
        ),
        ...strips(problem).map((tile) => ({ ...tile, THREADS_Y: tile.TILE_ROWS / 4 })),
      ],
      { ORDER: ['rows-first', 'cols-first'] },
    ),
  'transpose/pitched': (problem) =>
    cross(
      [...combinations({ TILE_ROWS: [32, 64, 128], TILE_COLS: [16, 32, 64] }), ...strips(problem)],
      { THREADS: [128, 256, 512], ORDER: ['rows-first', 'cols-first'] },
    ),
  'transpose/multi-row': () => combinations({ TILE: [32, 64], ROWS: [4, 8, 16] }),
};
