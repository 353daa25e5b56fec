import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { ifValid, parseProblem, parseVariant } from '@tilemark/kernels';
import { createLRU } from 'lru.min';
import type { Environment } from '../../../measure/device';
import { METHODOLOGY_VERSION } from '../../../measure/outcome';
import type { RooflineSurvey } from '../../../measure/roofline';
import {
  asDueled,
  errorOf,
  latest,
  type Observation,
  observationsOf,
} from '../../../tune/evidence';
import { Selector } from '../../../tune/selector';
import {
  type Kind,
  type Learned,
  learnedFrom,
  shippedBeside,
  shippedFor,
} from '../../../tune/shipped-evidence';
import { STANDING } from '../columns';
import { fromJson } from '../database';
import { duelsOn } from './duels';

/** The selector of a device, and the state of the results that it is from. */
export interface LearnedHere {
  readonly learned: Learned;
  readonly version: string;
}

/** The times of a device on this grid: the times, ranked or of quick policies, as the tuner's. */
const quotedTimes = (deviceKey: string, { op, dtype, profile }: Kind): Prisma.Sql =>
  Prisma.sql`(
  SELECT DISTINCT ON (best."shape", best."address") best.* FROM "VariantBest" AS best
  WHERE best."deviceKey" = ${deviceKey} AND best."op" = ${op} AND best."dtype" = ${dtype}
    AND best."profile" = ${profile}::"Profile" AND best."methodology" = ${METHODOLOGY_VERSION}::int
    AND NOT best."contributed" AND best."standing" IN (${STANDING.ranked}, ${STANDING.quick})
  ORDER BY best."shape", best."address", best."methodology" DESC) AS quoted`;

/** The selectors of devices, by device and kind: a selector of a surveyed device is some 10 MB. */
const learnt = createLRU<string, Learned>({ max: 20 });

/**
 * The times of a device on this grid, with those that ship for such devices; where both have a time, the
 * grid's counts. Null: neither has any.
 */
export async function learnedOn(
  db: PrismaClient,
  key: string,
  kind: Kind,
): Promise<LearnedHere | null> {
  const { op, dtype, profile } = kind;
  const shipped = shippedFor({ key }, kind);
  const from = quotedTimes(key, kind);
  const [now] = await db.$queryRaw<{ count: number; newest: string; rows: string }[]>`
    ${PREPARED} SELECT count(*)::int AS "count", max("resultId") AS "newest",
      concat_ws(' ', count(*), max("resultId"), sum("medianNs"), sum("highNs")) AS "rows" FROM ${from}`;
  if (!now || now.count === 0) {
    return shipped && { learned: learnedFrom(shipped, profile), version: 'shipped' };
  }
  const [duels] = await db.$queryRaw<{ rows: string }[]>`
    ${PREPARED} SELECT concat_ws(' ', count(*), max(result."id")) AS "rows"
    FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."deviceKey" = ${key} AND run."rival" IS NOT NULL AND run."op" = ${op}
      AND run."dtype" = ${dtype} AND run."profile" = ${profile}::"Profile" AND result."trusted"`;
  const roof = await db.roof.findUnique({
    where: { deviceKey_profile: { deviceKey: key, profile } },
  });
  const version = [now.rows, duels?.rows, roof?.measuredAt.toISOString()].join(' ');
  const place = [key, op, dtype, profile, version].join(' ');
  const known = learnt.get(place);
  if (known) return { learned: known, version };
  const { rows, newest } = await timesOf(db, key, kind, now.newest);
  const measured = latest(rows);
  const learned: Learned = {
    selector: new Selector(
      latest([...(shipped ? observationsOf(shipped, profile) : []), ...measured]),
      shipped ? shippedBeside(shipped) : undefined,
    ),
    device: newest.run.device.name,
    vendor: newest.run.device.vendor,
    driver: fromJson<Environment>(newest.environment.content).driver,
    measuredAt: newest.endedAt.toISOString(),
    profile,
    roofline: roof ? fromJson<RooflineSurvey>(roof.content) : shipped?.roofline,
    tried: [...new Set(measured.map(({ address }) => address))].map(parseVariant),
  };
  learnt.set(place, learned);
  return { learned, version };
}

/** The times of a device, those of duels as far apart as these found them. */
async function timesOf(db: PrismaClient, key: string, kind: Kind, newestId: string) {
  const rows = await db.$queryRaw<
    {
      shape: string;
      address: string;
      resultId: string;
      standing: number;
      medianNs: number;
      lowNs: number;
      highNs: number;
    }[]
  >`
    SELECT "shape", "address", "resultId", "standing", "medianNs", "lowNs", "highNs"
    FROM ${quotedTimes(key, kind)}`;
  const newest = await db.result.findUniqueOrThrow({
    where: { id: newestId },
    select: { endedAt: true, run: { select: { device: true } }, environment: true },
  });
  const times = rows.flatMap((row): Observation[] => {
    const variant = ifValid(() => parseVariant(row.address));
    if (!variant) return [];
    const { medianNs: ns, resultId, shape, standing } = row;
    const problem = parseProblem({ op: kind.op, shape, dtype: kind.dtype });
    const source = standing === STANDING.ranked ? 'measured' : 'searched';
    return [{ problem, address: variant.address, ns, error: errorOf(row), source, resultId }];
  });
  return { rows: asDueled(times, await duelsOn(db, key, kind), 'least'), newest };
}
