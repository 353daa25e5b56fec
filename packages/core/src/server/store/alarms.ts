import { Prisma, type PrismaClient } from '@tilemark/db';
import {
  ifValid,
  isKnownProblem,
  parseProblem,
  parseVariant,
  type Variant,
} from '@tilemark/kernels';
import { group } from 'd3-array';
import {
  deviceClassSchema,
  type Environment,
  type Profile,
  sharesHost,
} from '../../measure/device';
import { METHODOLOGY_VERSION } from '../../measure/outcome';
import { changesIn, type Occasion } from '../../rank/alarms';
import { type Headline, turnsPrior } from '../../rank/headline';
import { type Alarm, type Software, softwareOf } from '../../view/alarm';
import type { Page } from '../../view/answer';
import type { DeviceRef } from '../../view/device';
import { isQuotable, MEMBER_OWNER, OPERATOR } from '../gate/parties';
import { sourceHashOf } from '../gate/reasons';
import { noted, type Principal } from './audit';
import { type RunColumns, spreadOf } from './boards/headlines';
import { PAGE_SIZE, pageOf } from './database';
import { deviceRefOf } from './fleet';
import { OF_SENTINEL } from './visits';

/**
 * Alarms, derived from the results that are stored: the sentinel's runs say what became slower or
 * faster (rank/alarms.ts), and every run what is wrong. Only results count that the operator measured or
 * that are confirmed; those of a device's owner for that device and, if the owner is a member, for
 * everybody. Machines of one model and sources of one kernel have histories of their own.
 */

/** What is older alarms nobody, in days. */
const KEPT_DAYS = 400;

interface Row extends RunColumns, Occasion, Pick<Environment, 'driver' | 'runtimeVersions'> {
  readonly recordedAt: Date;
  readonly sweepId: string;
  /** The same after a restart of its process. */
  readonly workerId: string;
  readonly sourceHash: string | null;
  readonly state: 'measured' | 'incorrect';
  /** Times that it was faster than its control, by turns, with the interval; null: it had none. */
  readonly ratio: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly device: DeviceRef;
  readonly tunables: Variant['tunables'];
}

/**
 * Results that count, oldest first.
 *
 * @param deviceKey null: the alarms of all devices, as the public feed shows them
 */
function rowsOf(db: PrismaClient, which: Prisma.Sql, deviceKey: string | null): Promise<Row[]> {
  const owner = deviceKey === null ? MEMBER_OWNER : Prisma.sql`device."ownedBy"`;
  return db.$queryRaw<Row[]>`
    SELECT result."id" AS "resultId", result."recordedAt", r."sweepId", r."state"::text,
      coalesce(result."outcome"->>'invocation', result."outcome"->'measurement'->>'invocation',
        result."workerId") AS "invocation",
      result."workerId", result."sourceHash", result."medianNs", result."lowNs", result."highNs",
      (duel."of"->>'ratio')::float8 AS "ratio", (duel."of"->>'low')::float8 AS "low",
      (duel."of"->>'high')::float8 AS "high", r."deviceKey", ${deviceRefOf('device')},
      r."op", r."dtype", r."shape", r."kernel", r."tunables", r."address", r."profile"::text,
      environment."content"->>'driver' AS "driver",
      environment."content"->'runtimeVersions' AS "runtimeVersions"
    FROM "Run" AS r JOIN "Sweep" AS s ON s."id" = r."sweepId"
    JOIN "Device" AS device ON device."key" = r."deviceKey"
    JOIN "Result" AS result ON result."runId" = r."id" AND result."importedBy" IS NULL
    JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
    CROSS JOIN LATERAL (
      SELECT result."outcome"->'measurement'->'duel'->'duel' AS "of") AS duel
    WHERE ${which} AND (${deviceKey}::text IS NULL OR r."deviceKey" = ${deviceKey})
      AND (result."party" = ${OPERATOR} OR ${isQuotable('result', owner)})
      AND result."recordedAt" > now() - make_interval(days => ${KEPT_DAYS}::int)
    ORDER BY result."id"`;
}

/** Classes of devices whose machine does other work on them. */
const SHARED = deviceClassSchema.options.filter(sharesHost);

/**
 * Times of the sentinel that are ranked, and on shared devices all that took turns: the load for which
 * a series by itself is not ranked slows the control, too.
 */
const TIMED = Prisma.sql`${OF_SENTINEL} AND r."state" = 'measured'
  AND (result."unranked" IS NULL OR device."class"::text = ANY (${SHARED}::text[]))
  AND (result."outcome"->'measurement'->>'methodologyVersion')::int = ${METHODOLOGY_VERSION}`;

/** What was wrong, of our kernels. */
const WRONG = Prisma.sql`r."state" = 'incorrect' AND strpos(r."kernel", '@') = 0`;

