import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  type Dtype,
  InputError,
  isKnownProblem,
  type OpId,
  parseProblem,
  rateOf,
} from '@tilemark/kernels';
import { group, max, min, sum } from 'd3-array';
import { KERNEL_STAGE } from '../../measure/outcome';
import { byPlace, type Placeable } from '../../rank/fastest';
import type { Page, RunResult, Sweep, Tuning } from '../../view/api';
import type { ResultKinds } from '../../view/csv';
import type { SweepFilter, SweepImported } from '../../view/sweep';
import { KeyUsed } from '../errors';
import { OPERATOR } from '../gate/parties';
import { type AuditNote, noted, type Principal } from './audit';
import { notifySweep } from './changes';
import { canonicalJson, fromJson, PAGE_SIZE, pageOf, toJson } from './database';
import { importSweep, isImported, NOT_IMPORTED, type SweepImport } from './imported-sweeps';
import { insertRuns, insertSweep, newRun, type SweepInput } from './new-sweeps';
import { RUN_VIEW, runResult, runViewsOf } from './run-view';
import { tuningViews } from './tunings/views';
import { waitingOf } from './waiting';

/** Of a sweep. */
interface FastestRun extends Placeable {
  readonly unit: ReturnType<typeof rateOf>['unit'];
}

const CREATE_TIMEOUT_MS = 60_000;
/** A page of results ends with the run that reaches it: some megabytes. */
const SAMPLES_PER_PAGE = 250_000;
/** The largest `integer` of Postgres. */
const LAST_ORDINAL = 2 ** 31 - 1;

/** Who looks at a list; null: anybody. */
type Asker = Pick<Principal, 'tokenId' | 'role'> | null;

const listedFor = (asker: Asker): Prisma.SweepWhereInput =>
  asker?.role === 'admin'
    ? {}
    : { OR: [{ unlisted: false }, ...(asker ? [{ createdById: asker.tokenId }] : [])] };

