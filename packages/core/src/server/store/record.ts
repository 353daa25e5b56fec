import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { refuseIf } from '@tilemark/kernels';
import { v7 as uuidv7 } from 'uuid';
import type { ClaimedRun, RecordedRun } from '../../link/wire';
import { type DeviceClass, deviceKey } from '../../measure/device';
import { METHODOLOGY_VERSION, type Outcome } from '../../measure/outcome';
import type { RooflineSurvey } from '../../measure/roofline';
import { summarise } from '../../measure/stats';
import { type BestCandidate, hasBest, holdBest, moveBests, moveHeadline } from './boards/headlines';
import { environmentRow, outcomeColumns, runOf } from './columns';
import { admitStored } from './contributed-runs';
import { fromJson, sha256, withoutNul } from './database';
import { isLost } from './fleet';
import { judged } from './judge';
import { AGREES_WITHIN, BY_ANOTHER, BY_OPERATOR, OPERATOR, partyOf } from './parties';
import { raiseByResults, statedRates } from './roofs';

export type { RecordedRun };

/** Whose a run is, and what it measures. */
export type KnownRun = Pick<ClaimedRun, 'variant' | 'problem' | 'profile' | 'policy'> & {
  /** Null: nobody has claimed it. */
  readonly seed: number | null;
  readonly workerId: string | null;
  readonly hasEnded: boolean;
};

/** Looks at the run before it is ended, null if there is none, and throws what refuses the result. */
export type RunCheck = (run: KnownRun | null) => void;

/**
 * Ends a run: the contract is at `Runs.record`. Few statements, because a grid ends hundreds of runs
 * per second and each costs a round trip: what the result is judged by is read before the
 * transaction, whose first statement asks whether the run may still be ended. Null: the result is
 * not wanted.
 */
export async function recordRun(
  db: PrismaClient,
  recorded: RecordedRun,
  check?: RunCheck,
): Promise<RunEnded | null> {
  const facts = await factsOf(db, recorded);
  check?.(facts && { ...facts, ...runOf(facts), hasEnded: hasEnded(facts) });
  if (!facts || !isWanted(facts, recorded)) return null;
  await admitStored(db, facts.kernel);
  const outcome = believed(recorded, facts);
  if (facts.isOthersToTry && ['failed', 'incorrect'].includes(outcome.kind)) {
    await decline(db, recorded.runId, facts);
    return null;
  }
  const run = { ...recorded, outcome };
  const { isTuning, sweepId } = facts;
  if (outcome.kind !== 'measured') return (await endRun(db, run, facts)) && { sweepId, isTuning };
  return db.$transaction(async (tx) => {
    const ended = await endRun(tx, run, facts);
    if (!ended) return null;
    const { resultId } = ended;
    const confirmed = facts.hasOthers ? await confirmAgreeing(tx, [resultId]) : [];
    await moveHeadline(tx, ended, outcome.measurement);
    await moveBests(
      tx,
      confirmed.filter((id) => id !== resultId),
    );
    if (facts.party === OPERATOR && !facts.isRoofProved) {
      const of = { ...runOf(facts), measurement: outcome.measurement };
      await raiseByResults(tx, facts.deviceKey, facts.profile, statedRates([of]));
    }
    return { sweepId, isTuning };
  });
}

/** The sweep of a run that was ended. */
export interface RunEnded {
  readonly sweepId: string;
  /** It grows, and may be due to. */
  readonly isTuning: boolean;
}

