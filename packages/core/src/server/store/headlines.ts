import type { PrismaClient } from '@tilemark/db';
import type { Dtype, OpId, Problem, TunableValues } from '@tilemark/kernels';
import type { Profile } from '../../device';
import type { Headline } from '../../headline';
import type { Outcome } from '../../outcome';
import { outcomeReason, unrankedReason } from '../../outcome-reason';
import { deviceRef, problemOf } from './run-view';

interface Row {
  readonly runId: string;
  readonly resultId: string | null;
  readonly kernel: string;
  readonly tunables: TunableValues;
  readonly address: string;
  readonly op: OpId;
  readonly shape: string;
  readonly dtype: Dtype;
  readonly profile: Profile;
  readonly deviceKey: string;
  readonly medianNs: number | null;
  readonly lowNs: number | null;
  readonly highNs: number | null;
  readonly unranked: string | null;
  readonly endedAt: Date | null;
  readonly roof: Headline['roof'];
  /** Null where it was measured: its columns say what is shown of it. */
  readonly outcome: Outcome | null;
}

/** The contract is at `Store.sweeps.headlines`. Each device and problem is one object for all of its runs. */
export async function headlinesOf(
  db: PrismaClient,
  sweepId: string,
  limit: number,
): Promise<Headline[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT run."id" AS "runId", result."id" AS "resultId", run."kernel", run."tunables",
      run."address", run."op"::text, run."shape", run."dtype"::text, run."profile"::text,
      run."deviceKey", result."medianNs", result."lowNs", result."highNs", result."unranked",
      result."endedAt", result."outcome" #> '{measurement,roof}' AS "roof",
      CASE WHEN result."medianNs" IS NULL THEN result."outcome" END AS "outcome"
    FROM "Run" AS run LEFT JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."sweepId" = ${sweepId}
    ORDER BY run."ordinal" LIMIT ${limit}`;
  const devices = await db.device.findMany({
    where: { key: { in: [...new Set(rows.map(({ deviceKey }) => deviceKey))] } },
    select: { key: true, name: true, class: true },
  });
  const byKey = new Map(devices.map((device) => [device.key, deviceRef(device)]));
  const problems = new Map<string, Problem>();
  return rows.flatMap((row) => {
    const device = byKey.get(row.deviceKey);
    // A run's device is never deleted: the database refuses it.
    if (!device) return [];
    const { address, endedAt, highNs, kernel, lowNs, medianNs, outcome, profile, roof } = row;
    const named = `${row.op} ${row.shape} ${row.dtype}`;
    const problem = problems.get(named) ?? problemOf(row);
    problems.set(named, problem);
    const isMeasured = medianNs !== null && lowNs !== null && highNs !== null;
    return [
      {
        runId: row.runId,
        resultId: row.resultId,
        variant: { kernel, tunables: row.tunables },
        address,
        problem,
        device,
        profile,
        kind: isMeasured ? 'measured' : (outcome?.kind ?? 'pending'),
        reason: isMeasured ? unrankedReason(row.unranked) : outcomeReason(outcome),
        time: isMeasured ? { medianNs, lowNs, highNs } : null,
        roof,
        endedAtMs: endedAt?.getTime() ?? null,
      },
    ];
  });
}
