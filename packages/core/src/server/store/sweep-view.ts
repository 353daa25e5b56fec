import type { Prisma, PrismaClient } from '@tilemark/db';
import type { Counts, Sweep } from '../../api';
import { isImported } from './import-key';
import { fromJson } from './json';

type SweepRow = Prisma.SweepGetPayload<object>;

/** Sweeps as they are shown, their counts taken by one query over all of them. */
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
  return rows.map((row) => {
    const tally: Tally = { running: 0, endedAt: null, counts: emptyCounts() };
    for (const { sweepId, state, _count, _max } of groups) {
      if (sweepId !== row.id) continue;
      tally.counts.total += _count;
      tally.counts[state === 'running' ? 'pending' : state] += _count;
      if (state === 'running') tally.running += _count;
      if (_max.endedAt && !(tally.endedAt && tally.endedAt >= _max.endedAt)) {
        tally.endedAt = _max.endedAt;
      }
    }
    return sweepView(row, tally);
  });
}

interface Tally {
  running: number;
  endedAt: Date | null;
  readonly counts: Counts;
}

const emptyCounts = (): Counts => ({
  total: 0,
  pending: 0,
  measured: 0,
  skipped: 0,
  incorrect: 0,
  failed: 0,
});

function sweepView(row: SweepRow, { counts, running, endedAt }: Tally): Sweep {
  const { id, name, suite, createdAt, createdBy, createdById, cancelledAt } = row;
  const status = cancelledAt
    ? 'cancelled'
    : counts.pending === 0
      ? 'done'
      : counts.pending === counts.total && running === 0
        ? 'queued'
        : 'running';
  // The runs of an import had ended before there was a sweep to finish.
  const lastAt = endedAt && endedAt > createdAt ? endedAt : createdAt;
  const finishedAt = cancelledAt ?? (counts.pending === 0 ? lastAt : null);
  return {
    id,
    name,
    suite,
    status,
    counts,
    spec: fromJson(row.spec),
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString() ?? null,
    createdBy,
    createdById,
    isImported: isImported(row),
  };
}
