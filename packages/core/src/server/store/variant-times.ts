import type { Prisma, PrismaClient } from '@tilemark/db';
import { DEVICE_GROUPS, type GroupedQuery, shownGroups } from '../../api';
import type { DeviceClass } from '../../device';
import { type BoardProblem, boardProblem, whereProblem } from './board-problem';

const TIME = { include: { device: { select: { key: true, name: true, class: true } } } } as const;

/** The fastest result of a variant on a device. */
export type VariantTimeRow = Prisma.VariantBestGetPayload<typeof TIME>;

/** The fastest result of every variant on one problem, on each device of the groups shown. */
export async function variantTimes(
  db: PrismaClient,
  query: GroupedQuery,
): Promise<{
  readonly board: BoardProblem & { groups: DeviceClass[] };
  readonly times: VariantTimeRow[];
}> {
  const board = await boardProblem(db, query);
  if (!board.problem) return { board: { ...board, groups: [...(query.groups ?? [])] }, times: [] };
  const where = whereProblem(board.problem, query);
  const present = await db.device.findMany({
    where: { bests: { some: where } },
    distinct: ['class'],
    select: { class: true },
  });
  const groups = shownGroups(
    query.groups,
    present.map((device) => device.class),
  );
  const times = await db.variantBest.findMany({
    where: { ...where, device: { class: { in: [...groups] } } },
    ...TIME,
  });
  return { board: { ...board, groups: [...groups] }, times };
}

/** Times of one device, the one to prefer first. */
export type DeviceTimes = readonly [VariantTimeRow, ...VariantTimeRow[]];

/**
 * Times by device, by the preference of `Best`: ranked ones first, then the fastest.
 * Devices come by class, then by their best.
 */
export function byDevice(times: readonly VariantTimeRow[]): ReadonlyMap<string, DeviceTimes> {
  const devices = new Map<string, [VariantTimeRow, ...VariantTimeRow[]]>();
  const place = ({ device }: VariantTimeRow) => DEVICE_GROUPS.indexOf(device.class);
  const preferred = times.toSorted(
    (a, b) =>
      place(a) - place(b) ||
      Number(a.unranked !== null) - Number(b.unranked !== null) ||
      a.medianNs - b.medianNs,
  );
  for (const time of preferred) {
    const of = devices.get(time.deviceKey);
    if (of) of.push(time);
    else devices.set(time.deviceKey, [time]);
  }
  return devices;
}
