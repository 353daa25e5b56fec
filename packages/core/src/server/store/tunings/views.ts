import { Prisma, type PrismaClient } from '@tilemark/db';
import { type Problem, rateOf, shapeText, variantAddress } from '@tilemark/kernels';
import { group, least } from 'd3-array';
import { IMPLAUSIBLE } from '../../../measure/trust';
import type { SweepSpec } from '../../../plan/spec';
import { provenNs } from '../../../rank/headline';
import { FAMILY_SCREENING_PART } from '../../../tune/family-search';
import {
  type FamilyDecision,
  type FamilyRequest,
  familyById,
  type GridTuning,
} from '../../../tune/family-tuning';
import type { TuningDecision, TuningRequest } from '../../../tune/problem-tuning';
import type { FamilyTuning, ProblemTuning, TunedShape, Tuning } from '../../../view/api';
import { isQuotable } from '../../gate/parties';
import { fromJson } from '../database';
import { deviceRef } from '../run-view';
import { runsOfTuning, spentS } from './runs';

interface Progress {
  readonly sweepId: string;
  readonly tried: number;
  readonly usedSeconds: number;
  readonly finals: number;
  readonly hasFinals: boolean;
  readonly hasDuels: boolean;
}

type Fastest = NonNullable<TunedShape['best']>;
/** Without what follows from the rest, or is read of few results only. */
type FastestRun = Omit<Fastest, 'rate' | 'samples' | 'independent'>;
type BestRow = FastestRun & { readonly sweepId: string };

interface ShapeRow {
  readonly sweepId: string;
  readonly shape: string;
  readonly isOpen: boolean;
  readonly hasBegun: boolean;
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
      count(*) FILTER (WHERE r."policy" <> 'screen' AND r."rival" IS NULL
        AND r."state" = 'measured')::int AS "finals",
      sum(${spentS}) AS "usedSeconds", bool_or(r."policy" <> 'screen') AS "hasFinals",
      bool_or(r."rival" IS NOT NULL) AS "hasDuels"
    FROM "Run" AS r LEFT JOIN "Result" AS result ON result."runId" = r."id"
    WHERE r."sweepId" = ANY(${ids}) GROUP BY r."sweepId"`;
  const bests = await db.$queryRaw<BestRow[]>`
    SELECT DISTINCT ON (r."sweepId") r."sweepId", r."address", r."policy",
      result."id" AS "resultId", result."medianNs",
      coalesce(result."lowNs", result."medianNs") AS "lowNs",
      coalesce(result."highNs", result."medianNs") AS "highNs"
    FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
    JOIN "Sweep" AS s ON s."id" = r."sweepId"
    JOIN "Device" AS device ON device."key" = r."deviceKey"
    WHERE r."sweepId" = ANY(${ids}) AND s."tuning" ? 'problem' AND r."state" = 'measured'
      AND ${isQuotable('result', Prisma.sql`device."ownedBy"`)}
      AND coalesce(result."unranked" NOT LIKE ${`${IMPLAUSIBLE}%`}, true)
      AND (s."decision" IS NULL OR r."address" = s."decision"->>'winner')
    ORDER BY r."sweepId", r."policy" = 'screen', r."rival" IS NOT NULL, result."medianNs"`;
  const samples = await samplesOf(db, bests);
  const shapes = await db.$queryRaw<ShapeRow[]>`
    SELECT r."sweepId", r."shape", bool_or(r."endedAt" IS NULL) AS "isOpen",
      bool_or(r."state" <> 'pending') AS "hasBegun"
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
        tried: so?.tried ?? 0,
        usedSeconds: so?.usedSeconds ?? 0,
      };
      const tuning = fromJson<GridTuning>(row.tuning);
      const view =
        'suite' in tuning
          ? familyView(tuning, row, {
              ...common,
              hasDuels: so?.hasDuels ?? false,
              shapes: shapes.filter(({ sweepId }) => sweepId === id),
            })
          : problemView(tuning, row.decision, {
              ...common,
              so,
              best: bests.find(({ sweepId }) => sweepId === id),
              samples,
            });
      return [[id, view] as const];
    }),
  );
}

type Common = Pick<Tuning, 'device' | 'tried' | 'usedSeconds'>;

