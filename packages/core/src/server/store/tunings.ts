import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  isKnownProblem,
  type Problem,
  parseProblem,
  rateOf,
  shapeText,
  type Variant,
  variantAddress,
} from '@tilemark/kernels';
import { group, least } from 'd3-array';
import type { Duel, OutcomeKind } from '../../measure/outcome';
import type { PolicyId } from '../../measure/policy';
import { IMPLAUSIBLE } from '../../measure/trust';
import { FAMILY_SCREENING_PART } from '../../tune/family';
import {
  type FamilyDecision,
  type FamilyRequest,
  familyById,
  type GridDecision,
  type GridTuning,
} from '../../tune/family-tuning';
import { keyOf, pointsAhead, type TuningRun, type TuningStep } from '../../tune/replay';
import { proved } from '../../tune/tune';
import type { TunableDevice, TuningDecision, TuningRequest } from '../../tune/tuning';
import type { DeviceRef, FamilyTuning, ProblemTuning, TunedShape, Tuning } from '../../view/api';
import { notifySweep } from './changes';
import { fromJson, toJson } from './database';
import { insertRuns, newRun } from './new-sweeps';
import { deviceRef } from './run-view';

// Tunings: sweeps that grow. What they run next is decided in tune/; here it is read and kept.

/** Decides the next step of a tuning. */
export type Decide = (
  request: GridTuning,
  device: TunableDevice,
  runs: readonly TuningRun[],
) => Promise<TuningStep<GridDecision>>;

/** The replay of a long search takes a second. */
const TIMEOUT_MS = 60_000;

const isOpen = Prisma.sql`(s."tuning" IS NOT NULL AND s."decision" IS NULL
  AND s."cancelledAt" IS NULL)`;

/** A run counts for this long at least, s, whatever its worker says: so every search ends. */
const LEAST_RUN_S = 0.5;

/**
 * How long a run took, s; 0 until it has ended. From its turn on its machine, or its claim where its
 * worker does not tell, to its end. Claim and record are by our clock, and it lies between them.
 */
const spentS = Prisma.sql`(CASE WHEN r."endedAt" IS NULL THEN 0 ELSE
  greatest(${LEAST_RUN_S}, extract(epoch FROM
    least(r."endedAt", result."recordedAt") - greatest(r."beganAt", r."claimedAt"))) END)::float8`;

export function tuningsOf(db: PrismaClient) {
  return {
    /** Ids of tunings that stand still: undecided, and nothing of them is left to run. */
    async standing(): Promise<string[]> {
      const rows = await db.$queryRaw<{ id: string }[]>`
        SELECT s."id" FROM "Sweep" AS s WHERE ${isOpen} AND NOT EXISTS (
          SELECT FROM "Run" AS r
          WHERE r."sweepId" = s."id" AND r."state" IN ('pending', 'running'))`;
      return rows.map(({ id }) => id);
    },

    /**
     * Takes a tuning a step further, unless enough of its runs are still to come; returns the runs
     * to queue. Two who do so at once take turns, and the second finds nothing to add.
     */
    async advance(id: string, decide: Decide): Promise<{ id: string; deviceKey: string }[]> {
      if (!(await isDue(db, id))) return [];
      return db.$transaction((tx) => advanceTuning(tx, id, decide), {
        ...{ timeout: TIMEOUT_MS, maxWait: TIMEOUT_MS },
      });
    },

    /** The shapes of a family that is tuned, in the family's order. Null: no such tuning. */
    shapes: (id: string) => tunedShapes(db, id),
  };
}

/** Whether less than half of what is to be under way still is. */
async function isDue(db: PrismaClient, id: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ tried: number; left: number; isScreening: boolean }[]>`
    SELECT count(*) FILTER (WHERE r."endedAt" IS NOT NULL)::int AS "tried",
      count(r."id") FILTER (WHERE r."endedAt" IS NULL)::int AS "left",
      coalesce(bool_and(r."policy" = 'screen'), true) AS "isScreening"
    FROM "Sweep" AS s LEFT JOIN "Run" AS r ON r."sweepId" = s."id"
    WHERE s."id" = ${id} AND ${isOpen} GROUP BY s."id"`;
  if (!row) return false;
  return row.left <= (row.isScreening ? pointsAhead(row.tried) / 2 : 0);
}

interface TuningRow extends DeviceRef {
  readonly tuning: Prisma.JsonValue;
  readonly capabilities: Prisma.JsonValue;
}