export function sweepsOf(db: PrismaClient) {
  const get = async (id: string): Promise<Sweep | null> => {
    const row = await db.sweep.findUnique({ where: { id } });
    const [sweep = null] = row ? await sweepViews(db, [row]) : [];
    return sweep;
  };

  return {
    get,

    /**
     * One transaction: the sweep and all of its runs. Throws KeyUsed where another request of its author
     * had its key.
     */
    async create({
      runs,
      createdById = null,
      idempotencyKey = null,
      note,
      ...fields
    }: SweepInput): Promise<{
      sweep: Sweep;
      runs: { id: string; deviceKey: string; kernel: string }[];
    }> {
      const rows = runs.map((run, ordinal) => newRun(run, ordinal));
      const created = await db.$transaction(
        async (tx) => {
          const keys = rows.map(({ deviceKey }) => deviceKey);
          const sweep = await insertSweep(tx, { ...fields, createdById, idempotencyKey }, keys);
          if (!sweep) return null;
          await insertRuns(tx, sweep.id, rows);
          await noted(tx, note, sweep.id);
          return sweep;
        },
        { timeout: CREATE_TIMEOUT_MS, maxWait: CREATE_TIMEOUT_MS },
      );
      const row = created ?? (await db.sweep.findFirstOrThrow({ where: { idempotencyKey } }));
      if (!created && createdById !== null && askedText(row) !== askedText(fields)) {
        throw new KeyUsed(
          `This key belongs to another request, which made sweep ${row.id}: take a new key, or repeat that request.`,
        );
      }
      const [sweep] = await sweepViews(db, [row]);
      if (!sweep) throw new Error(`Sweep ${row.id} was deleted while it was made.`);
      return {
        sweep,
        runs: created ? rows.map(({ id, deviceKey, kernel }) => ({ id, deviceKey, kernel })) : [],
      };
    },

    /**
     * One transaction: a sweep of runs that ended elsewhere, with their results, marked as brought
     * by `importedBy`, and any new devices. The same results again, in another file too, return the
     * first sweep that has them.
     */
    async import(input: SweepImport): Promise<SweepImported> {
      const { id, isNew } = await importSweep(db, input);
      const sweep = await get(id);
      if (!sweep) throw new Error(`Sweep ${id} was deleted while it was imported.`);
      return { id, counts: sweep.counts, isNew };
    },

    /** Those that are listed for everybody, and for who asks. */
    async list(
      cursor?: string,
      filter: SweepFilter = {},
      asker: Asker = null,
    ): Promise<Page<Sweep>> {
      const rows = await db.sweep.findMany({
        where: {
          ...(cursor && { id: { lt: cursor } }),
          AND: [...wheresOf(filter), listedFor(asker)],
        },
        orderBy: { id: 'desc' },
        take: PAGE_SIZE + 1,
      });
      const { items, nextCursor } = pageOf(rows, (row) => row.id);
      return { items: await sweepViews(db, items), nextCursor };
    },

    /** The fastest run in each unit of each of these sweeps, by id, as `byPlace` orders them. */
    async fastest(ids: readonly string[]): Promise<ReadonlyMap<string, readonly FastestRun[]>> {
      const rows = await db.$queryRaw<
        {
          sweepId: string;
          op: OpId;
          shape: string;
          dtype: Dtype;
          kernel: string;
          isRanked: boolean;
          medianNs: number;
        }[]
      >`
        SELECT run."sweepId", run."op", run."shape", run."dtype", run."kernel",
          result."unranked" IS NULL AS "isRanked", min(result."medianNs") AS "medianNs"
        FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
        WHERE run."sweepId" = ANY(${[...ids]}) AND run."state" = 'measured'
        GROUP BY 1, 2, 3, 4, 5, 6`;
      const placed = rows
        .filter(isKnownProblem)
        .map(({ isRanked, kernel, medianNs, sweepId, ...row }) => {
          const { unit, value } = rateOf(parseProblem(row), medianNs);
          return { sweepId, kernel, isRanked, rate: value, unit };
        })
        .toSorted(byPlace);
      return new Map(
        [...group(placed, ({ sweepId }) => sweepId)].map(([id, runs]) => [
          id,
          [...group(runs, ({ unit }) => unit).values()].flatMap((alike) => alike.slice(0, 1)),
        ]),
      );
    },

    async results(id: string, cursor?: string): Promise<Page<RunResult>> {
      const after = cursor === undefined ? -1 : Number(cursor);
      if (cursor !== undefined && !(/^\d+$/.test(cursor) && after <= LAST_ORDINAL)) {
        throw new InputError(`'${cursor}' is not a cursor of this list.`, 'cursor');
      }
      const page = await db.$queryRaw<{ ordinal: number; samplesBefore: number }[]>`
        SELECT run."ordinal", coalesce(sum(
          cardinality(result."coldSamplesNs") + cardinality(result."hotSamplesNs"))
          OVER (ORDER BY run."ordinal" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)::int
          AS "samplesBefore"
        FROM (SELECT "id", "ordinal" FROM "Run" WHERE "sweepId" = ${id} AND "ordinal" > ${after}
          ORDER BY "ordinal" LIMIT ${PAGE_SIZE + 1}) AS run
        LEFT JOIN "Result" AS result ON result."runId" = run."id" ORDER BY run."ordinal"`;
      const fitting = page.filter(({ samplesBefore }) => samplesBefore < SAMPLES_PER_PAGE);
      const { items, nextCursor } = pageOf(fitting, ({ ordinal }) => String(ordinal));
      const last = items.at(-1);
      const more = fitting.length < page.length && last ? String(last.ordinal) : nextCursor;
      const rows = await db.run.findMany({
        where: { sweepId: id, ordinal: { in: items.map(({ ordinal }) => ordinal) } },
        orderBy: { ordinal: 'asc' },
        include: RUN_VIEW,
      });
      return { items: rows.filter(isKnownProblem).map(runResult), nextCursor: more };
    },

    /** The columns that its results have beside those of every result. */
    async kinds(id: string): Promise<ResultKinds> {
      const [row] = await db.$queryRaw<ResultKinds[]>`
        SELECT array(SELECT DISTINCT "op" FROM "Run" WHERE "sweepId" = ${id} ORDER BY 1) AS "ops",
          array(SELECT DISTINCT jsonb_object_keys("tunables") FROM "Run"
            WHERE "sweepId" = ${id} ORDER BY 1) AS "tunables"`;
      return row ?? { ops: [], tunables: [] };
    },

    /** Where its runs stand in the queues of their devices. */
    waiting: (id: string) => waitingOf(db, [id]),

    /** The first runs of a sweep, in its order, without samples. */
    runs: (id: string, limit: number) => runViewsOf(db, id, limit),

    /**
     * Ends a sweep; runs that had not begun are dropped. The worker of one already claimed stops at its
     * next heartbeat; a result that comes before then is recorded. Null: no such sweep.
     */
    async cancel(id: string, note?: AuditNote): Promise<Sweep | null> {
      await db.$transaction(async (tx) => {
        const { count } = await tx.sweep.updateMany({
          where: {
            id,
            cancelledAt: null,
            OR: [{ runs: { some: OPEN } }, UNDECIDED],
          },
          data: { cancelledAt: new Date() },
        });
        if (count === 0) return;
        await tx.run.deleteMany({ where: { sweepId: id, state: 'pending' } });
        await notifySweep(tx, id);
        await noted(tx, note, id);
      });
      return get(id);
    },

    /**
     * Puts runs that `failed` back to pending, but for those whose kernel does not compile; returns
     * them to be queued again. Null: no such sweep. Throws InputError if the sweep was cancelled, or
     * if no failed run could end otherwise.
     */
    async retryFailed(id: string, note?: AuditNote) {
      return db.$transaction(async (tx) => {
        const sweep = await tx.sweep.findUnique({ where: { id } });
        if (!sweep) return null;
        if (sweep.cancelledAt) {
          throw new InputError('The sweep was cancelled: submit it again instead.', 'id');
        }
        const runs = await tx.$queryRaw<{ id: string; deviceKey: string }[]>`
          UPDATE "Run" AS r
          SET "state" = 'pending', "workerId" = NULL, "attempts" = 0,
              "retriedFrom" = "endedAt", "endedAt" = NULL
          WHERE r."sweepId" = ${id} AND r."state" = 'failed' AND NOT EXISTS (
            SELECT FROM "Result" AS result
            WHERE result."runId" = r."id" AND (result."outcome"->>'stage' = ${KERNEL_STAGE}
              -- Its losses are counted, and would be forgotten.
              OR result."outcome"->>'stage' = 'device' AND strpos(r."kernel", '@') > 0))
          RETURNING r."id", r."deviceKey"`;
        if (runs.length === 0 && (await tx.run.count({ where: { sweepId: id, state: 'failed' } })))
          throw new InputError(
            'The failed runs did not compile, or a contributed kernel cost a device: correct the kernel, then submit it as a new sweep.',
            'id',
          );
        await tx.result.deleteMany({ where: { runId: { in: runs.map((run) => run.id) } } });
        if (runs.length > 0) {
          await notifySweep(tx, id);
          await noted(tx, note, id);
        }
        return runs;
      });
    },

    /** Ids of sweeps started here for a suite, for example `starter@1`, on a device. */
    async ofSuite(suite: string, deviceKey: string): Promise<string[]> {
      const rows = await db.sweep.findMany({
        where: {
          suite,
          deviceKeys: { has: deviceKey },
          // An imported file asked nothing of the grid: its device still gets the suite.
          ...NOT_IMPORTED,
        },
        orderBy: { id: 'desc' },
        select: { id: true },
      });
      return rows.map((row) => row.id);
    },

    /** Of devices that tokens attached, whose suites may be held back: the suites that each has had. */
    async suitesOfStrangers(deviceKeys: readonly string[]): Promise<Map<string, Set<string>>> {
      const among = [...deviceKeys];
      const strangers = await db.device.findMany({
        where: { key: { in: among }, ownedBy: { not: OPERATOR } },
        select: { key: true },
      });
      const had = new Map(strangers.map(({ key }) => [key, new Set<string>()]));
      const sweeps = await db.sweep.findMany({
        where: { suite: { not: null }, deviceKeys: { hasSome: [...had.keys()] }, ...NOT_IMPORTED },
        select: { suite: true, deviceKeys: true },
      });
      for (const { deviceKeys: keys, suite } of sweeps) {
        for (const key of keys) had.get(key)?.add(suite ?? '');
      }
      return had;
    },
  };
}