function problemView(
  request: TuningRequest,
  decision: Prisma.JsonValue,
  {
    best,
    samples,
    so,
    ...common
  }: Common & { so: Progress | undefined; best: BestRow | undefined; samples: Samples },
): ProblemTuning {
  return {
    ...request,
    ...common,
    finals: so?.finals ?? 0,
    phase: decision ? 'done' : so?.hasDuels ? 'duels' : so?.hasFinals ? 'finals' : 'screening',
    best: best ? fastest(best, request.problem, samples) : null,
    decision: decision === null ? null : fromJson<TuningDecision>(decision),
  };
}

function familyView(
  request: FamilyRequest,
  row: Pick<SweepRow, 'cancelledAt' | 'decision' | 'spec'>,
  { hasDuels, shapes, ...common }: Common & { hasDuels: boolean; shapes: readonly ShapeRow[] },
): FamilyTuning {
  const decision = row.decision === null ? null : fromJson<FamilyDecision>(row.decision);
  const { budgetSeconds, skipped } = request;
  const begun = shapes.map(({ shape }) => shape);
  const total = askedShapes(request, row.spec, begun).length;
  const toSearch = total - skipped.length;
  const whole = wholeShapes(begun, { decision, row, hasDuels, toSearch });
  const open = shapes.filter(({ isOpen }) => isOpen);
  const running = open.filter(({ hasBegun }) => hasBegun).map(({ shape }) => shape);
  const done = whole.filter((shape) => !open.some((row) => row.shape === shape)).length;
  const { usedSeconds } = common;
  const screening = FAMILY_SCREENING_PART * budgetSeconds;
  const toScreen = Math.min(
    done > 0 ? ((toSearch - done) * usedSeconds) / done : 0,
    screening - usedSeconds,
  );
  const left = hasDuels
    ? budgetSeconds - usedSeconds
    : Math.max(toScreen, 0) + budgetSeconds - screening;
  return {
    ...request,
    ...common,
    phase: decision ? 'done' : hasDuels ? 'duels' : 'screening',
    shapes: { total, done, running },
    leftSeconds: decision ? 0 : done > 0 ? Math.max(left, 0) : null,
    decision,
  };
}

type SweepRow = Prisma.SweepGetPayload<object>;

/**
 * The shapes that a search was asked for, in the family's order. Its sweep's cases have them: the family may have
 * grown since, and a search that was under way then goes on with the new ones.
 */
function askedShapes(
  { skipped, suite }: FamilyRequest,
  spec: Prisma.JsonValue,
  begun: Iterable<string>,
): readonly string[] {
  const op = familyById(suite)?.op;
  const asked = fromJson<Pick<SweepSpec, 'cases'>>(spec)
    .cases.flatMap(({ shapes }) => shapes)
    .flatMap((shape) => (op === undefined ? [] : shapeText({ op, shape })));
  return [...new Set([...asked, ...begun, ...skipped.map(({ shape }) => shape)])];
}

/**
 * Those of the shapes with runs that were not cut short. What had not begun is dropped when the time is
 * used up or a sweep is cancelled, so nothing tells whether the last shape had more: it counts as cut short.
 */
function wholeShapes(
  begun: readonly string[],
  {
    decision,
    hasDuels,
    row,
    toSearch,
  }: {
    readonly decision: FamilyDecision | null;
    readonly hasDuels: boolean;
    readonly row: Pick<SweepRow, 'cancelledAt'>;
    readonly toSearch: number;
  },
): readonly string[] {
  if (decision) return begun.slice(0, decision.searched);
  const isCut = hasDuels ? begun.length < toSearch : row.cancelledAt !== null;
  return isCut ? begun.slice(0, -1) : begun;
}

