import type { PrismaClient } from '@tilemark/db';
import { isKnownProblem, shapeText } from '@tilemark/kernels';
import type { DeviceRef } from '../../../api/api';
import { isMeasured, type RunShown, runShown } from '../../../api/run';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import { headline, type Interval, spreadPrior } from '../../../rank/headline';
import { hasInterval } from '../../../statistics/interval-name';
import { type Headline, headlines, PROBLEM } from '../boards/headlines';
import { spreadOf } from '../boards/move';
import { rangesOf } from '../boards/ranges';
import { deviceRefOf } from '../columns';
import { RUN_VIEW, runResult } from '../run-view';
import { type Waiting, waitingOf } from '../sweeps/waiting';
import { LOSSES } from './to-run';

// What the page of a contributed kernel shows: its runs beside ours, and what they wait for.

/** The headline of one of our kernels on a device and problem. */
export type Beside = Headline & { readonly isRange: boolean };

/** The newest run of a variant on a problem and device; of searches, those by the full protocol. */
export interface ContributedRun extends RunShown {
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
  /** Where it has cost the device so often that it does not run there again. */
  readonly quarantined: readonly DeviceRef[];
}

const MOST_RUNS = 500;

/** @param ids the kernel's, then those of versions to compare it with */
export async function contributedResults(
  db: PrismaClient,
  ids: readonly [string, ...string[]],
): Promise<ContributedResults> {
  const [id] = ids;
  const [runs, waiting, quarantined] = await Promise.all([
    newestRuns(db, ids),
    waitingFor(db, id),
    db.$queryRaw<{ device: DeviceRef }[]>`
      SELECT ${deviceRefOf('d')} FROM "Device" AS d WHERE (
        SELECT count(*) FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
        WHERE r."kernel" = ${id} AND r."contributed" AND r."deviceKey" = d."key"
          AND r."state" = 'failed' AND result."outcome" ->> 'stage' = 'device') >= ${LOSSES}
      ORDER BY d."name"`,
  ]);
  const where = {
    profile: 'default' as const,
    deviceKey: runs.map(({ device }) => device.key),
    op: runs.map(({ problem }) => problem.op),
    dtype: runs.map(({ problem }) => problem.dtype),
    shape: runs.map(({ problem }) => shapeText(problem)),
  };
  const each = { per: [...PROBLEM, 'deviceKey'] } as const;
  const [best, naive] = await Promise.all([
    headlines(db, { ...where, isBest: true }, each),
    headlines(db, { ...where, kernel: where.op.map((op) => `${op}/naive`) }, each),
  ]);
  const ranges = await rangesOf(db, [...best, ...naive]);
  const beside = (row: Headline) => ({ ...row, isRange: ranges.has(row.resultId) });
  return {
    runs,
    waiting,
    best: best.map(beside),
    naive: naive.map(beside),
    quarantined: quarantined.map(({ device }) => device),
  };
}

/** Without those of its check that passed: they are measured in haste, on many shapes. */
async function newestRuns(db: PrismaClient, ids: readonly string[]): Promise<ContributedRun[]> {
  const newest = await db.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT ON (r."address", r."deviceKey", r."op", r."shape", r."dtype",
      r."epilogue") r."id"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."kernel" = ANY(${[...ids]}) AND r."contributed"
      AND (s."tuning" IS NULL OR (r."policy" <> 'screen' AND r."rival" IS NULL))
      AND (r."policy" <> 'smoke' OR r."state" IN ('incorrect', 'failed'))
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
    const run = runShown(runResult(row));
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

/** The headline of a run that is on no board, as the page that compares two results has it. */
function ownHeadline(
  run: RunShown,
  spread = spreadPrior(run.device.class),
): ContributedRun['headline'] {
  if (!isMeasured(run)) return null;
  const { highNs, lowNs, medianNs } = run.figures;
  const time = { medianNs: Number(medianNs), lowNs: Number(lowNs), highNs: Number(highNs) };
  return { ...headline([time], spread), resultId: run.resultId, isRange: isRangeOf(run) };
}

const isRangeOf = (run: RunShown): boolean =>
  isMeasured(run) && !hasInterval({ n: run.figures.samples, independent: run.figures.independent });

/** The waiting runs of a kernel, with those beside it in its sweeps. */
async function waitingFor(db: PrismaClient, id: string): Promise<Waiting[]> {
  const sweeps = await db.$queryRaw<{ sweepId: string }[]>`
    SELECT DISTINCT "sweepId" FROM "Run" WHERE "kernel" = ${id} AND "contributed"`;
  return waitingOf(
    db,
    sweeps.map(({ sweepId }) => sweepId),
  );
}
