import type { PrismaClient } from '@tilemark/db';
import type { Dtype, OpId, Problem, TunableValues, Variant } from '@tilemark/kernels';
import type { Profile } from '../../device';
import type { Headline } from '../../headline';
import type { Outcome } from '../../outcome';
import { outcomeReason, unrankedReason } from '../../outcome-reason';
import { deviceRef, problemOf } from './run-view';

type Row = readonly [
  runId: string,
  resultId: string | null,
  address: string,
  op: OpId,
  shape: string,
  dtype: Dtype,
  profile: Profile,
  deviceKey: string,
  time: readonly [medianNs: number, lowNs: number, highNs: number] | null,
  unranked: string | null,
  roof: Headline['roof'],
  endedAtMs: number | null,
  /** Null where it was measured: its columns say what is shown of it. */
  outcome: Outcome | null,
];

type NamedVariant = readonly [address: string, kernel: string, tunables: TunableValues];

/**
 * The contract is at `Store.sweeps.headlines`. Each variant, problem and device is one object
 * for all of its runs. Postgres writes the rows as one JSON text: reading it takes a tenth of
 * the time that thousands of rows take through the client.
 */
export async function headlinesOf(
  db: PrismaClient,
  sweepId: string,
  limit: number,
): Promise<Headline[]> {
  const [read] = await db.$queryRaw<{ rows: string | null; variants: string | null }[]>`
    WITH run AS (
      SELECT * FROM "Run" WHERE "sweepId" = ${sweepId} ORDER BY "ordinal" LIMIT ${limit}
    )
    SELECT
      (SELECT json_agg(json_build_array(run."id", result."id", run."address", run."op",
          run."shape", run."dtype", run."profile", run."deviceKey",
          CASE WHEN result."medianNs" IS NOT NULL
            THEN json_build_array(result."medianNs", result."lowNs", result."highNs") END,
          result."unranked", result."outcome" #> '{measurement,roof}',
          (extract(epoch FROM result."endedAt") * 1000)::bigint,
          CASE WHEN result."medianNs" IS NULL THEN result."outcome" END
        ) ORDER BY run."ordinal")::text
        FROM run LEFT JOIN "Result" AS result ON result."runId" = run."id") AS "rows",
      (SELECT json_agg(json_build_array("address", "kernel", "tunables"))::text
        FROM (SELECT DISTINCT ON ("address") * FROM run) AS variant) AS "variants"`;
  const rows = parsed<Row>(read?.rows);
  const variants = new Map<string, Variant>(
    parsed<NamedVariant>(read?.variants).map(([address, kernel, tunables]) => [
      address,
      { kernel, tunables },
    ]),
  );
  const keys = new Set(rows.map(([, , , , , , , deviceKey]) => deviceKey));
  const devices = await db.device.findMany({
    where: { key: { in: [...keys] } },
    select: { key: true, name: true, class: true },
  });
  const byKey = new Map(devices.map((device) => [device.key, deviceRef(device)]));
  const problems = new Map<string, Problem>();
  return rows.flatMap((row) => {
    const [runId, resultId, address, op, shape, dtype, profile, deviceKey, ...ended] = row;
    const [time, unranked, roof, endedAtMs, outcome] = ended;
    const device = byKey.get(deviceKey);
    const variant = variants.get(address);
    // A run's device is never deleted, and variants are of the same statement.
    if (!device || !variant) return [];
    const named = `${op} ${shape} ${dtype}`;
    const problem = problems.get(named) ?? problemOf({ op, shape, dtype });
    problems.set(named, problem);
    return {
      ...{ runId, resultId, variant, address, problem, device, profile, roof, endedAtMs },
      kind: time ? 'measured' : (outcome?.kind ?? 'pending'),
      reason: time ? unrankedReason(unranked) : outcomeReason(outcome),
      time: time && { medianNs: time[0], lowNs: time[1], highNs: time[2] },
    };
  });
}

/** Rows as Postgres writes them; none is null there. */
const parsed = <T>(json: string | null | undefined): T[] => (json ? (JSON.parse(json) as T[]) : []);
