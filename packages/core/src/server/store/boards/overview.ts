import type { PrismaClient } from '@tilemark/db';

/** The totals of a grid, for its first screen. */
export interface Overview {
  readonly devices: number;
  readonly gpus: number;
  /** Measured here or imported. */
  readonly results: number;
}

export async function overviewOf(db: PrismaClient): Promise<Overview> {
  const [classes, results] = await Promise.all([
    db.device.groupBy({ by: ['class'], _count: true }),
    db.result.count({ where: { medianNs: { not: null } } }),
  ]);
  return {
    devices: classes.reduce((sum, { _count }) => sum + _count, 0),
    gpus: classes.find((group) => group.class === 'gpu')?._count ?? 0,
    results,
  };
}