/** The shapes of a family that is tuned, in the family's order. Null: no such tuning. */
export async function tunedShapes(db: PrismaClient, id: string): Promise<TunedShape[] | null> {
  const row = await db.sweep.findUnique({ where: { id } });
  const request = row?.tuning ? fromJson<GridTuning>(row.tuning) : null;
  if (!row || !request || !('suite' in request)) return null;
  const isOver = row.decision !== null || row.cancelledAt !== null;
  const runs = group(await runsOfTuning(db, id), ({ problem }) => shapeText(problem));
  const order = askedShapes(request, row.spec, runs.keys());
  const skipped = new Map(request.skipped.map(({ shape, why }) => [shape, why]));
  const whole = new Set(
    wholeShapes([...runs.keys()], {
      decision: row.decision === null ? null : fromJson<FamilyDecision>(row.decision),
      hasDuels: [...runs.values()].flat().some(({ rival }) => rival !== undefined),
      row,
      toSearch: order.length - skipped.size,
    }),
  );
  const found = new Map([...runs].map(([shape, shapeRuns]) => [shape, foundOf(shapeRuns)]));
  const samples = await samplesOf(
    db,
    [...found.values()].flatMap(({ best }) => best ?? []),
  );
  return order.map((shape) => {
    const shapeRuns = runs.get(shape) ?? [];
    const screens = shapeRuns.filter(({ rival }) => !rival);
    const ended = screens.filter(({ outcome }) => outcome !== null);
    const why = skipped.get(shape) ?? null;
    const state =
      why !== null
        ? 'skipped'
        : ended.length < screens.length
          ? screens.some(({ hasBegun }) => hasBegun)
            ? 'running'
            : 'waiting'
          : screens.length > 0 && whole.has(shape)
            ? 'done'
            : isOver
              ? 'missed'
              : 'waiting';
    const { best = null, duel = null } = found.get(shape) ?? {};
    return {
      shape,
      state,
      why,
      tried: ended.length,
      duel,
      best: best && fastest(best, best.problem, samples),
    };
  });
}

/** How many samples a result has, and what they are worth, by its id. */
type Samples = ReadonlyMap<string, Pick<Fastest, 'samples' | 'independent'>>;

async function samplesOf(
  db: PrismaClient | Prisma.TransactionClient,
  fastest: readonly Pick<Fastest, 'resultId'>[],
): Promise<Samples> {
  const rows = await db.$queryRaw<{ id: string; samples: number; independent: number | null }[]>`
    SELECT "id", cardinality("coldSamplesNs") AS "samples",
      ("outcome" -> 'measurement' -> 'cold' -> 'independent')::float8 AS "independent"
    FROM "Result" WHERE "id" = ANY(${fastest.map(({ resultId }) => resultId)})`;
  return new Map(rows.map(({ id, independent, samples }) => [id, { independent, samples }]));
}

const fastest = (
  { address, highNs, lowNs, medianNs, policy, resultId }: FastestRun,
  problem: Problem,
  samples: Samples,
): Fastest => ({
  address,
  resultId,
  policy,
  medianNs,
  lowNs,
  highNs,
  // None: a retry has deleted the result since.
  ...(samples.get(resultId) ?? { samples: 0, independent: null }),
  rate: rateOf(problem, medianNs),
});

type KnownRun = Awaited<ReturnType<typeof runsOfTuning>>[number];

/** The fastest of a shape by its runs, as the selector sees them, and the duel of the two nearest. */
function foundOf(runs: readonly KnownRun[]): {
  readonly best: (FastestRun & Pick<KnownRun, 'problem'>) | null;
  readonly duel: TunedShape['duel'];
} {
  const screened = runs.flatMap(({ address, outcome, policy, problem, resultId, rival }) =>
    outcome?.kind === 'measured' && resultId !== null && !rival
      ? [{ address, policy, problem, resultId, ...outcome.measurement.cold }]
      : [],
  );
  const dueled = runs.find(({ contrast }) => contrast !== null);
  const rival = dueled?.rival && variantAddress(dueled.rival.variant);
  const duel =
    dueled?.contrast && rival
      ? {
          a: dueled.address,
          b: rival,
          ratio: dueled.contrast.ratio,
          low: dueled.contrast.low,
          high: dueled.contrast.high,
        }
      : null;
  const first = least(screened, provenNs);
  const winner = duel && (duel.ratio >= 1 ? duel.a : duel.b);
  const best =
    duel && (first?.address === duel.a || first?.address === duel.b)
      ? (screened.find(({ address }) => address === winner) ?? first)
      : first;
  return { best: best ?? null, duel };
}
