import { Prisma, type PrismaClient } from '@tilemark/db';
import { InputError, kernelsOf, type Problem, rateOf, shapeText } from '@tilemark/kernels';
import type { DeviceClass } from '../../../measure/device';
import { shorterMedian } from '../../../rank/head-to-head';
import { portability, type VariantTime } from '../../../rank/portability';
import {
  DEVICE_GROUPS,
  type DeviceRef,
  type GroupedQuery,
  type HeatMap,
  type HeatMapCell,
  type PortabilityQuery,
  type PortabilityReport,
  shownGroups,
} from '../../../view/api';
import type { VariantBest } from '../columns';
import { deviceRef } from '../run-view';
import { PROVEN_NS } from './headlines';
import { type BoardProblem, boardProblem, whereProblem } from './leaderboard';

/** A row of "VariantBest" with the time that it is placed by. */
interface VariantTimeRow
  extends VariantTime,
    Pick<VariantBest, 'kernel' | 'resultId' | 'medianNs' | 'unranked' | 'standing'> {
  readonly device: DeviceRef;
}

/** The fastest result of every variant on one problem, on each device of the groups shown. */
async function variantTimes(
  db: PrismaClient,
  query: GroupedQuery,
): Promise<{
  readonly board: BoardProblem & { groups: DeviceClass[] };
  readonly times: VariantTimeRow[];
}> {
  const board = await boardProblem(db, query);
  if (!board.problem) return { board: { ...board, groups: [...(query.groups ?? [])] }, times: [] };
  const where = whereProblem(board.problem, board);
  const devices = await db.device.findMany({
    where: { variantBests: { some: { ...where, isBest: true } } },
    select: { key: true, name: true, class: true },
  });
  const groups = shownGroups(
    query.groups,
    devices.map((device) => device.class),
  );
  const shown = devices.filter((device) => groups.includes(device.class));
  return {
    board: { ...board, groups: [...groups] },
    times: await timesOn(db, shown.map(deviceRef), board.problem, board),
  };
}

/**
 * Postgres writes them as one JSON text: 200 devices have thousands, slow to read row by row.
 *
 * @param which a condition on the row `best`
 */
export async function timesOn(
  db: PrismaClient,
  devices: readonly DeviceRef[],
  problem: Problem,
  { methodology, profile }: Pick<BoardProblem, 'methodology' | 'profile'>,
  which = Prisma.sql`true`,
): Promise<VariantTimeRow[]> {
  const byKey = new Map(devices.map((device) => [device.key, device]));
  const [read] = await db.$queryRaw<{ rows: string | null }[]>`
    SELECT json_agg(time)::text AS "rows" FROM (
      SELECT "deviceKey", "kernel", "address", "resultId", "medianNs", "unranked",
        "standing", ${PROVEN_NS} AS "provenNs"
      FROM "VariantBest" AS best
      WHERE "op" = ${problem.op} AND "dtype" = ${problem.dtype}
        AND "profile" = ${profile}::"Profile" AND "shape" = ${shapeText(problem)}
        AND "methodology" = ${methodology}::int AND "deviceKey" = ANY(${[...byKey.keys()]})
        AND ${which}) AS time`;
  const rows: Omit<VariantTimeRow, 'device'>[] = JSON.parse(read?.rows ?? '[]');
  return rows.flatMap((row) => {
    const device = byKey.get(row.deviceKey);
    return device ? { ...row, device } : [];
  });
}

/** Times of one device, the one to prefer first. */
type DeviceTimes = readonly [VariantTimeRow, ...VariantTimeRow[]];

/**
 * Times by device, as the board prefers: by standing, then the fastest first.
 * Devices come by class, then by their best.
 */
function byDevice(times: readonly VariantTimeRow[]): ReadonlyMap<string, DeviceTimes> {
  const devices = new Map<string, [VariantTimeRow, ...VariantTimeRow[]]>();
  for (const time of times) {
    const others = devices.get(time.deviceKey);
    if (others) others.push(time);
    else devices.set(time.deviceKey, [time]);
  }
  const byPreference = (a: VariantTimeRow, b: VariantTimeRow) =>
    a.standing - b.standing || a.provenNs - b.provenNs;
  for (const ofDevice of devices.values()) ofDevice.sort(byPreference);
  const place = ({ device }: VariantTimeRow) => DEVICE_GROUPS.indexOf(device.class);
  return new Map(
    [...devices].sort(([, [a]], [, [b]]) => place(a) - place(b) || byPreference(a, b)),
  );
}

