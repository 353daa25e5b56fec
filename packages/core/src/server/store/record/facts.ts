import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import { type Engine, ifValid, variantAddress } from '@tilemark/kernels';
import type { RunOutcome } from '../../../api/run';
import type { DeviceClass } from '../../../measure/device';
import { admitStored } from '../contributed/admit';
import { newRun } from '../sweeps/insert';
import { mayAnswer } from '../trust';

/** The facts that a result is held against: its run, its device, and who hands it in. */
export interface Facts extends Prisma.RunGetPayload<object> {
  readonly deviceClass: DeviceClass;
  readonly engine: Engine | null;
  /** Of the worker that hands it in. */
  readonly workerDevice: string;
  /** The token that let that worker in: it ends what it has claimed, and nothing else. Null: none. */
  readonly tokenId: string | null;
  /** It may answer runs of the sweep. */
  readonly mayAnswer: boolean;
  /** Of the device under the profile. */
  readonly roof: Prisma.JsonValue | null;
  /** What its sweep searches. */
  readonly tuning: Prisma.JsonValue | null;
}

/**
 * The facts of results, in their order; null where there is no such run. Those of a run that was measured for
 * a search are its search's, but for what was measured.
 */
export async function factsOf(
  db: PrismaClient,
  records: readonly RunOutcome[],
): Promise<(Facts | null)[]> {
  const runIds = records.map(({ runId, searchId }) => searchId ?? runId);
  const workerIds = records.map(({ workerId }) => workerId);
  // Each row is looked up by its key: Postgres cannot tell how many are asked for, and would rather
  // read whole tables than join a list of unknown length.
  const rows = await db.$queryRaw<(Facts & { readonly place: number })[]>`
    ${PREPARED} SELECT asked."place"::int, run.*, device."class"::text AS "deviceClass", device."engine",
      w."deviceKey" AS "workerDevice", w."tokenId",
      ${mayAnswer('w', 'sweep')} AS "mayAnswer", roof."content" AS "roof",
      sweep."tuning"
    FROM unnest(${runIds}::text[], ${workerIds}::text[])
      WITH ORDINALITY AS asked("runId", "workerId", "place")
    CROSS JOIN LATERAL (SELECT * FROM "Run" WHERE "id" = asked."runId" LIMIT 1) AS run
    CROSS JOIN LATERAL (
      SELECT "createdById", "tuning" FROM "Sweep" WHERE "id" = run."sweepId" LIMIT 1) AS sweep
    CROSS JOIN LATERAL (
      SELECT "class", "engine" FROM "Device" WHERE "key" = run."deviceKey" LIMIT 1) AS device
    CROSS JOIN LATERAL (
      SELECT "deviceKey", "tokenId" FROM "Worker" WHERE "id" = asked."workerId" LIMIT 1) AS w
    LEFT JOIN LATERAL (
      SELECT "content" FROM "Roof"
      WHERE "deviceKey" = run."deviceKey" AND "profile" = run."profile" LIMIT 1) AS roof ON true`;
  // What was measured is derived from its kernel, and what is judged then is, too.
  for (const kernel of new Set(rows.map(({ kernel }) => kernel))) await admitStored(db, kernel);
  const facts = new Map(rows.map(({ place, ...row }) => [place, row]));
  return records.map((record, at) => {
    const of = facts.get(at + 1) ?? null;
    return of && record.searchId !== undefined ? measuredFor(of, record) : of;
  });
}

/** The search's own where it is not said, or cannot be, what was measured: they are then of another run. */
function measuredFor(search: Facts, { run, runId }: RunOutcome): Facts {
  const address = run && ifValid(() => variantAddress(run.variant));
  if (!run || !address) return search;
  const { deviceKey, endedAt, ordinal, state, workerId } = search;
  const { rival, ...asked } = run;
  const row = newRun(
    { ...asked, ...(rival && { rival: { variant: rival } }), address, deviceKey },
    ordinal,
  );
  return {
    ...search,
    ...row,
    rival: rival ?? null,
    id: runId,
    endedAt,
    state,
    workerId,
  };
}
