/**
 * The gate: the one room that admits results, whoever brings them. A result is the word of a machine
 * or a file that nobody here watched, so what can be checked is checked, and what follows from the
 * samples is computed here. On its way a result is
 *
 * 1. looked up (facts.ts): its run, its device, who speaks, and what else the grid knows of them;
 * 2. asked whether it is of that run (`checkThatRun`), the only place that asks;
 * 3. held against itself (consistency.ts) and computed again (belief.ts): statistics, roof, duel;
 * 4. told why it is not ranked, if it is not: the first of a list (reasons.ts);
 * 5. written, where the run may still be ended, in a transaction that also
 * 6. settles what it moves (settle.ts): who agrees with it, the boards, its party's roof.
 *
 * Workers' results come here through both links (`admit`), files through `Sweeps.import`, which plans
 * its runs itself and shares steps 3, 4 and 6. Whose word counts for what is in parties.ts.
 */
import { PREPARED, type Prisma, type PrismaClient } from '@tilemark/db';
import { refuseIf } from '@tilemark/kernels';
import { v7 as uuidv7 } from 'uuid';
import { Refused } from '../../link/link';
import type { RecordedRun } from '../../link/wire';
import { deviceKey } from '../../measure/device';
import type { RooflineSurvey } from '../../measure/roofline';
import { pauses } from '../../schema/maxima';
import { BY_OPERATOR } from '../../view/result';
import { environmentRow, outcomeColumns, RESULT_COLUMNS, runOf } from '../store/columns';
import { admitStored } from '../store/contributed-runs';
import { canonicalJson, fromJson, sha256, withoutNul } from '../store/database';
import { believed } from './belief';
import { type Facts, factsOf } from './facts';
import { OPERATOR } from './parties';
import { type AdmittedRun, settle } from './settle';

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

/** A result that passed, as it is kept, under the id it gets. */
type PassedRun = AdmittedRun & { readonly record: RecordedRun; readonly facts: Facts };

/**
 * Ends runs, one result of each. A grid ends hundreds of runs per second, so every statement is one
 * for all of them. What they are held against is read before the transaction, whose first statement asks
 * whether each run may still be ended. Null: the result is not wanted; an Error: it is refused.
 */
export async function admit(
  db: PrismaClient,
  kept: KeptContents,
  records: readonly RecordedRun[],
): Promise<(RunEnded | null | Error)[]> {
  const facts = await factsOf(db, records);
  for (const kernel of new Set(facts.map((fact) => fact?.kernel ?? ''))) {
    await admitStored(db, kernel);
  }
  const passed: (PassedRun | Error | null)[] = [];
  const pause = pauses();
  for (const [at, record] of records.entries()) {
    passed.push(passedRun(record, facts[at] ?? null));
    await pause();
  }
  const wanted = passed.flatMap((run) => (run === null || run instanceof Error ? [] : [run]));
  const isLeft = ({ facts: { isOthersToTry }, outcome }: PassedRun) =>
    isOthersToTry && outcome.kind !== 'measured';
  for (const run of wanted.filter(isLeft)) await leaveToOthers(db, run.facts);
  const ended = await write(
    db,
    kept,
    wanted.filter((run) => !isLeft(run)),
  );
  return passed.map((run) => {
    if (run === null || run instanceof Error) return run;
    const { id, isTuning, sweepId } = run.facts;
    return ended.has(id) ? { isTuning, sweepId } : null;
  });
}

