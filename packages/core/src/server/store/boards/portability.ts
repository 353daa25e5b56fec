import type { PrismaClient } from '@tilemark/db';
import { type GroupedQuery, type PortabilityReport, shownGroups } from '../../../api/api';
import { portability } from '../../../rank/portability';
import { headlines } from './headlines';
import { boardProblem, whereProblem } from './problems';

/** How near each variant comes to the best of every device, by ranked times. Throws InputError at `shape`. */
export async function portabilityOf(
  db: PrismaClient,
  query: GroupedQuery,
): Promise<PortabilityReport> {
  const board = await boardProblem(db, query);
  const times = board.problem ? await headlines(db, whereProblem(board.problem, board)) : [];
  // Contributed kernels alone make no row.
  const bests = times.filter(({ isBest }) => isBest);
  const present = bests.map(({ device }) => device.class);
  const groups = shownGroups(query.groups, present);
  const onBoard = new Set(bests.map(({ deviceKey }) => deviceKey));
  const ranked = times.filter(
    ({ device, deviceKey, unranked }) =>
      unranked === null && groups.includes(device.class) && onBoard.has(deviceKey),
  );
  const deviceOf = new Map(ranked.map(({ device, deviceKey }) => [deviceKey, device]));
  return {
    ...board,
    groups: [...groups],
    devices: deviceOf.size,
    variants: portability(ranked).flatMap(({ worst: { deviceKey, partOfBest }, ...variant }) => {
      const device = deviceOf.get(deviceKey);
      return device ? { ...variant, worst: { device, partOfBest } } : [];
    }),
  };
}
