import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, shapeText } from '@tilemark/kernels';
import { METHODOLOGY_VERSION } from '../../measure/outcome';
import { headline, type Interval, spreadPrior } from '../../rank/headline';
import { hasInterval } from '../../statistics/interval-name';
import type { DeviceRef, Sweep } from '../../view/api';
import { isMeasured, type RunView, runView } from '../../view/run';
import { rangesOf } from './boards/comparisons';
import { spreadOf } from './boards/headlines';
import type { VariantBest } from './columns';
import { LOSSES } from './contributed-runs';
import { deviceRefOf } from './fleet';
import { RUN_VIEW, runResult } from './run-view';
import { sweepViews } from './sweeps';
import { type Waiting, waitingOf } from './waiting';

// What the page of a contributed kernel shows: its runs beside ours, and what they wait for.

/** What one of ours does on a device and problem. */
export type Beside = VariantBest & { readonly isRange: boolean };

/** The newest run of a variant on a problem and device; of searches, those by the full protocol. */
export interface ContributedRun extends RunView {
  /** As on boards, of a published version; of another the run's own, with the spread between runs. */
  readonly headline:
    | (Interval & { readonly resultId: string | null; readonly isRange: boolean })
    | null;
}

export interface ContributedResults {
  /** By version in the order asked for. */
  readonly runs: readonly ContributedRun[];
  readonly best: readonly Beside[];
  readonly naive: readonly Beside[];
  readonly waiting: readonly Waiting[];
  /** Searches of its tunables, newest first. */
  readonly searches: readonly Sweep[];
  /** Where it has cost the device so often that it does not run there again. */
  readonly quarantined: readonly DeviceRef[];
}

const MOST_RUNS = 500;
const MOST_SEARCHES = 10;

/** @param ids the kernel's, then those of versions to compare it with */
export async function contributedResultsOf(
  db: PrismaClient,
  ids: readonly [string, ...string[]],
): Promise<ContributedResults> {
  const [id] = ids;
  const [runs, waiting, searches, quarantined] = await Promise.all([
    newestRuns(db, ids),
    waitingFor(db, id),
    searchesOf(db, id),
    db.$queryRaw<{ device: DeviceRef }[]>`
      SELECT ${deviceRefOf('d')} FROM "Device" AS d WHERE (
        SELECT count(*) FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
        WHERE r."kernel" = ${id} AND strpos(r."kernel", '@') > 0 AND r."deviceKey" = d."key"
          AND r."state" = 'failed' AND result."outcome" ->> 'stage' = 'device') >= ${LOSSES}
      ORDER BY d."name"`,
  ]);
  const where = {
    profile: 'default' as const,
    deviceKey: { in: runs.map(({ device }) => device.key) },
    op: { in: runs.map(({ problem }) => problem.op) },
    dtype: { in: runs.map(({ problem }) => problem.dtype) },
    shape: { in: runs.map(({ problem }) => shapeText(problem)) },
  };
  const [best, naive] = await Promise.all([
    db.variantBest.findMany({
      where: { ...where, isBest: true },
      orderBy: { methodology: 'desc' },
    }),
    db.variantBest.findMany({
      where: { ...where, kernel: { in: where.op.in.map((op) => `${op}/naive`) } },
      orderBy: [{ methodology: 'desc' }, { standing: 'asc' }, { medianNs: 'asc' }],
    }),
  ]);
  const ranges = await rangesOf(db, [...best, ...naive]);
  const beside = (row: VariantBest) => ({ ...row, isRange: ranges.has(row.resultId) });
  return {
    runs,
    waiting,
    searches,
    best: best.map(beside),
    naive: naive.map(beside),
    quarantined: quarantined.map(({ device }) => device),
  };
}

async function newestRuns(db: PrismaClient, ids: readonly string[]): Promise<ContributedRun[]> {
  const newest = await db.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ON (r."address", r."deviceKey", r."op", r."shape", r."dtype",
      r."epilogue") r."id"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."kernel" = ANY(${[...ids]}) AND strpos(r."kernel", '@') > 0 AND r."regime" IS NULL
      AND (s."tuning" IS NULL OR (r."policy" <> 'screen' AND r."rival" IS NULL))
    ORDER BY r."address", r."deviceKey", r."op", r."shape", r."dtype", r."epilogue",
      r."sweepId" DESC
    LIMIT ${MOST_RUNS}`;
  const [rows, listed] = await Promise.all([
    db.run.findMany({ where: { id: { in: newest.map((row) => row.id) } }, include: RUN_VIEW }),
    db.variantBest.findMany({
      where: { kernel: { in: [...ids] } },
      orderBy: { methodology: 'desc' },
    }),
  ]);
  const keys = [...new Set(rows.map(({ deviceKey }) => deviceKey))];
  const spreads = new Map(
    await Promise.all(
      keys.map(async (key) => [key, await spreadOf(db, key, METHODOLOGY_VERSION)] as const),
    ),
  );
  const views = rows.filter(isKnownProblem).map((row): ContributedRun => {
    const run = runView(runResult(row));
    // Products alone are on boards.
    const same = listed.find(
      (best) =>
        row.epilogue === null && SAME_VARIANT.every((column) => best[column] === row[column]),
    );
    return {
      ...run,
      ...(row.state === 'running' && { kind: 'running' as const }),
      headline: same
        ? { ...same, isRange: same.invocations === 1 && isRangeOf(run) }
        : ownHeadline(run, spreads.get(row.deviceKey)),
    };
  });
  return views.toSorted((a, b) => ids.indexOf(a.variant.kernel) - ids.indexOf(b.variant.kernel));
}

const SAME_VARIANT = ['address', 'deviceKey', 'op', 'dtype', 'shape', 'profile'] as const;

/** That of a run which is on no board, as the page that compares two results has it. */
function ownHeadline(
  run: RunView,
  spread = spreadPrior(run.device.class),
): ContributedRun['headline'] {
  if (!isMeasured(run)) return null;
  const { highNs, lowNs, medianNs } = run.figures;
  const time = { medianNs: Number(medianNs), lowNs: Number(lowNs), highNs: Number(highNs) };
  return { ...headline([time], spread), resultId: run.resultId, isRange: isRangeOf(run) };
}

const isRangeOf = (run: RunView): boolean =>
  isMeasured(run) && !hasInterval({ n: run.figures.samples, independent: run.figures.independent });

async function searchesOf(db: PrismaClient, id: string): Promise<Sweep[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT s."id" FROM "Sweep" AS s WHERE s."tuning"->>'kernel' = ${id} AND s."id" IN (
      SELECT "sweepId" FROM "Run" WHERE "kernel" = ${id} AND strpos("kernel", '@') > 0)
    ORDER BY s."id" DESC LIMIT ${MOST_SEARCHES}`;
  const sweeps = await db.sweep.findMany({
    where: { id: { in: rows.map((row) => row.id) } },
    orderBy: { id: 'desc' },
  });
  return sweepViews(db, sweeps);
}

/** With those beside it in its sweeps. */
async function waitingFor(db: PrismaClient, id: string): Promise<Waiting[]> {
  const sweeps = await db.$queryRaw<{ sweepId: string }[]>`
    SELECT DISTINCT "sweepId" FROM "Run" WHERE "kernel" = ${id} AND strpos("kernel", '@') > 0`;
  return waitingOf(
    db,
    sweeps.map(({ sweepId }) => sweepId),
  );
}