/** What a request asked for, of a tuning without what was drawn or found when it began. */
const askedText = ({
  name,
  spec,
  suite,
  tuning,
}: Pick<SweepRow | SweepInput, 'name' | 'spec' | 'suite' | 'tuning'>): string => {
  const search = tuning && { ...toJson(tuning as object), seed: null, skipped: null };
  return canonicalJson({ name, suite, spec: toJson(spec as object), search: search ?? null });
};

const OPEN = { state: { in: ['pending', 'running'] } } satisfies Prisma.RunWhereInput;

/** Failed, and may end otherwise. */
const RETRIABLE = {
  state: 'failed',
  result: { is: { NOT: { outcome: { path: ['stage'], equals: KERNEL_STAGE } } } },
  NOT: {
    kernel: { contains: '@' },
    result: { is: { outcome: { path: ['stage'], equals: 'device' } } },
  },
} satisfies Prisma.RunWhereInput;

/** A tuning with nothing to run for the moment: it is about to grow. */
const UNDECIDED = {
  tuning: { not: Prisma.DbNull },
  decision: { equals: Prisma.DbNull },
} satisfies Prisma.SweepWhereInput;

function wheresOf({ find, state }: SweepFilter): Prisma.SweepWhereInput[] {
  const text = find && ({ contains: find, mode: 'insensitive' } as const);
  return [
    ...(text ? [{ OR: [{ name: text }, { suite: text }] }] : []),
    ...(state === 'open' ? [{ cancelledAt: null, OR: [{ runs: { some: OPEN } }, UNDECIDED] }] : []),
    ...(state === 'done' ? [{ cancelledAt: null, runs: { none: OPEN }, NOT: UNDECIDED }] : []),
    ...(state === 'cancelled' ? [{ cancelledAt: { not: null } }] : []),
    ...(state === 'imported' ? [{ NOT: NOT_IMPORTED }] : []),
    // Those that `retryFailed` would put runs of back.
    ...(state === 'failed'
      ? [{ cancelledAt: null, runs: { some: RETRIABLE }, AND: NOT_IMPORTED }]
      : []),
  ];
}

