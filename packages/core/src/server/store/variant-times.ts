import type { PrismaClient } from '@tilemark/db';
import { type Problem, shapeText } from '@tilemark/kernels';
import { DEVICE_GROUPS, type DeviceRef, type GroupedQuery, shownGroups } from '../../api';
import type { DeviceClass } from '../../device';
import { type BoardProblem, boardProblem, whereProblem } from './board-problem';
import { deviceRef } from './run-view';

/** The fastest result of a variant on a device. */
export interface VariantTimeRow {
  readonly deviceKey: string;
  readonly kernel: string;
  readonly address: string;
  readonly resultId: string;
  readonly medianNs: number;
  readonly unranked: string | null;
  readonly device: DeviceRef;
}

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
  const devices = await db.device.findMany({
    where: { bests: { some: where } },
    select: { key: true, name: true, class: true },
  });
  const groups = shownGroups(
    query.groups,
    devices.map((device) => device.class),
  );
  const shown = devices.filter((device) => groups.includes(device.class));
  return {
    board: { ...board, groups: [...groups] },
    times: await timesOn(db, shown.map(deviceRef), board.problem, query),
  };
}

type TimeRow = readonly [
  deviceKey: string,
  kernel: string,
  address: string,
  resultId: string,
  medianNs: number,
  unranked: string | null,
];

/** Postgres writes them as one JSON text: 200 devices have thousands, slow to read row by row. */
async function timesOn(
  db: PrismaClient,
  devices: readonly DeviceRef[],
  problem: Problem,
  { profile }: GroupedQuery,
): Promise<VariantTimeRow[]> {
  const byKey = new Map(devices.map((device) => [device.key, device]));
  const [read] = await db.$queryRaw<{ rows: string | null }[]>`
    SELECT json_agg(json_build_array("deviceKey", "kernel", "address", "resultId", "medianNs",
      "unranked"))::text AS "rows"
    FROM "VariantBest"
    WHERE "op" = ${problem.op}::"Op" AND "dtype" = ${problem.dtype}::"Dtype"
      AND "profile" = ${profile}::"Profile" AND "shape" = ${shapeText(problem)}
      AND "deviceKey" = ANY(${[...byKey.keys()]})`;
  const rows = read?.rows ? (JSON.parse(read.rows) as TimeRow[]) : [];
  return rows.flatMap(([deviceKey, kernel, address, resultId, medianNs, unranked]) => {
    const device = byKey.get(deviceKey);
    return device ? { deviceKey, kernel, address, resultId, medianNs, unranked, device } : [];
  });
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
