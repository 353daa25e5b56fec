import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { refuseIf } from '@tilemark/kernels';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedRun, RecordedRun } from '../../link/wire';
import { type DeviceClass, deviceKey } from '../../measure/device';
import type { Measurement, Outcome } from '../../measure/outcome';
import type { RooflineSurvey } from '../../measure/roofline';
import { summarise } from '../../measure/stats';
import { BY_OPERATOR } from '../../view/result';
import { confirmAgreeing, isOthersToTry, OPERATOR, partyOf } from '../gate/parties';
import { hasBest, holdBests, moveBests, moveHeadlines, type VariantKey } from './boards/headlines';
import { environmentRow, outcomeColumns, runOf } from './columns';
import { admitStored } from './contributed-runs';
import { fromJson, sha256, withoutNul } from './database';
import { judged } from './judge';
import { raiseByResults } from './roofs';

/** Whose a run is, and what it measures. */
export type KnownRun = Pick<ClaimedRun, 'variant' | 'problem' | 'profile' | 'policy'> & {
  /** Null: nobody has claimed it. */
  readonly seed: number | null;
  readonly workerId: string | null;
  readonly hasEnded: boolean;
};

/** Looks at the run before it is ended, null if there is none, and throws what refuses the result. */
export type RunCheck = (run: KnownRun | null) => void;

/** A result, and who looks at its run first. */
export interface HandedIn {
  readonly record: RecordedRun;
  readonly check?: RunCheck | undefined;
}

/** The sweep of a run that was ended. */
export interface RunEnded {
  readonly sweepId: string;
  /** It grows, and may be due to. */
  readonly isTuning: boolean;
}

/** Hashes of the environments and sources that this process knows to be kept: nobody deletes them. */
export type KeptContents = Set<string>;

/** They take a few hundred bytes each. */
const MOST_KNOWN = 10_000;

/**
 * Ends runs, one result of each: the contract is at `Runs.record`. A grid ends hundreds of runs per
 * second, so every statement is one for all of them. What the results are judged by is read before
 * the transaction, whose first statement asks whether each run may still be ended. Null: the result
 * is not wanted; an Error: it is refused.
 */
export async function recordRuns(
  db: PrismaClient,
  kept: KeptContents,
  handedIn: readonly HandedIn[],
): Promise<(RunEnded | null | Error)[]> {
  const facts = await factsOf(
    db,
    handedIn.map(({ record }) => record),
  );
  for (const kernel of new Set(facts.map((each) => each?.kernel ?? ''))) {
    await admitStored(db, kernel);
  }
  const judgedRuns = handedIn.map((each, at) => judgedRun(each, facts[at] ?? null));
  const wanted = judgedRuns.filter(
    (each): each is JudgedResult => !(each === null || each instanceof Error),
  );
  const declined = wanted.filter(
    ({ facts, outcome }) => facts.isOthersToTry && outcome.kind !== 'measured',
  );
  for (const { facts: of, runId } of declined) await decline(db, runId, of);
  const ended = await endAll(
    db,
    kept,
    wanted.filter((each) => !declined.includes(each)),
  );
  return judgedRuns.map((each) => {
    if (each === null || each instanceof Error) return each;
    const { isTuning, sweepId } = each.facts;
    return ended.has(each.runId) ? { isTuning, sweepId } : null;
  });
}

/** A result that is wanted, as it is kept, and what it was judged by. */
type JudgedResult = RecordedRun & {
  readonly facts: Facts;
  /** The roof that it came with, whatever the grid holds it to. */
  readonly statedRoof: Measurement['roof'];
};