type SweepRow = Prisma.SweepGetPayload<object>;

/** Sweeps as they are shown; one query counts the runs of all of them, two more look at tunings. */
export async function sweepViews(
  db: PrismaClient | Prisma.TransactionClient,
  rows: readonly SweepRow[],
): Promise<Sweep[]> {
  const groups = await db.run.groupBy({
    by: ['sweepId', 'state'],
    where: { sweepId: { in: rows.map((row) => row.id) } },
    _count: true,
    _max: { endedAt: true },
    _min: { claimedAt: true },
  });
  const tunings = await tuningViews(db, rows);
  return rows.map((row) =>
    sweepView(
      row,
      groups.filter(({ sweepId }) => sweepId === row.id),
      tunings.get(row.id) ?? null,
    ),
  );
}

/** Runs of a sweep in one state. */
interface InState {
  readonly state: Prisma.RunGetPayload<object>['state'];
  readonly _count: number;
  readonly _max: { readonly endedAt: Date | null };
  readonly _min: { readonly claimedAt: Date | null };
}

/** A worker takes its next run within this. */
const BETWEEN_RUNS_MS = 30_000;

function sweepView(row: SweepRow, states: readonly InState[], tuning: Tuning | null): Sweep {
  const { id, name, suite, createdAt, createdBy, createdById, cancelledAt } = row;
  const countOf = (state: InState['state']) =>
    states.find((group) => group.state === state)?._count ?? 0;
  const running = countOf('running');
  const counts = {
    total: sum(states, ({ _count }) => _count),
    pending: countOf('pending') + running,
    measured: countOf('measured'),
    skipped: countOf('skipped'),
    incorrect: countOf('incorrect'),
    failed: countOf('failed'),
  };
  const endedAt = max(states, ({ _max }) => _max.endedAt ?? undefined) ?? null;
  const startedAt = min(states, ({ _min }) => _min.claimedAt ?? undefined) ?? null;
  // A tuning grows until it is decided; it is about to where nothing of it is left to run.
  const isAboutToGrow = counts.pending === 0 && tuning !== null && tuning.decision === null;
  const isOver = counts.pending === 0 && !isAboutToGrow;
  const status = cancelledAt
    ? 'cancelled'
    : isOver
      ? 'done'
      : isAboutToGrow ||
          running > 0 ||
          (endedAt && Date.now() - endedAt.getTime() < BETWEEN_RUNS_MS)
        ? 'running'
        : 'queued';
  // The runs of an import ended before their sweep was made.
  const lastAt = endedAt && endedAt > createdAt ? endedAt : createdAt;
  const finishedAt = cancelledAt ?? (isOver ? lastAt : null);
  return {
    id,
    name,
    suite,
    status,
    counts,
    spec: fromJson(row.spec),
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    createdBy,
    createdById,
    isImported: isImported(row),
    measuredAt: isImported(row) ? (endedAt?.toISOString() ?? null) : null,
    tuning,
  };
}