async function advanceTuning(tx: Prisma.TransactionClient, id: string, decide: Decide) {
  // Held until the end, so that nobody else adds runs meanwhile; runs in hand are not held up.
  const [row] = await tx.$queryRaw<TuningRow[]>`
    SELECT s."tuning", device."key", device."name", device."class"::text, device."capabilities"
    FROM "Sweep" AS s JOIN "Device" AS device ON device."key" = s."deviceKeys"[1]
    WHERE s."id" = ${id} AND ${isOpen} FOR NO KEY UPDATE OF s`;
  if (!row) return [];
  const request = fromJson<GridTuning>(row.tuning);
  const { profile } = request;
  const device = { ...deviceRef(row), capabilities: fromJson<Capabilities>(row.capabilities) };
  const runs = await runsOfTuning(tx, id);
  const { decision, wanted } = await decide(request, device, runs);

  // What was proposed ahead of a turn that the search then took is not run.
  const stays = new Set((wanted ?? []).map(keyOf));
  await tx.run.deleteMany({
    where: {
      id: { in: runs.filter((run) => !stays.has(keyOf(run))).map((run) => run.id) },
      state: 'pending',
    },
  });
  if (decision) await tx.sweep.update({ where: { id }, data: { decision: toJson(decision) } });
  const known = new Set(runs.map(keyOf));
  const first = (runs.at(-1)?.ordinal ?? -1) + 1;
  const added = (wanted ?? [])
    .filter((run) => !known.has(keyOf(run)))
    .map((run, at) => newRun({ ...run, profile, deviceKey: row.key }, first + at));
  await insertRuns(tx, id, added);
  await notifySweep(tx, id);
  return added.map((run) => ({ id: run.id, deviceKey: row.key }));
}

type Capabilities = NonNullable<TunableDevice['capabilities']>;

interface RunRow {
  readonly id: string;
  readonly ordinal: number;
  readonly op: string;
  readonly shape: string;
  readonly dtype: string;
  readonly resultId: string | null;
  readonly address: string;
  readonly policy: PolicyId;
  readonly rival: Variant | null;
  readonly state: OutcomeKind | 'pending' | 'running';
  readonly spentNs: number;
  readonly medianNs: number | null;
  readonly lowNs: number | null;
  readonly highNs: number | null;
  readonly unranked: string | null;
  readonly duel: Duel | null;
}

/** The runs of a tuning in their order, each without its samples. */
async function runsOfTuning(tx: PrismaClient | Prisma.TransactionClient, id: string) {
  const rows = await tx.$queryRaw<RunRow[]>`
    SELECT r."id", r."ordinal", r."op", r."shape", r."dtype", r."address", r."policy", r."rival",
      r."state"::text, result."id" AS "resultId",
      1e9 * ${spentS} AS "spentNs",
      result."medianNs", result."lowNs", result."highNs", result."unranked",
      result."outcome"->'measurement'->'duel'->'duel' AS "duel"
    FROM "Run" AS r LEFT JOIN "Result" AS result ON result."runId" = r."id"
    WHERE r."sweepId" = ${id} ORDER BY r."ordinal"`;
  const problems = new Map<string, Problem>();
  const problemOf = (row: Parameters<typeof parseProblem>[0]) => {
    const known = problems.get(row.shape) ?? parseProblem(row);
    problems.set(row.shape, known);
    return known;
  };
  return rows
    .filter(isKnownProblem)
    .map(({ duel, highNs, lowNs, medianNs, rival, state, unranked, ...run }) => ({
      ...{ id: run.id, ordinal: run.ordinal, address: run.address, policy: run.policy },
      ...{ resultId: run.resultId, spentNs: run.spentNs, problem: problemOf(run) },
      ...(rival && { rival: { variant: rival } }),
      contrast: duel && proved(duel),
      outcome: outcomeOf(state, { highNs, lowNs, medianNs, unranked }),
    }));
}

function outcomeOf(
  state: RunRow['state'],
  { highNs, lowNs, medianNs, unranked }: Pick<RunRow, 'medianNs' | 'lowNs' | 'highNs' | 'unranked'>,
): TuningRun['outcome'] {
  if (state === 'pending' || state === 'running') return null;
  if (state !== 'measured') return { kind: state };
  // Every result that was measured has a headline; one without would be of no use.
  if (medianNs === null) return { kind: 'failed' };
  const cold = { medianNs, lowNs: lowNs ?? medianNs, highNs: highNs ?? medianNs };
  return { kind: 'measured', measurement: { cold, unranked } };
}