function judgedRun({ check, record }: HandedIn, facts: Facts | null): JudgedResult | Error | null {
  try {
    check?.(facts && { ...facts, ...runOf(facts), hasEnded: hasEnded(facts) });
    if (!facts || !isWanted(facts, record)) return null;
    const { outcome } = record;
    const statedRoof = outcome.kind === 'measured' ? outcome.measurement.roof : null;
    return { ...record, outcome: believed(record, facts), facts, statedRoof };
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/** Ids of the runs that were ended; the others were by somebody else meanwhile. */
async function endAll(
  db: PrismaClient,
  kept: KeptContents,
  results: readonly JudgedResult[],
): Promise<ReadonlySet<string>> {
  const isMeasured = ({ outcome }: JudgedResult) => outcome.kind === 'measured';
  if (results.length === 0) return new Set();
  const contents = contentsOf(results, kept);
  const work = async (tx: Pick<PrismaClient, '$queryRaw'>) => endRuns(tx, results, contents);
  try {
    const ended = results.some(isMeasured)
      ? await db.$transaction(async (tx) => {
          const rows = await work(tx);
          await moveBoards(tx, rows, results);
          return rows;
        })
      : await work(db);
    if (kept.size > MOST_KNOWN) kept.clear();
    for (const { hash } of [...contents.environments, ...contents.sources]) kept.add(hash);
    return new Set(ended.map(({ runId }) => runId));
  } catch (error) {
    // The database may be another than it was.
    kept.clear();
    throw error;
  }
}

/** Everything that the results move, in the transaction that ends their runs. */
async function moveBoards(
  tx: Prisma.TransactionClient,
  ended: readonly EndedRun[],
  results: readonly JudgedResult[],
): Promise<void> {
  const measured = ended.flatMap(({ methodology, ...run }) =>
    methodology === null ? [] : [{ ...run, methodology }],
  );
  const resultOf = new Map(results.map((each) => [each.runId, each]));
  const sharing = measured.filter(({ runId }) => resultOf.get(runId)?.facts.hasOthers);
  const confirmed =
    sharing.length > 0
      ? await confirmAgreeing(
          tx,
          sharing.map(({ resultId }) => resultId),
        )
      : [];
  await moveHeadlines(tx, measured);
  const moved = new Set(measured.map(({ resultId }) => resultId));
  await moveBests(
    tx,
    confirmed.filter((id) => !moved.has(id)),
  );
  for (const { runId } of measured) {
    const { facts, outcome, statedRoof: roof } = resultOf.get(runId) ?? {};
    if (!facts || outcome?.kind !== 'measured' || !roof) continue;
    const { measurement } = outcome;
    // Its worker probed again, or saw the device do more.
    if (facts.roof !== null && measurement.roof && roof.ns > measurement.roof.ns) continue;
    await raiseByResults(tx, facts, [{ ...runOf(facts), measurement: { ...measurement, roof } }]);
  }
}

/** What a result is judged by: its run, its device, and who hands it in. */
interface Facts extends Prisma.RunGetPayload<object> {
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  /** Of the worker that hands it in. */
  readonly workerDevice: string;
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
async function factsOf(
  db: PrismaClient,
  records: readonly RecordedRun[],
): Promise<(Facts | null)[]> {
  const tellings = records.map(({ outcome }) =>
    outcome.kind === 'measured' ? tellingOf(outcome.measurement.cold.samplesNs) : null,
  );
  const runIds = records.map(({ runId }) => runId);
  const workerIds = records.map(({ workerId }) => workerId);
  const mediansNs = tellings.map((each) => each?.medianNs ?? null);
  const samples = tellings.map((each) => each?.samples ?? null);
  // Each row is looked up by its key: Postgres cannot tell how many are asked for, and would rather
  // read whole tables than join a list of unknown length.
  const rows = await db.$queryRaw<(Facts & { readonly place: number })[]>`
    ${PREPARED} SELECT asked."place"::int, run.*,
      device."name" AS "deviceName", device."class"::text AS "deviceClass",
      w."deviceKey" AS "workerDevice", party."id" AS "party",
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
  const facts = new Map(rows.map(({ place, ...each }) => [place, each]));
  return records.map((_, at) => facts.get(at + 1) ?? null);
}

const hasEnded = ({ state }: Facts): boolean => state !== 'pending' && state !== 'running';

/** Whether a result is (still) wanted: the run has not ended, and no other worker has it by now. */
function isWanted(facts: Facts, { workerId }: RecordedRun): boolean {
  const isTaken = facts.workerId !== null && facts.workerId !== workerId;
  return !hasEnded(facts) && (facts.party === OPERATOR || !isTaken);
}

/** The run waits for a machine of another party. */
const decline = (
  db: PrismaClient,
  runId: string,
  { party }: Facts,
): Promise<number> => db.$executeRaw`
  UPDATE "Run" SET "state" = 'pending', "workerId" = NULL,
    "declinedBy" = array_append("declinedBy", ${party})
  WHERE "id" = ${runId} AND "state" IN ('pending', 'running')`;

/** So many different samples are not a coincidence. */
const TELLING_SAMPLES = 6;

/** Whether two series of these samples are the same series. */
export const isTelling = (samplesNs: readonly number[]): boolean =>
  new Set(samplesNs).size >= TELLING_SAMPLES;

/** By what results with the same samples are found; null where they are too few or alike to tell. */
const tellingOf = (samplesNs: readonly number[]) =>
  isTelling(samplesNs)
    ? { medianNs: summarise(samplesNs).medianNs, samples: `{${samplesNs.join(',')}}` }
    : null;

/** The outcome as it is kept. Throws InputError if it cannot be that of the run. */
function believed({ environment, outcome, workerId, wgsl }: RecordedRun, facts: Facts): Outcome {
  const { deviceKey: key, party, profile, roof, twin } = facts;
  const isOperator = party === OPERATOR;
  refuseIf(
    facts.workerDevice !== key,
    `The run is for ${key}; the worker's device is ${facts.workerDevice}.`,
    'runId',
  );
  refuseIf(
    !isOperator && facts.workerId !== workerId,
    'The worker has not claimed the run.',
    'runId',
  );
  const measuredOn = deviceKey(environment.device);
  refuseIf(
    measuredOn !== key || environment.profile !== profile,
    `The run is for ${key} with profile ${profile}; it was measured on ${measuredOn} with ${environment.profile}.`,
    'environment',
  );
  refuseIf(
    twin !== null,
    `Its samples are those of result ${twin}.`,
    'outcome.measurement.cold.samplesNs',
  );
  const grounds = {
    device: { device: facts.deviceName, class: facts.deviceClass },
    roof: roof === null ? undefined : fromJson<RooflineSurvey>(roof),
    // The operator's machines are believed to have run what they report; clocks may be set.
    leaseNs: isOperator ? null : facts.leaseNs,
    seed: isOperator ? null : facts.seed,
    wgsl,
    isUnvouched: false,
  };
  return judged(outcome, runOf(facts), grounds, 'outcome');
}

type EndedRun = Omit<VariantKey, 'methodology'> & {
  readonly resultId: string;
  readonly runId: string;
  /** Null: it was not measured. */
  readonly methodology: number | null;
};

/** The environments and sources of results that may not be kept yet. */
function contentsOf(results: readonly JudgedResult[], kept: KeptContents) {
  const environments = results.map(({ environment }) => environmentRow(environment));
  const sources = results.map(({ wgsl }) => (wgsl === null ? null : sourceRow(wgsl)));
  const fresh = <Row extends { readonly hash: string }>(rows: readonly (Row | null)[]): Row[] => [
    ...new Map(
      rows.flatMap((row) => (row && !kept.has(row.hash) ? [[row.hash, row]] : [])),
    ).values(),
  ];
  return {
    hashes: results.map((_, at) => ({
      environmentHash: environments[at]?.hash,
      sourceHash: sources[at]?.hash ?? null,
    })),
    environments: fresh(environments),
    sources: fresh(sources),
  };
}

const sourceRow = (wgsl: string) => {
  const stored = withoutNul(wgsl);
  return { hash: sha256(stored), wgsl: stored };
};

/**
 * Ends the runs, writes their results and what those refer to, and locks the rows of their boards.
 * Without those that are not (or no longer) wanted: if two end one run at once, Postgres makes one
 * wait, and its condition is then false.
 */
async function endRuns(
  tx: Pick<PrismaClient, '$queryRaw'>,
  results: readonly JudgedResult[],
  { environments, hashes, sources }: ReturnType<typeof contentsOf>,
): Promise<EndedRun[]> {
  const runIds = results.map(({ runId }) => runId);
  const rows = results.map(({ beganAt, endedAt, facts, outcome, runId, workerId }, at) => ({
    ...{ runId, workerId, beganAt, endedAt, state: outcome.kind, party: facts.party },
    ...hashes[at],
    ...outcomeColumns(outcome),
    resultId: uuidv7(),
    confirmedBy: facts.party === OPERATOR ? BY_OPERATOR : null,
    methodology: outcome.kind === 'measured' ? outcome.measurement.methodologyVersion : null,
    hasBest: outcome.kind === 'measured' && hasBest(facts.kernel),
  }));
  // A line of a journal replayed after a retry must not end the run a second time.
  return tx.$queryRaw<EndedRun[]>`
    ${PREPARED} WITH asked AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS asked(
        "runId" text, "workerId" text, "beganAt" timestamptz, "endedAt" timestamptz,
        "state" "RunState", "party" text, "environmentHash" text, "sourceHash" text,
        "outcome" jsonb, "medianNs" float8, "lowNs" float8, "highNs" float8, "unranked" text,
        "coldSamplesNs" float8[], "hotSamplesNs" float8[], "resultId" text, "confirmedBy" text,
        "methodology" int, "hasBest" boolean)),
    ended AS (
      UPDATE "Run" AS run SET "state" = asked."state", "workerId" = asked."workerId",
        "beganAt" = asked."beganAt", "endedAt" = asked."endedAt"
      FROM asked
      WHERE run."id" = ANY (${runIds}::text[]) AND run."id" = asked."runId"
        AND run."state" IN ('pending', 'running')
        AND run."retriedFrom" IS DISTINCT FROM asked."endedAt"::timestamptz(3)
      RETURNING asked.*, run."deviceKey", run."kernel", run."address", run."op", run."dtype",
        run."shape", run."profile"),
    kept_environments AS (
      INSERT INTO "Environment" ("hash", "content")
      SELECT "hash", "content"
      FROM json_to_recordset(${JSON.stringify(environments)}::json) AS e("hash" text, "content" jsonb)
      WHERE "hash" IN (SELECT "environmentHash" FROM ended)
      ORDER BY "hash" ON CONFLICT DO NOTHING),
    kept_sources AS (
      INSERT INTO "KernelSource" ("hash", "wgsl")
      SELECT "hash", "wgsl"
      FROM json_to_recordset(${JSON.stringify(sources)}::json) AS s("hash" text, "wgsl" text)
      WHERE "hash" IN (SELECT "sourceHash" FROM ended)
      ORDER BY "hash" ON CONFLICT DO NOTHING),
    result AS (
      INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "sourceHash", "outcome",
        "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked", "party",
        "confirmedBy", "endedAt")
      SELECT "resultId", "runId", "workerId", "environmentHash", "sourceHash", "outcome",
        "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked", "party",
        "confirmedBy", "endedAt"
      FROM ended),
    held AS (${holdBests(Prisma.sql`(SELECT * FROM ended WHERE "hasBest") AS ended`)})
    SELECT "runId", "resultId", "methodology", "deviceKey", "kernel", "address", "op", "dtype",
      "shape", "profile"::text
    FROM ended`;
}
