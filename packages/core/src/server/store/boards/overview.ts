import { Prisma, type PrismaClient } from '@tilemark/db';
import { type OpId, type Problem, parseProblem, rateOf } from '@tilemark/kernels';
import { greatest, group, max } from 'd3-array';
import type { Outcome } from '../../../measure/outcome';
import type { Roof } from '../../../measure/roofline';
import { provenNs } from '../../../rank/headline';
import { DEVICE_GROUPS, type DeviceRef, type LeaderboardRow } from '../../../view/api';
import { shownRoof } from '../../gate/belief';
import { runOf } from '../columns';
import { fromJson } from '../database';
import { importedOf } from '../run-view';
import {
  naiveBeside,
  naiveOf,
  shorterMedianOf,
  shorterMedians,
  speedupOverNaive,
} from './leaderboard';

/** The fastest ranked result of a device on one op and dtype, whatever the shape. */
export interface DeviceBest {
  readonly device: DeviceRef;
  readonly resultId: string;
  readonly problem: Problem;
  readonly address: string;
  readonly medianNs: number;
  readonly rate: ReturnType<typeof rateOf>;
  readonly roof: Roof | null;
  /** Null: the naive kernel has no ranked result there. */
  readonly speedupOverNaive: number | null;
  /** As on the board of the problem. */
  readonly shorterMedian: LeaderboardRow['shorterMedian'];
  readonly imported: LeaderboardRow['imported'];
}

/** What a grid amounts to, for its first screen. */
export interface Overview {
  readonly devices: number;
  readonly gpus: number;
  /** Measured here or imported. */
  readonly results: number;
  readonly imported: number;
  /** By rate of f32 products under `default`, GPUs first. */
  readonly bests: readonly DeviceBest[];
}

/** More than a first screen shows. */
const MOST_DEVICES = 12;

const OP: OpId = 'matmul';

export async function overviewOf(db: PrismaClient): Promise<Overview> {
  const [classes, results, imported, bests] = await Promise.all([
    db.device.groupBy({ by: ['class'], _count: true }),
    db.result.count({ where: { medianNs: { not: null } } }),
    db.result.count({ where: { medianNs: { not: null }, importedBy: { not: null } } }),
    bestsOf(db),
  ]);
  return {
    devices: classes.reduce((sum, { _count }) => sum + _count, 0),
    gpus: classes.find((group) => group.class === 'gpu')?._count ?? 0,
    results,
    imported,
    bests,
  };
}

async function bestsOf(db: PrismaClient): Promise<DeviceBest[]> {
  const where = { op: OP, dtype: 'f32', profile: 'default' } as const;
  const rows = await db.variantBest.findMany({
    where: { ...where, isBest: true, unranked: null },
    select: {
      deviceKey: true,
      methodology: true,
      resultId: true,
      shape: true,
      medianNs: true,
      lowNs: true,
      highNs: true,
      unranked: true,
      device: {
        select: {
          key: true,
          name: true,
          class: true,
          roofs: { where: { profile: 'default' } },
        },
      },
    },
  });
  const newest = max(rows, ({ methodology }) => methodology);
  const current = rows.filter(({ methodology }) => methodology === newest);
  const rated = current.map((row) => {
    const problem = parseProblem({ op: OP, shape: row.shape, dtype: 'f32' });
    return { ...row, problem, rate: rateOf(problem, row.medianNs) };
  });
  const fastest = [...group(rated, ({ device }) => device.key).values()]
    .flatMap((rows) => greatest(rows, (row) => rateOf(row.problem, provenNs(row)).value) ?? [])
    .toSorted(
      ({ device: a, rate }, { device: b, rate: other }) =>
        DEVICE_GROUPS.indexOf(a.class) - DEVICE_GROUPS.indexOf(b.class) || other.value - rate.value,
    )
    .slice(0, MOST_DEVICES);
  const ids = fastest.map(({ resultId }) => resultId);
  const [results, naive, shorter] = await Promise.all([
    db.result.findMany({
      where: { id: { in: ids } },
      select: {
        id: true,
        outcome: true,
        run: true,
        importedBy: true,
        recordedAt: true,
        party: true,
      },
    }),
    naiveOf(db, {
      ...where,
      methodology: newest ?? 0,
      OR: fastest.map(({ deviceKey, shape }) => ({ deviceKey, shape })),
    }),
    shorterMedians(db, Prisma.sql`b."resultId" = ANY(${ids})`),
  ]);
  return fastest.flatMap((row) => {
    const { device, medianNs, problem, rate, resultId } = row;
    const result = results.find(({ id }) => id === resultId);
    if (!result) return [];
    const outcome = fromJson<Outcome>(result.outcome);
    if (outcome.kind !== 'measured') return [];
    const { roofs: _, ...ref } = device;
    const roof = shownRoof(outcome.measurement, runOf(result.run), device, result.party);
    const { address } = result.run;
    return [
      {
        device: ref,
        resultId,
        problem,
        address,
        medianNs,
        rate,
        roof,
        speedupOverNaive: speedupOverNaive(row, naiveBeside(row, naive)),
        imported: importedOf(result),
        shorterMedian: shorterMedianOf(row, shorter),
      },
    ];
  });
}