interface Progress {
  readonly sweepId: string;
  readonly tried: number;
  readonly usedSeconds: number;
  readonly hasFinals: boolean;
  readonly hasDuels: boolean;
}

interface BestRow {
  readonly sweepId: string;
  readonly address: string;
  readonly resultId: string;
  readonly medianNs: number;
}

interface ShapeRow {
  readonly sweepId: string;
  readonly shape: string;
  readonly isOpen: boolean;
}

/** What sweeps that are tunings show of them, by id. */
export async function tuningViews(
  db: PrismaClient | Prisma.TransactionClient,
  rows: readonly Prisma.SweepGetPayload<object>[],
): Promise<ReadonlyMap<string, Tuning>> {
  const tunings = rows.filter(({ tuning }) => tuning !== null);
  if (tunings.length === 0) return new Map();
  const ids = tunings.map(({ id }) => id);
  // One after the other: a transaction has one connection.
  const progress = await db.$queryRaw<Progress[]>`
    SELECT r."sweepId",
      count(*) FILTER (WHERE r."policy" = 'screen' AND r."rival" IS NULL
        AND r."endedAt" IS NOT NULL)::int AS "tried",
      sum(${spentS}) AS "usedSeconds", bool_or(r."policy" <> 'screen') AS "hasFinals",
      bool_or(r."rival" IS NOT NULL) AS "hasDuels"
    FROM "Run" AS r LEFT JOIN "Result" AS result ON result."runId" = r."id"
    WHERE r."sweepId" = ANY(${ids}) GROUP BY r."sweepId"`;
  const bests = await db.$queryRaw<BestRow[]>`
    SELECT DISTINCT ON (r."sweepId") r."sweepId", r."address", result."id" AS "resultId",
      result."medianNs"
    FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
    JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."sweepId" = ANY(${ids}) AND s."tuning" ? 'problem' AND r."state" = 'measured'
      AND coalesce(result."unranked" NOT LIKE ${`${IMPLAUSIBLE}%`}, true)
      AND (s."decision" IS NULL OR r."address" = s."decision"->>'winner')
    ORDER BY r."sweepId", r."policy" = 'screen', r."rival" IS NOT NULL, result."medianNs"`;
  const shapes = await db.$queryRaw<ShapeRow[]>`
    SELECT r."sweepId", r."shape", bool_or(r."endedAt" IS NULL) AS "isOpen"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    WHERE r."sweepId" = ANY(${ids}) AND s."tuning" ? 'suite' AND r."rival" IS NULL
    GROUP BY r."sweepId", r."shape" ORDER BY min(r."ordinal")`;
  const devices = await db.device.findMany({
    where: { key: { in: tunings.flatMap(({ deviceKeys }) => deviceKeys) } },
    select: { key: true, name: true, class: true },
  });
  return new Map(
    tunings.flatMap((row) => {
      const { deviceKeys, id } = row;
      const device = devices.find(({ key }) => key === deviceKeys[0]);
      if (!device) return [];
      const so = progress.find(({ sweepId }) => sweepId === id);
      const common = {
        device: deviceRef(device),
        ...{ tried: so?.tried ?? 0, usedSeconds: so?.usedSeconds ?? 0 },
      };
      const tuning = fromJson<GridTuning>(row.tuning);
      const view =
        'suite' in tuning
          ? familyView(tuning, row.decision, {
              ...{ ...common, hasDuels: so?.hasDuels ?? false },
              shapes: shapes.filter(({ sweepId }) => sweepId === id),
            })
          : problemView(tuning, row.decision, {
              ...{ ...common, so, best: bests.find(({ sweepId }) => sweepId === id) },
            });
      return [[id, view] as const];
    }),
  );
}

type Common = Pick<Tuning, 'device' | 'tried' | 'usedSeconds'>;

function problemView(
  request: TuningRequest,
  decision: Prisma.JsonValue,
  { best, so, ...common }: Common & { so: Progress | undefined; best: BestRow | undefined },
): ProblemTuning {
  return {
    ...{ ...request, ...common },
    phase: decision ? 'done' : so?.hasDuels ? 'duels' : so?.hasFinals ? 'finals' : 'screening',
    best: best
      ? {
          ...{ address: best.address, resultId: best.resultId, medianNs: best.medianNs },
          rate: rateOf(request.problem, best.medianNs),
        }
      : null,
    decision: decision === null ? null : fromJson<TuningDecision>(decision),
  };
}