/** Devices x kernels on one problem. Throws InputError at `shape`. */
export async function heatMapOf(db: PrismaClient, query: GroupedQuery): Promise<HeatMap> {
  const { board, times } = await variantTimes(db, query);
  const { problem } = board;
  if (!problem) return { ...board, kernels: [], rows: [] };
  const measured = new Set(times.map(({ kernel }) => kernel));
  const kernels = kernelsOf(problem.op)
    .map(({ id }) => id)
    .filter((id) => measured.has(id));
  // Kernels of earlier releases come last.
  kernels.push(...[...measured].filter((id) => !kernels.includes(id)).sort());
  const found = [...byDevice(times).values()].map((ofDevice) => ({
    device: ofDevice[0].device,
    cells: cellsOf(ofDevice, kernels, problem),
  }));
  const ids = found.flatMap(({ cells }) => cells.map(({ resultId }) => resultId));
  // One parameter: Prisma's `in` has one per id, and there are thousands.
  const imported = await db.$queryRaw<{ id: string }[]>`
    SELECT "id" FROM "Result" WHERE "id" = ANY(${ids}) AND "importedBy" IS NOT NULL`;
  const importedIds = new Set(imported.map(({ id }) => id));
  const rows = found.map(({ device, cells }) => ({
    device,
    cells: cells.map((cell) => ({ ...cell, isImported: importedIds.has(cell.resultId) })),
  }));
  return { ...board, kernels, rows };
}

function cellsOf(
  times: DeviceTimes,
  kernels: readonly string[],
  problem: Problem,
): Omit<HeatMapCell, 'isImported'>[] {
  const [best] = times;
  return kernels.flatMap((id) => {
    const time = times.find(({ kernel }) => kernel === id);
    if (!time) return [];
    const { address, kernel, medianNs, provenNs, resultId, unranked } = time;
    const isComparable = unranked === null || best.unranked !== null;
    const part = best.provenNs / provenNs;
    return {
      kernel,
      address,
      resultId,
      medianNs,
      provenNs,
      unranked,
      rate: rateOf(problem, medianNs),
      // What nobody confirms may claim to be faster than the best that somebody does.
      partOfBest: isComparable && part <= 1 ? part : null,
    };
  });
}

/**
 * How near each variant comes to the best of every device, by quotable times; where there are none, by whatever
 * is ranked. Throws InputError at `shape`, `ship`.
 */
export async function portabilityOf(
  db: PrismaClient,
  query: PortabilityQuery,
): Promise<PortabilityReport> {
  const { board, times } = await variantTimes(db, query);
  const quoted = times.filter(({ standing }) => standing === 0);
  const unconfirmed = quoted.length === 0;
  const ranked = unconfirmed ? times.filter((time) => time.unranked === null) : quoted;
  const devices = byDevice(ranked);
  const found = portability(ranked);
  const { ship = found[0]?.address } = query;
  if (ship !== undefined && !found.some(({ address }) => address === ship)) {
    throw new InputError(`no device shown has a ranked result of '${ship}'`, 'ship');
  }
  return {
    ...board,
    unconfirmed: unconfirmed && ranked.length > 0,
    devices: devices.size,
    variants: found.flatMap(({ worst: { deviceKey, partOfBest }, ...variant }) => {
      const [worst] = devices.get(deviceKey) ?? [];
      return worst ? { ...variant, worst: { device: worst.device, partOfBest } } : [];
    }),
    shipping:
      ship === undefined
        ? null
        : { address: ship, devices: [...devices.values()].map((times) => shippingTo(times, ship)) },
  };
}

/** What one device loses by a variant that is not its own best. */
function shippingTo(
  times: DeviceTimes,
  ship: string,
): NonNullable<PortabilityReport['shipping']>['devices'][number] {
  const [best] = times;
  const shorter = shorterMedian(best, times);
  const same = times.find(({ address }) => address === ship);
  return {
    device: best.device,
    best: measuredTime(best),
    shorterMedian: shorter && measuredTime(shorter),
    shipped: same ? { ...measuredTime(same), partOfBest: best.provenNs / same.provenNs } : null,
  };
}

/** As views name a variant beside another. */
export const measuredTime = ({ address, medianNs, provenNs, resultId }: VariantTimeRow) => ({
  address,
  medianNs,
  provenNs,
  resultId,
});