/** What a result is judged by: its run, its device, and who hands it in. */
interface Facts extends Prisma.RunGetPayload<object> {
  readonly deviceName: string;
  readonly deviceClass: DeviceClass;
  /** Of the worker that hands it in. */
  readonly workerDevice: string;
  readonly party: string;
  readonly roof: Prisma.JsonValue | null;
  /** By a survey. */
  readonly isRoofProved: boolean;
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

/** Null: there is no such run. */
async function factsOf(
  db: PrismaClient,
  { runId, workerId, outcome }: RecordedRun,
): Promise<Facts | null> {
  const samplesNs = outcome.kind === 'measured' ? outcome.measurement.cold.samplesNs : [];
  const [facts] = await db.$queryRaw<Facts[]>`
    ${PREPARED} SELECT run.*,
      device."name" AS "deviceName", device."class"::text AS "deviceClass",
      w."deviceKey" AS "workerDevice", ${partyOf('w')} AS "party",
      roof."content" AS "roof", roof."workerId" IS NOT NULL AS "isRoofProved",
      (1e9 * extract(epoch FROM clock_timestamp() -
        CASE WHEN run."attempts" > 1 THEN sweep."createdAt" ELSE run."claimedAt" END))::float8
        AS "leaseNs",
      ${twinOf(samplesNs, runId)} AS "twin",
      EXISTS (SELECT FROM "Worker" AS other WHERE other."deviceKey" = run."deviceKey"
        AND (other."tokenId" IS DISTINCT FROM w."tokenId" OR other."name" LIKE 'import by %'))
        AS "hasOthers",
      coalesce(device."ownedBy", '') NOT IN ('', ${partyOf('w')})
        AND ${partyOf('w')} <> ${OPERATOR} AND EXISTS (
          SELECT FROM "Worker" AS other WHERE other."deviceKey" = run."deviceKey"
            AND NOT ${isLost('other')} AND ${partyOf('other')} <> ${partyOf('w')}
            AND ${partyOf('other')} <> ALL (run."declinedBy"))
        AS "isOthersToTry",
      sweep."tuning" IS NOT NULL AS "isTuning"
    FROM "Run" AS run
    JOIN "Sweep" AS sweep ON sweep."id" = run."sweepId"
    JOIN "Device" AS device ON device."key" = run."deviceKey"
    JOIN "Worker" AS w ON w."id" = ${workerId}
    LEFT JOIN "Roof" AS roof
      ON roof."deviceKey" = run."deviceKey" AND roof."profile" = run."profile"
    WHERE run."id" = ${runId}`;
  return facts ?? null;
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

/** A result of another run with the same samples; null where they are too few or alike to tell. */
function twinOf(samplesNs: readonly number[], runId: string): Prisma.Sql {
  if (!isTelling(samplesNs)) return Prisma.sql`NULL::text`;
  const { medianNs } = summarise(samplesNs);
  return Prisma.sql`(SELECT twin."id" FROM "Result" AS twin
    WHERE twin."medianNs" = ${medianNs} AND twin."runId" <> ${runId}
      AND twin."coldSamplesNs" = ${[...samplesNs]}::float8[] LIMIT 1)`;
}

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

type EndedRun = Omit<BestCandidate, 'measuredAt'> & { readonly sweepId: string };

/**
 * Ends the run, writes its result and what the result refers to, and locks the row of its board;
 * null if the result is not (or no longer) wanted. If two end one run at once, Postgres makes one
 * wait, and its condition is then false.
 */
async function endRun(
  tx: Prisma.TransactionClient,
  { runId, workerId, environment, wgsl, outcome, beganAt, endedAt }: RecordedRun,
  { kernel, party }: Facts,
): Promise<EndedRun | null> {
  const columns = outcomeColumns(outcome);
  const { hash, content } = environmentRow(environment);
  const source = wgsl === null ? null : withoutNul(wgsl);
  const sourceHash = source === null ? null : sha256(source);
  const held =
    outcome.kind === 'measured' && hasBest(kernel)
      ? Prisma.sql`, held AS (${holdBest(outcome.measurement, endedAt, Prisma.sql`ended, result`)})`
      : Prisma.empty;
  // A line of a journal replayed after a retry must not end the run a second time.
  const [run] = await tx.$queryRaw<EndedRun[]>`
    ${PREPARED} WITH ended AS (
      UPDATE "Run"
      SET "state" = ${outcome.kind}::"RunState", "workerId" = ${workerId},
        "beganAt" = ${beganAt ?? null}::timestamptz, "endedAt" = ${endedAt}::timestamptz
      WHERE "id" = ${runId} AND "state" IN ('pending', 'running')
        AND "retriedFrom" IS DISTINCT FROM ${endedAt}::timestamptz(3)
      RETURNING "sweepId", "deviceKey", "kernel", "address", "op", "dtype", "shape",
        "profile"::text),
    kept_environment AS (
      INSERT INTO "Environment" ("hash", "content")
      SELECT ${hash}, ${JSON.stringify(content)}::jsonb FROM ended ON CONFLICT DO NOTHING),
    kept_source AS (
      INSERT INTO "KernelSource" ("hash", "wgsl")
      SELECT ${sourceHash}, ${source} FROM ended WHERE ${sourceHash}::text IS NOT NULL
      ON CONFLICT DO NOTHING),
    result AS (
      INSERT INTO "Result" ("id", "runId", "workerId", "environmentHash", "sourceHash", "outcome",
        "medianNs", "lowNs", "highNs", "coldSamplesNs", "hotSamplesNs", "unranked", "party",
        "confirmedBy", "endedAt")
      SELECT ${uuidv7()}, ${runId}, ${workerId}, ${hash}, ${sourceHash},
        ${JSON.stringify(columns.outcome)}::jsonb, ${columns.medianNs ?? null},
        ${columns.lowNs ?? null}, ${columns.highNs ?? null}, ${columns.coldSamplesNs}::float8[],
        ${columns.hotSamplesNs}::float8[], ${columns.unranked ?? null}, ${party},
        ${party === OPERATOR ? BY_OPERATOR : null}, ${endedAt}::timestamptz
      FROM ended
      RETURNING "id" AS "resultId")${held}
    SELECT ended.*, result."resultId" FROM ended, result`;
  return run ?? null;
}

/**
 * Confirms those of the results, and of the others, that agree: of two parties, ranked, on the same
 * work of the same model, within 2%. Returns those that were confirmed.
 */
export async function confirmAgreeing(
  tx: Prisma.TransactionClient,
  resultIds: readonly string[],
): Promise<string[]> {
  const version = Prisma.sql`("outcome"->'measurement'->>'methodologyVersion')::int`;
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH pair AS (
      SELECT mine."id" AS "mine", other."id" AS "other"
      FROM (SELECT "id", "runId", "medianNs", "party", "coldSamplesNs" FROM "Result"
        WHERE "id" = ANY(${[...resultIds]}) AND "unranked" IS NULL AND "medianNs" IS NOT NULL
          AND ${version} = ${METHODOLOGY_VERSION}) AS mine
      JOIN "Run" AS run ON run."id" = mine."runId"
      JOIN "Run" AS other_run ON other_run."deviceKey" = run."deviceKey"
        AND other_run."address" = run."address" AND other_run."shape" = run."shape"
        AND other_run."op" = run."op" AND other_run."dtype" = run."dtype"
        AND other_run."profile" = run."profile" AND other_run."state" = 'measured'
      JOIN (SELECT * FROM "Result"
        WHERE "unranked" IS NULL AND ${version} = ${METHODOLOGY_VERSION}) AS other
        ON other."runId" = other_run."id" AND other."party" <> mine."party"
        AND other."medianNs" BETWEEN mine."medianNs" * ${1 - AGREES_WITHIN}::float8
          AND mine."medianNs" / ${1 - AGREES_WITHIN}::float8
        AND other."coldSamplesNs" <> mine."coldSamplesNs")
    UPDATE "Result" SET "confirmedBy" = ${BY_ANOTHER}
    WHERE "confirmedBy" IS NULL
      AND "id" IN (SELECT "mine" FROM pair UNION SELECT "other" FROM pair)
    RETURNING "id"`;
  return rows.map(({ id }) => id);
}
