import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  idsOf,
  isKnownProblem,
  OPS,
  type OpId,
  parseProblem,
  rateOf,
  volume,
} from '@tilemark/kernels';
import { greatest } from 'd3-array';
import type { Profile } from '../../measure/device';
import type { RooflineSurvey } from '../../measure/roofline';
import { provenNs } from '../../rank/headline';
import type { BestResult, Device, DeviceRef, Page, RunResult } from '../../view/api';
import type { SoftwareVersion } from '../../view/device';
import { ownRoofs } from '../gate/parties';
import { spreadOf } from './boards/headlines';
import { shorterMedianOf, shorterMedians } from './boards/leaderboard';
import type { VariantBest } from './columns';
import { fromJson, PAGE_SIZE, pageOf } from './database';
import { deviceHistoryOf } from './device-history';
import { isLost } from './fleet';
import { pacesOf } from './paces';
import { byKind, deviceRef, RUN_VIEW, runResult } from './run-view';

/** A device as sweeps are planned for it. */
export type DeviceToPlan = Pick<Device, 'key' | 'name' | 'class' | 'capabilities' | 'workers'> & {
  /** Of its workers, those that run contributed kernels. */
  readonly contributed: number;
  readonly firstSeenAt: Date;
};

export interface DeviceSummary {
  /** The fastest of each op, of its problems' bests: of those that are ranked, where one is. */
  readonly bests: readonly (Pick<RunResult, 'problem' | 'profile' | 'address'> & {
    readonly resultId: string;
    readonly rate: NonNullable<RunResult['rate']>;
    /** Why it is not ranked; null if it is. */
    readonly unranked: string | null;
    /** Brought in a file, not measured by a worker of this grid. */
    readonly isImported: boolean;
  })[];
  readonly roofs: readonly (RooflineSurvey & { readonly profile: Profile })[];
  /** As of the newest of its best results; null without one. */
  readonly version: SoftwareVersion | null;
}

type DeviceRow = Prisma.DeviceGetPayload<object>;

export function devicesOf(db: PrismaClient) {
  return {
    async list(cursor?: string): Promise<Page<Device>> {
      const rows = await db.device.findMany({
        where: cursor ? { key: { gt: cursor } } : {},
        orderBy: { key: 'asc' },
        take: PAGE_SIZE + 1,
      });
      const { items, nextCursor } = pageOf(rows, (row) => row.key);
      return { items: await deviceViews(db, items), nextCursor };
    },

    async get(key: string): Promise<Device | null> {
      const row = await db.device.findUnique({ where: { key } });
      const [device = null] = row ? await deviceViews(db, [row]) : [];
      return device;
    },

    /** How long recent runs took on these devices, by op, shape and policy. */
    paces: (keys: readonly string[]) => pacesOf(db, keys),

    /** Its best variants under each version of driver and runtime they were measured with. */
    history: (key: string) => deviceHistoryOf(db, key),

    /** How much separate invocations differ on the device, or the prior of its class where too few were repeated. */
    spread: (key: string, methodology: number) => spreadOf(db, key, methodology),

    /** What a list says of these devices beside themselves, by key. */
    summaries: (keys: readonly string[]) => summariesOf(db, keys),

    /** Every device, or those of these keys, as sweeps are planned for it; does not count its runs. */
    async toPlan(keys: readonly string[] | null = null): Promise<DeviceToPlan[]> {
      const where = keys ? { key: { in: [...keys] } } : {};
      const rows = await db.device.findMany({ where, orderBy: { key: 'asc' } });
      const workers = await workersByDevice(db, keys);
      return rows.map((row) => ({
        ...deviceRef(row),
        capabilities: fromJson(row.capabilities),
        firstSeenAt: row.firstSeenAt,
        ...(workers.get(row.key) ?? { workers: 0, contributed: 0 }),
      }));
    },

    /** Every device, for choosing one. */
    names: (): Promise<DeviceRef[]> =>
      db.device.findMany({
        select: { key: true, name: true, class: true },
        orderBy: { name: 'asc' },
      }),

    /** Best measured result of each problem on the device. */
    async best(key: string): Promise<BestResult[]> {
      const [rows, shorter] = await Promise.all([
        db.variantBest.findMany({
          where: { deviceKey: key, isBest: true },
          include: { result: { include: { run: { include: RUN_VIEW } } } },
          orderBy: { methodology: 'asc' },
        }),
        shorterMedians(db, Prisma.sql`b."deviceKey" = ${key}`),
      ]);
      // Of two methodologies the newer one.
      const newest = new Map(
        rows.map((row) => [[row.op, row.dtype, row.shape, row.profile].join(' '), row]),
      );
      const results = [...newest.values()].filter(isKnownProblem).map(({ result, ...row }) => ({
        ...runResult(result.run),
        headline: { medianNs: row.medianNs, lowNs: row.lowNs, highNs: row.highNs },
        shorterMedian: shorterMedianOf(row, shorter),
      }));
      // By size, not as text: 512 comes before 1024.
      return results.toSorted((a, b) => byKind(a, b) || volume(a.problem) - volume(b.problem));
    },
  };
}