/** What the audit list says of an alarm that went to the webhook. */
const SENT = 'sendAlarm';
const THE_GRID: Principal = { tokenId: 'tilemark', name: 'tilemark', role: 'admin' };
/** An older alarm is no news to a webhook that is set up later, days. */
const SENT_WITHIN_DAYS = 7;
/** Longer than an answer is waited for, ms. */
const SEND_WITHIN_MS = 30_000;

export interface AlarmQuery {
  readonly cursor?: string | undefined;
  readonly device?: string | undefined;
}

export function alarmsOf(db: PrismaClient) {
  /** Newest first. */
  const all = async (deviceKey: string | null = null): Promise<Alarm[]> => {
    const [timed, wrong] = await Promise.all([
      rowsOf(db, TIMED, deviceKey),
      rowsOf(db, WRONG, deviceKey),
    ]);
    const alarms = [...(await timeAlarms(db, timed)), ...wrongAlarms(wrong)];
    return alarms.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  };
  return {
    all,

    /** Newest first, a page at a time. */
    async list({ cursor, device }: AlarmQuery = {}): Promise<Page<Alarm>> {
      const alarms = await all(device ?? null);
      const older = alarms.filter(({ id }) => cursor === undefined || id < cursor);
      return pageOf(older.slice(0, PAGE_SIZE + 1), ({ id }) => id);
    },

    /** Those of the last days that were not sent to the webhook, oldest first. */
    async unsent(): Promise<Alarm[]> {
      const sinceMs = Date.now() - SENT_WITHIN_DAYS * 86_400_000;
      const recent = (await all()).filter(({ at }) => Date.parse(at) >= sinceMs);
      const sent = await db.audit.findMany({
        where: { action: SENT, subject: { in: recent.map(({ id }) => id) } },
        select: { subject: true },
      });
      const known = new Set(sent.map(({ subject }) => subject));
      return recent.filter(({ id }) => !known.has(id)).reverse();
    },

    /**
     * Sends an alarm unless it was sent, or another process is sending it: then false. The entry in
     * the audit list tells that it was.
     */
    send: (id: string, post: () => Promise<void>): Promise<boolean> =>
      db.$transaction(
        async (tx) => {
          const [row] = await tx.$queryRaw<{ isFree: boolean }[]>`
            SELECT pg_try_advisory_xact_lock(hashtextextended(${`alarm ${id}`}, 0)) AS "isFree"`;
          const sent = await tx.audit.count({ where: { action: SENT, subject: id } });
          if (!row?.isFree || sent > 0) return false;
          await post();
          await noted(tx, { action: SENT, by: THE_GRID }, id);
          return true;
        },
        { timeout: SEND_WITHIN_MS },
      ),

    /** Whether the newest occasion of any variant of a device stands out by itself. */
    async isSuspect(deviceKey: string): Promise<boolean> {
      const watched = await watchedOn(db, await rowsOf(db, TIMED, deviceKey));
      return watched.some(({ isSuspect }) => isSuspect);
    },
  };
}

/**
 * The variants that are known to be wrong on a device under the software that it has now, as this
 * release writes them.
 */
export async function knownWrong(
  db: PrismaClient,
  deviceKey: string,
  {
    dtype,
    op,
    profile,
  }: { readonly op: string; readonly dtype: string; readonly profile: Profile },
): Promise<ReadonlySet<string>> {
  const asked = Prisma.sql`r."op" = ${op} AND r."dtype" = ${dtype}
    AND r."profile" = ${profile}::"Profile"`;
  const rows = await rowsOf(db, Prisma.sql`${WRONG} AND ${asked}`, deviceKey);
  if (rows.length === 0) return new Set();
  const now = await softwareOn(db, deviceKey);
  const current = rows.filter((row) => isSame(softwareOf(row), now) && isOfRelease(row));
  // As this release writes them: an older one may have known fewer tunables.
  return new Set(
    wrongAlarms(current).flatMap(
      ({ address }) => ifValid(() => parseVariant(address))?.address ?? [],
    ),
  );
}

/** Whether it ran what this release writes for the variant. */
const isOfRelease = (row: Row): boolean =>
  row.sourceHash === null || row.sourceHash === ifValid(() => sourceHashOf(row, parseProblem(row)));

/** The software of the newest result of a device; null: it has none. */
async function softwareOn(db: PrismaClient, deviceKey: string): Promise<Software | null> {
  const [row] = await db.$queryRaw<Pick<Environment, 'driver' | 'runtimeVersions'>[]>`
    SELECT environment."content"->>'driver' AS "driver",
      environment."content"->'runtimeVersions' AS "runtimeVersions"
    FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
      AND result."importedBy" IS NULL
    JOIN "Environment" AS environment ON environment."hash" = result."environmentHash"
    WHERE r."deviceKey" = ${deviceKey}
    ORDER BY result."id" DESC LIMIT 1`;
  return row ? softwareOf(row) : null;
}

