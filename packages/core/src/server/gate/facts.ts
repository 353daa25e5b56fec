import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { median } from 'd3-array';
import type { RecordedRun } from '../../link/wire';
import type { DeviceClass } from '../../measure/device';
import { isOthersToTry, OPERATOR, partyOf } from './parties';

/** What a result is held against: its run, its device, and who hands it in. */
export interface Facts extends Prisma.RunGetPayload<object> {
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  /** Of the worker that hands it in. */
  readonly workerDevice: string;
  /** That worker was let in by a token: it ends what it has claimed, and nothing else. */
  readonly isAdmitted: boolean;
  readonly party: string;
  /** The one that holds for the party. */
  readonly roof: Prisma.JsonValue | null;
  /** Since it was claimed or, if that was more than once, since the sweep was made. */
  readonly leaseNs: number;
  /** Another result with the very same samples. */
  readonly twin: string | null;
  /** Another party has attached a machine of the device, or brought files of it. */
  readonly hasOthers: boolean;
  /** The device is not this party's, and a machine of another is there that has not tried the run. */
  readonly isOthersToTry: boolean;
  readonly isTuning: boolean;
}

/** In the order of the results; null where there is no such run. */
export async function factsOf(
  db: PrismaClient,
  records: readonly RecordedRun[],
): Promise<(Facts | null)[]> {
  const series = records.map(({ outcome }) =>
    outcome.kind === 'measured' ? keyOfSeries(outcome.measurement.cold.samplesNs) : null,
  );
  const runIds = records.map(({ runId }) => runId);
  const workerIds = records.map(({ workerId }) => workerId);
  const mediansNs = series.map((cold) => cold?.medianNs ?? null);
  const samples = series.map((cold) => cold?.samples ?? null);
  // Each row is looked up by its key: Postgres cannot tell how many are asked for, and would rather
  // read whole tables than join a list of unknown length.
  const rows = await db.$queryRaw<(Facts & { readonly place: number })[]>`
    ${PREPARED} SELECT asked."place"::int, run.*,
      device."name" AS "deviceName", device."class"::text AS "deviceClass",
      w."deviceKey" AS "workerDevice", w."tokenId" IS NOT NULL AS "isAdmitted",
      party."id" AS "party",
      roof."content" AS "roof",
      (1e9 * extract(epoch FROM clock_timestamp() -
        CASE WHEN run."attempts" > 1 THEN sweep."createdAt" ELSE run."claimedAt" END))::float8
        AS "leaseNs",
      CASE WHEN asked."samplesNs" IS NOT NULL THEN (
        SELECT twin."id" FROM "Result" AS twin
        WHERE twin."medianNs" = asked."medianNs" AND twin."runId" <> run."id"
          AND twin."coldSamplesNs" = asked."samplesNs"::float8[] LIMIT 1) END AS "twin",
      EXISTS (SELECT FROM "Worker" AS other WHERE other."deviceKey" = run."deviceKey"
        AND (other."tokenId" IS DISTINCT FROM w."tokenId" OR other."name" LIKE 'import by %'))
        AS "hasOthers",
      ${isOthersToTry(Prisma.sql`party."id"`)} AS "isOthersToTry",
      sweep."tuning" IS NOT NULL AS "isTuning"
    FROM unnest(${runIds}::text[], ${workerIds}::text[], ${mediansNs}::float8[], ${samples}::text[])
      WITH ORDINALITY AS asked("runId", "workerId", "medianNs", "samplesNs", "place")
    CROSS JOIN LATERAL (SELECT * FROM "Run" WHERE "id" = asked."runId" LIMIT 1) AS run
    CROSS JOIN LATERAL (
      SELECT "createdAt", "tuning" FROM "Sweep" WHERE "id" = run."sweepId" LIMIT 1) AS sweep
    CROSS JOIN LATERAL (
      SELECT "name", "class", "ownedBy" FROM "Device" WHERE "key" = run."deviceKey" LIMIT 1) AS device
    CROSS JOIN LATERAL (
      SELECT "deviceKey", "tokenId" FROM "Worker" WHERE "id" = asked."workerId" LIMIT 1) AS w
    CROSS JOIN LATERAL (SELECT ${partyOf('w')} AS "id" OFFSET 0) AS party
    LEFT JOIN LATERAL (
      SELECT "content" FROM "Roof"
      WHERE "deviceKey" = run."deviceKey" AND "profile" = run."profile"
        AND "party" IN (${OPERATOR}, party."id")
      ORDER BY "party" <> ${OPERATOR} LIMIT 1) AS roof ON true`;
  const facts = new Map(rows.map(({ place, ...row }) => [place, row]));
  return records.map((_, at) => facts.get(at + 1) ?? null);
}

/** So many different samples are not a coincidence. */
const DISTINCT_SAMPLES = 6;

/** Whether two series of these samples are the same series. */
export const isDistinctive = (samplesNs: readonly number[]): boolean =>
  new Set(samplesNs).size >= DISTINCT_SAMPLES;

/** By what results with the same samples are found; null where they are too few or alike to tell. */
const keyOfSeries = (samplesNs: readonly number[]) =>
  isDistinctive(samplesNs)
    ? { medianNs: median(samplesNs) ?? null, samples: `{${samplesNs.join(',')}}` }
    : null;