function passedRun(record: RecordedRun, facts: Facts | null): PassedRun | Error | null {
  try {
    if (!facts) {
      throw new Refused(`There is no run ${record.runId}; its sweep may be gone.`, 'run', true);
    }
    if (!checkThatRun(record, facts)) return null;
    const { outcome: stated } = record;
    const outcome = keptOutcome(record, facts);
    const statedRoof = stated.kind === 'measured' ? stated.measurement.roof : null;
    return {
      record,
      facts,
      outcome,
      statedRoof,
      run: facts,
      resultId: uuidv7(),
      party: facts.party,
      hasRoof: facts.roof !== null,
      isShared: facts.hasOthers,
    };
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
}

/**
 * Is this that run? Throws Refused where the record is of another run than it names, was not done as
 * asked, or is handed in by a worker that may not end it. False: the run has ended already.
 */
function checkThatRun(record: RecordedRun, facts: Facts): boolean {
  const { environment, outcome, run: told, runId, workerId } = record;
  const run = runOf(facts);
  const refuse = (isWrong: boolean, message: string, field: string) => {
    if (isWrong) throw new Refused(`Run ${runId} ${message}.`, field);
  };
  refuse(
    facts.isAdmitted && facts.workerId !== workerId,
    'does not belong to this worker, or no longer does',
    'run',
  );
  refuse(
    facts.workerDevice !== facts.deviceKey,
    `is for ${facts.deviceKey}; the worker's device is ${facts.workerDevice}`,
    'run',
  );
  if (facts.state !== 'pending' && facts.state !== 'running') return false;
  for (const field of ['variant', 'problem', 'profile', 'policy'] as const) {
    const [asked, sent] = [run[field], told?.[field]].map((value) => JSON.stringify(value));
    refuse(
      told !== undefined && canonicalJson(told[field]) !== canonicalJson(run[field]),
      `is of ${field} ${asked}, not ${sent}`,
      `run.${field}`,
    );
  }
  refuse(
    deviceKey(environment.device) !== facts.deviceKey,
    `is for ${facts.deviceKey}; it was measured on another device`,
    'environment.device',
  );
  refuse(
    environment.profile !== run.profile,
    `has profile ${run.profile}; it was measured with ${environment.profile}`,
    'environment.profile',
  );
  const { seed } = outcome.kind === 'measured' ? outcome.measurement.verification : {};
  refuse(
    facts.isAdmitted && seed !== undefined && seed !== facts.seed,
    'has another seed',
    'outcome.measurement.verification.seed',
  );
  return true;
}

/** The outcome as it is kept. Throws InputError if it cannot be. */
function keptOutcome({ outcome, wgsl }: RecordedRun, facts: Facts) {
  const { party, roof, twin } = facts;
  refuseIf(
    twin !== null,
    `Its samples are those of result ${twin}.`,
    'outcome.measurement.cold.samplesNs',
  );
  const isOperator = party === OPERATOR;
  const grounds = {
    device: { device: facts.deviceName, class: facts.deviceClass },
    roof: roof === null ? undefined : fromJson<RooflineSurvey>(roof),
    // The operator's machines are believed to have run what they report; clocks may be set.
    leaseNs: isOperator ? null : facts.leaseNs,
    isSeeded: !isOperator && facts.seed !== null,
    wgsl,
    isUnvouched: false,
  };
  return believed(outcome, runOf(facts), grounds, 'outcome');
}

/** The run waits for a machine of another party. */
const leaveToOthers = (db: PrismaClient, { id, party }: Facts): Promise<number> => db.$executeRaw`
  UPDATE "Run" SET "state" = 'pending', "workerId" = NULL,
    "declinedBy" = array_append("declinedBy", ${party})
  WHERE "id" = ${id} AND "state" IN ('pending', 'running')`;

/** Ids of the runs that were ended; the others were by somebody else meanwhile. */
async function write(
  db: PrismaClient,
  kept: KeptContents,
  runs: readonly PassedRun[],
): Promise<ReadonlySet<string>> {
  if (runs.length === 0) return new Set();
  const contents = contentsOf(runs, kept);
  try {
    const ended = runs.some(({ outcome }) => outcome.kind === 'measured')
      ? await db.$transaction(async (tx) => {
          const ids = await endRuns(tx, runs, contents);
          await settle(
            tx,
            runs.filter(({ facts }) => ids.has(facts.id)),
          );
          return ids;
        })
      : await endRuns(db, runs, contents);
    if (kept.size > MOST_KNOWN) kept.clear();
    for (const { hash } of [...contents.environments, ...contents.sources]) kept.add(hash);
    return ended;
  } catch (error) {
    // The database may be another than it was.
    kept.clear();
    throw error;
  }
}

/** The environments and sources of results that may not be kept yet. */
function contentsOf(runs: readonly PassedRun[], kept: KeptContents) {
  const environments = runs.map(({ record }) => environmentRow(record.environment));
  const sources = runs.map(({ record: { wgsl } }) => (wgsl === null ? null : sourceRow(wgsl)));
  const fresh = <Row extends { readonly hash: string }>(rows: readonly (Row | null)[]): Row[] => [
    ...new Map(
      rows.flatMap((row) => (row && !kept.has(row.hash) ? [[row.hash, row]] : [])),
    ).values(),
  ];
  return {
    hashes: runs.map((_, at) => ({
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
 * Ends the runs, and writes their results and what those refer to. Returns the ids of those that were
 * (still) to be ended: if two end one run at once, Postgres makes one wait, and its condition is then
 * false.
 */
async function endRuns(
  tx: Pick<PrismaClient, '$queryRaw'> | Prisma.TransactionClient,
  runs: readonly PassedRun[],
  { environments, hashes, sources }: ReturnType<typeof contentsOf>,
): Promise<ReadonlySet<string>> {
  const runIds = runs.map(({ facts }) => facts.id);
  const rows = runs.map(({ outcome, party, record, resultId }, at) => ({
    runId: record.runId,
    workerId: record.workerId,
    beganAt: record.beganAt,
    endedAt: record.endedAt,
    ...hashes[at],
    ...outcomeColumns(outcome),
    state: outcome.kind,
    party,
    id: resultId,
    confirmedBy: party === OPERATOR ? BY_OPERATOR : null,
  }));
  // A line of a journal replayed after a retry must not end the run a second time.
  const ended = await tx.$queryRaw<{ runId: string }[]>`
    ${PREPARED} WITH asked AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(rows)}::json) AS asked(
        "runId" text, "workerId" text, "beganAt" timestamptz, "endedAt" timestamptz,
        "state" "RunState", "party" text, "environmentHash" text, "sourceHash" text,
        "outcome" jsonb, "medianNs" float8, "lowNs" float8, "highNs" float8, "unranked" text,
        "coldSamplesNs" float8[], "hotSamplesNs" float8[], "id" text, "confirmedBy" text,
        "importedBy" text)),
    ended AS (
      UPDATE "Run" AS run SET "state" = asked."state", "workerId" = asked."workerId",
        "beganAt" = asked."beganAt", "endedAt" = asked."endedAt"
      FROM asked
      WHERE run."id" = ANY (${runIds}::text[]) AND run."id" = asked."runId"
        AND run."state" IN ('pending', 'running')
        AND run."retriedFrom" IS DISTINCT FROM asked."endedAt"::timestamptz(3)
      RETURNING asked.*),
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
      INSERT INTO "Result" (${RESULT_COLUMNS}) SELECT ${RESULT_COLUMNS} FROM ended)
    SELECT "runId" FROM ended`;
  return new Set(ended.map(({ runId }) => runId));
}