export const isSame = (a: Software | null, b: Software | null): boolean =>
  a?.driver === b?.driver && a?.runtime === b?.runtime;

/** The rows of each variant, problem and profile, per machine and source. */
function watchedVariants(rows: readonly Row[]): Row[][] {
  const variants = group(rows.filter(isKnownProblem), (row) => {
    const { address, dtype, op, profile, shape, sourceHash, workerId } = row;
    return [workerId, sourceHash, op, dtype, shape, profile, address].join(' ');
  });
  return [...variants.values()];
}

/**
 * What a row says of its variant: its time or, on a device that the machine shares with other work,
 * its time in those of a control that it took turns with, from which that work takes as much. Null:
 * there is none.
 */
function occasionOf(row: Row): Occasion | null {
  if (!sharesHost(row.device.class)) return row;
  const { high, invocation, low, ratio, resultId } = row;
  if (ratio === null || low === null || high === null) return null;
  return { medianNs: 1 / ratio, lowNs: 1 / high, highNs: 1 / low, invocation, resultId };
}

/**
 * On a device that the machine shares: beside other work, ten quiet visits of llvmpipe differed by
 * 1.43 in the ratio of turns, with an interval from 1.17 to 1.76 (one core, 2026-11-27).
 */
const LEAST_SHARED_CHANGE = 1.5;

/** The changes of each variant. */
async function watchedOn(db: PrismaClient, rows: readonly Row[]): Promise<Watched[]> {
  const found: Watched[] = [];
  for (const [deviceKey, onDevice] of group(rows, (row) => row.deviceKey)) {
    const { class: deviceClass = 'gpu' } = onDevice[0]?.device ?? {};
    const known = sharesHost(deviceClass)
      ? { known: turnsPrior(deviceClass), leastChange: LEAST_SHARED_CHANGE }
      : { known: await spreadOf(db, deviceKey, METHODOLOGY_VERSION), leastChange: 1 };
    for (const variant of watchedVariants(onDevice)) {
      const occasions = variant.flatMap((row) => occasionOf(row) ?? []);
      found.push({ variant, ...changesIn(occasions, known) });
    }
  }
  return found;
}

interface Watched extends ReturnType<typeof changesIn> {
  /** Its rows, oldest first. */
  readonly variant: readonly Row[];
}

async function timeAlarms(db: PrismaClient, rows: readonly Row[]): Promise<Alarm[]> {
  const byId = new Map(rows.map((row) => [row.resultId, row]));
  return (await watchedOn(db, rows)).flatMap(({ changes, variant }) =>
    changes.flatMap((change): Alarm[] => {
      const [first, second] = change.occasions.map(({ resultId }) => byId.get(resultId));
      if (!first || !second) return [];
      const { high, low, ratio } = change.contrast;
      const isOfTimes = !sharesHost(second.device.class);
      return [
        {
          ...alarmOf([first, second], variant[variant.indexOf(first) - 1]),
          kind: change.verdict,
          change: {
            ratio,
            low,
            high,
            before: isOfTimes ? timeOf(change.before) : null,
            after: isOfTimes ? timeOf(change.after) : null,
          },
        },
      ];
    }),
  );
}

const timeOf = ({ highNs, invocations, lowNs, medianNs }: Headline) => ({
  medianNs,
  lowNs,
  highNs,
  invocations,
});

/**
 * Of each variant that was wrong under some software, an alarm once two invocations found it so, on
 * whichever problems.
 */
function wrongAlarms(rows: readonly Row[]): Alarm[] {
  const variants = group(rows.filter(isKnownProblem), (row) => {
    const { address, deviceKey, dtype, op, profile, sourceHash } = row;
    const { driver, runtime } = softwareOf(row);
    return [deviceKey, sourceHash, op, dtype, profile, address, driver, runtime].join(' ');
  });
  return [...variants.values()].flatMap(([first, ...later]): Alarm[] => {
    const second = later.find(({ invocation }) => invocation !== first?.invocation);
    if (!first || !second) return [];
    return [{ ...alarmOf([first, second], undefined), kind: 'INCORRECT', change: null }];
  });
}

function alarmOf(
  [first, second]: readonly [Row, Row],
  before: Row | undefined,
): Omit<Alarm, 'kind' | 'change'> {
  const { address, device, profile, recordedAt, resultId } = second;
  return {
    id: resultId,
    at: recordedAt.toISOString(),
    device,
    address,
    problem: parseProblem(second),
    profile,
    results: [first.resultId, resultId],
    software: softwareOf(second),
    softwareBefore: before ? softwareOf(before) : null,
  };
}
