import type { Prisma, PrismaClient } from '@tilemark/db';
import { max, sum } from 'd3-array';
import type { Sweep, Tuning } from '../../../api/api';
import { fromJson } from '../database';
import { views as tuningViews } from '../searches/views';

export async function getSweep(db: PrismaClient, id: string): Promise<Sweep | null> {
  const row = await db.sweep.findUnique({ where: { id } });
  const [sweep = null] = row ? await sweepViews(db, [row]) : [];
  return sweep;
}

export type SweepRow = Prisma.SweepGetPayload<object>;

/** Sweeps as they are shown; one query counts the runs of all of them. */
export async function sweepViews(
  db: PrismaClient | Prisma.TransactionClient,
  rows: readonly SweepRow[],
): Promise<Sweep[]> {
  const groups = await db.run.groupBy({
    by: ['sweepId', 'state'],
    where: { sweepId: { in: rows.map((row) => row.id) } },
    _count: true,
    _max: { endedAt: true },
  });
  const tunings = await tuningViews(db, rows);
  return rows.map((row) =>
    sweepView(
      row,
      groups.filter(({ sweepId }) => sweepId === row.id),
      tunings.get(row.id) ?? null,
    ),
  );
}

/** Runs of a sweep in one state. */
interface InState {
  readonly state: Prisma.RunGetPayload<object>['state'];
  readonly _count: number;
  readonly _max: { readonly endedAt: Date | null };
}

/** A worker takes its next run within this. */
const BETWEEN_RUNS_MS = 30_000;

function sweepView(row: SweepRow, states: readonly InState[], tuning: Tuning | null): Sweep {
  const { id, name, suite, createdAt, createdBy, createdById, cancelledAt } = row;
  const countOf = (state: InState['state']) =>
    states.find((group) => group.state === state)?._count ?? 0;
  const running = countOf('running');
  const counts = {
    total: sum(states, ({ _count }) => _count),
    pending: countOf('pending') + running,
    measured: countOf('measured'),
    skipped: countOf('skipped'),
    incorrect: countOf('incorrect'),
    failed: countOf('failed'),
  };
  const endedAt = max(states, ({ _max }) => _max.endedAt ?? undefined) ?? null;
  const isOver = counts.pending === 0;
  const status = cancelledAt
    ? 'cancelled'
    : isOver
      ? 'done'
      : running > 0 || (endedAt && Date.now() - endedAt.getTime() < BETWEEN_RUNS_MS)
        ? 'running'
        : 'queued';
  return {
    id,
    name,
    suite,
    status,
    counts,
    spec: fromJson(row.spec),
    createdAt: createdAt.toISOString(),
    createdBy,
    createdById,
    isImported: row.imported,
    measuredAt: row.imported ? (endedAt?.toISOString() ?? null) : null,
    tuning,
  };
}
