import type { PrismaClient } from '@tilemark/db';
import { type OpId, opOf, type Problem, parseProblem } from '@tilemark/kernels';
import { DEVICE_GROUPS, type DeviceRef } from '../../../view/api';
import { fromJson } from '../database';
import { rateOf } from '../run-view';

type Roof = { readonly ns: number; readonly bound: 'compute' | 'bandwidth' };

/** The fastest ranked result of a device on one op and dtype, whatever the shape. */
export interface DeviceBest {
  readonly device: DeviceRef;
  readonly resultId: string;
  readonly problem: Problem;
  readonly address: string;
  readonly medianNs: number;
  readonly rate: ReturnType<typeof rateOf>;
  readonly roof: Roof | null;
}

/** What a grid amounts to, for its first screen. */
export interface Overview {
  readonly devices: number;
  readonly gpus: number;
  readonly results: number;
  /** By rate of f32 products under `default`, GPUs first. */
  readonly bests: readonly DeviceBest[];
}

/** More than a first screen shows. */
const MOST_DEVICES = 12;

const OP: OpId = 'matmul';

export async function overviewOf(db: PrismaClient): Promise<Overview> {
  const [classes, results, bests] = await Promise.all([
    db.device.groupBy({ by: ['class'], _count: true }),
    db.result.count(),
    bestsOf(db),
  ]);
  return {
    devices: classes.reduce((sum, { _count }) => sum + _count, 0),
    gpus: classes.find((group) => group.class === 'gpu')?._count ?? 0,
    results,
    bests,
  };
}

async function bestsOf(db: PrismaClient): Promise<DeviceBest[]> {
  const rows = await db.best.findMany({
    where: { op: OP, dtype: 'f32', profile: 'default', unranked: null },
    select: {
      resultId: true,
      shape: true,
      medianNs: true,
      device: { select: { key: true, name: true, class: true } },
    },
  });
  const fastest = new Map<string, (typeof rated)[number]>();
  const rated = rows.map((row) => {
    const problem = parseProblem({ op: OP, shape: row.shape, dtype: 'f32' });
    return { ...row, problem, rate: opOf(problem).rate(problem, row.medianNs) };
  });
  for (const row of rated) {
    const known = fastest.get(row.device.key);
    if (!known || known.rate < row.rate) fastest.set(row.device.key, row);
  }
  const group = ({ device }: (typeof rated)[number]) => DEVICE_GROUPS.indexOf(device.class);
  const shown = [...fastest.values()]
    .toSorted((a, b) => group(a) - group(b) || b.rate - a.rate)
    .slice(0, MOST_DEVICES);
  const details = await db.$queryRaw<{ id: string; address: string; roof: unknown }[]>`
    SELECT result."id", run."address", result."outcome" -> 'measurement' -> 'roof' AS "roof"
    FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
    WHERE result."id" = ANY(${shown.map(({ resultId }) => resultId)})`;
  const byId = new Map(details.map((detail) => [detail.id, detail]));
  return shown.flatMap(({ device, medianNs, problem, resultId }) => {
    const detail = byId.get(resultId);
    if (!detail) return [];
    const roof = detail.roof ? fromJson<Roof>(detail.roof as never) : null;
    const rate = rateOf(problem, medianNs);
    return [{ device, resultId, problem, address: detail.address, medianNs, rate, roof }];
  });
}