function familyView(
  request: FamilyRequest,
  decided: Prisma.JsonValue,
  { hasDuels, shapes, ...common }: Common & { hasDuels: boolean; shapes: readonly ShapeRow[] },
): FamilyTuning {
  const decision = decided === null ? null : fromJson<FamilyDecision>(decided);
  const { budgetSeconds, skipped } = request;
  const total = familyById(request.suite)?.shapes.length ?? skipped.length + shapes.length;
  const running = shapes.filter(({ isOpen: open }) => open).map(({ shape }) => shape);
  const done = decision?.searched ?? shapes.length - running.length;
  const { usedSeconds } = common;
  const screening = FAMILY_SCREENING_PART * budgetSeconds;
  const toScreen = Math.min(
    done > 0 ? ((total - skipped.length - done) * usedSeconds) / done : 0,
    screening - usedSeconds,
  );
  const left = hasDuels
    ? budgetSeconds - usedSeconds
    : Math.max(toScreen, 0) + budgetSeconds - screening;
  return {
    ...{ ...request, ...common },
    phase: decision ? 'done' : hasDuels ? 'duels' : 'screening',
    shapes: { total, done, running },
    leftSeconds: decision ? 0 : done > 0 ? Math.max(left, 0) : null,
    decision,
  };
}

/** The contract is at `Tunings.shapes`. */
async function tunedShapes(db: PrismaClient, id: string): Promise<TunedShape[] | null> {
  const row = await db.sweep.findUnique({ where: { id } });
  const request = row?.tuning ? fromJson<GridTuning>(row.tuning) : null;
  if (!row || !request || !('suite' in request)) return null;
  const isOver = row.decision !== null || row.cancelledAt !== null;
  const runs = group(await runsOfTuning(db, id), ({ problem }) => shapeText(problem));
  const family = familyById(request.suite);
  const order = family
    ? family.shapes.map((shape) => shapeText({ op: family.op, shape }))
    : [...new Set([...runs.keys(), ...request.skipped.map(({ shape }) => shape)])];
  const skipped = new Map(request.skipped.map(({ shape, why }) => [shape, why]));
  const searched = row.decision === null ? null : fromJson<FamilyDecision>(row.decision).searched;
  // The time may end in the midst of the last.
  const whole = new Set([...runs.keys()].slice(0, searched ?? undefined));
  return order.map((shape) => {
    const own = runs.get(shape) ?? [];
    const screens = own.filter(({ rival }) => !rival);
    const ended = screens.filter(({ outcome }) => outcome !== null);
    const why = skipped.get(shape) ?? null;
    const state =
      why !== null
        ? 'skipped'
        : ended.length < screens.length
          ? 'running'
          : screens.length > 0 && whole.has(shape)
            ? 'done'
            : isOver
              ? 'missed'
              : 'waiting';
    return { shape, state, why, tried: ended.length, ...fastestOf(own) };
  });
}

type KnownRun = Awaited<ReturnType<typeof runsOfTuning>>[number];

/** The fastest of a shape by its runs, and the duel of the two nearest. */
function fastestOf(runs: readonly KnownRun[]): Pick<TunedShape, 'best' | 'duel'> {
  const screened = runs.flatMap(({ address, outcome, problem, resultId, rival }) =>
    outcome?.kind === 'measured' && resultId !== null && !rival
      ? [{ address, problem, resultId, medianNs: outcome.measurement.cold.medianNs }]
      : [],
  );
  const dueled = runs.find(({ contrast }) => contrast !== null);
  const rival = dueled?.rival && variantAddress(dueled.rival.variant);
  const duel =
    dueled?.contrast && rival
      ? {
          ...{ a: dueled.address, b: rival, ratio: dueled.contrast.ratio },
          ...{ low: dueled.contrast.low, high: dueled.contrast.high },
        }
      : null;
  const first = least(screened, ({ medianNs }) => medianNs);
  const winner = duel && (duel.ratio >= 1 ? duel.a : duel.b);
  const best =
    duel && (first?.address === duel.a || first?.address === duel.b)
      ? (screened.find(({ address }) => address === winner) ?? first)
      : first;
  if (!best) return { best: null, duel };
  const { address, medianNs, problem, resultId } = best;
  return { best: { address, resultId, medianNs, rate: rateOf(problem, medianNs) }, duel };
}