interface SummaryRow extends VariantBest, SoftwareVersion {
  readonly isImported: boolean;
}

async function summariesOf(
  db: PrismaClient,
  keys: readonly string[],
): Promise<ReadonlyMap<string, DeviceSummary>> {
  const [rows, roofs] = await Promise.all([
    db.$queryRaw<SummaryRow[]>`
      SELECT best.*, result."importedBy" IS NOT NULL AS "isImported",
        environment."content"->>'driver' AS "driver",
        environment."content"->'runtimeVersions'->>'webgpu' AS "webgpu"
      FROM "VariantBest" AS best
      JOIN "Result" AS result ON result."id" = best."resultId"
      JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
      WHERE best."isBest" AND best."deviceKey" = ANY(${[...keys]})
      ORDER BY result."endedAt" DESC`,
    db.roof.findMany({
      where: { deviceKey: { in: [...keys] } },
      include: { device: { select: { ownedBy: true } } },
    }),
  ]);
  return new Map(
    keys.map((key) => {
      const deviceRows = rows.filter(isKnownProblem).filter((row) => row.deviceKey === key);
      const rated = deviceRows.map((row) => {
        const { address, isImported, profile, resultId, unranked } = row;
        const problem = parseProblem(row);
        const rate = rateOf(problem, row.medianNs);
        const proven = rateOf(problem, provenNs(row)).value;
        const best = { problem, profile, address, resultId, rate, unranked, isImported };
        return { proven, best };
      });
      const bestOf = (op: OpId) => {
        const all = rated.filter(({ best }) => best.problem.op === op);
        const ranked = all.filter(({ best }) => best.unranked === null);
        return greatest(ranked.length > 0 ? ranked : all, ({ proven }) => proven)?.best ?? [];
      };
      const [newest] = deviceRows;
      const summary: DeviceSummary = {
        bests: idsOf(OPS).flatMap(bestOf),
        roofs: ownRoofs(roofs.filter(({ deviceKey }) => deviceKey === key)).map(
          ({ content, profile }) => ({ ...fromJson<RooflineSurvey>(content), profile }),
        ),
        version: newest ? { driver: newest.driver, webgpu: newest.webgpu } : null,
      };
      return [key, summary];
    }),
  );
}

const identityOf = (row: DeviceRow): Device['identity'] => ({
  vendor: row.vendor,
  architecture: row.architecture,
  device: row.name,
  backend: row.backend,
  runtime: row.runtime,
  class: row.class,
});

/** Workers per device that are not lost; null: of every device. */
async function workersByDevice(db: PrismaClient, keys: readonly string[] | null) {
  const rows = await db.$queryRaw<
    (Pick<DeviceToPlan, 'workers' | 'contributed'> & { deviceKey: string })[]
  >`
    SELECT "deviceKey", count(*)::int AS "workers",
      (count(*) FILTER (WHERE "contributed"))::int AS "contributed" FROM "Worker" AS w
    WHERE (${keys}::text[] IS NULL OR "deviceKey" = ANY(${keys})) AND NOT ${isLost('w')}
    GROUP BY "deviceKey"`;
  return new Map(rows.map(({ deviceKey, ...counts }) => [deviceKey, counts]));
}

async function deviceViews(db: PrismaClient, rows: readonly DeviceRow[]): Promise<Device[]> {
  if (rows.length === 0) return [];
  const keys = rows.map((row) => row.key);
  const [workers, runs] = await Promise.all([
    workersByDevice(db, keys),
    db.run.groupBy({
      by: ['deviceKey', 'state'],
      where: { deviceKey: { in: keys } },
      _count: true,
    }),
  ]);
  return rows.map((row) => {
    const states = runs.filter((group) => group.deviceKey === row.key);
    const sum = (groups: typeof states) => groups.reduce((total, { _count }) => total + _count, 0);
    return {
      ...deviceRef(row),
      identity: identityOf(row),
      capabilities: fromJson(row.capabilities),
      workers: workers.get(row.key)?.workers ?? 0,
      pending: sum(states.filter(({ state }) => state === 'pending')),
      results: sum(states.filter(({ state }) => state === 'measured')),
      isImportedOnly: row.ownedBy === null,
      firstSeenAt: row.firstSeenAt.toISOString(),
      lastSeenAt: row.lastSeenAt.toISOString(),
    };
  });
}
