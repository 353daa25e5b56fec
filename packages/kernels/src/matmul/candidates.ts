import type { TunableValues } from '../kernel/kernel';
import { ceilDiv } from '../numbers';
import type { Problem } from '../problem/problem';

/** Workgroups that fill a GPU of today once, twice, ...: 16 to 192 processors, two groups on each. */
const FULL = { least: 96, most: 1200 };

/**
 * Parts of K that give a device enough workgroups and not too many, where one part has `groups` of
 * them, and that leave each at least `least` steps. No split, too, unless it would starve the device.
 */
export function splitsOf(k: number, least: number, groups: number): number[] {
  const possible = [1, 2, 4, 8, 16, 32, 64, 128, 256].filter(
    (split) => split === 1 || k / split >= least,
  );
  const good = possible.filter((s) => groups * s >= FULL.least && groups * s <= FULL.most);
  const most = possible.at(-1) ?? 1;
  const chosen = good.length > 0 ? good : [groups > FULL.most ? 1 : most];
  return [...new Set([...(groups >= FULL.least / 2 ? [1] : []), ...chosen])];
}

/** Each tile of BM x BN with the parts of K that suit the shape. */
export function splitTiles(
  tiles: readonly TunableValues[],
  { shape: { b = 1, m, n, k } }: Problem<'matmul'>,
): TunableValues[] {
  return tiles.flatMap((tile) => {
    const groups = b * ceilDiv(m, Number(tile.BM)) * ceilDiv(n, Number(tile.BN));
    return splitsOf(k, 2 * Number(tile.BK), groups).map((SPLIT) => ({ ...tile, SPLIT }));
  });
}

/** Rows per thread for a strip of C: all of them up to 8, beyond that two strips or more. */
export const rowsPerThread = (m: number): number => [1, 2, 3, 4, 6].find((rows) => rows >= m) ?? 8;
