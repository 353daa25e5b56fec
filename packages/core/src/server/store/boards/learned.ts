import { PREPARED, Prisma, type PrismaClient } from '@tilemark/db';
import { ifValid, parseProblem, parseVariant } from '@tilemark/kernels';
import type { Environment } from '../../../measure/device';
import { COMPARABLE_SINCE } from '../../../measure/outcome';
import type { RooflineSurvey } from '../../../measure/roofline';
import { asDueled, latest, type Observation, observationsOf } from '../../../tune/evidence';
import { Selector } from '../../../tune/selector';
import { type Learned, shippedBeside, shippedFor } from '../../../tune/shipped-evidence';
import type { Point } from '../../../tune/space';
import { isQuotable, roofsFor } from '../../gate/parties';
import { fromJson } from '../database';
import { duelsHere } from './duels';
import { PROVEN_NS } from './headlines';
import type { Asked } from './shipped-variant';

/** What the selector learned of a device, the results of this grid among it. */
export interface LearnedHere extends Learned {
  /** The variants that this grid has measured there. */
  readonly tried: readonly Point[];
}

/** What a device has shown here: the quotable times, ranked or of quick policies, as the tuner's. */
const quotedTimes = (
  { key, ownedBy }: { readonly key: string; readonly ownedBy: string | null },
  { problem: { op, dtype }, profile }: Asked,
): Prisma.Sql => Prisma.sql`(
  SELECT DISTINCT ON (best."shape", best."address") best.* FROM "VariantBest" AS best
  JOIN "Result" AS result ON result."id" = best."resultId"
  WHERE best."deviceKey" = ${key} AND best."op" = ${op} AND best."dtype" = ${dtype}
    AND best."profile" = ${profile}::"Profile" AND best."methodology" >= ${COMPARABLE_SINCE}::int
    AND strpos(best."kernel", '@') = 0
    AND best."standing" IN (0, 1, 3) AND ${isQuotable('result', ownedBy)}
  ORDER BY best."shape", best."address", best."methodology" DESC) AS quoted`;

const kindOf = ({ problem: { op, dtype }, profile }: Asked) => ({ op, dtype, profile });

/** The last selector of each device, op, dtype and profile, and the rows it was fitted to. */
const fitted = new Map<string, { readonly rows: string; readonly learned: LearnedHere }>();

/** Selectors that are kept: one of a surveyed device is some 10 MB. */
const MOST_FITTED = 20;

/**
 * The selector of a device, from what this grid has measured on it together with what ships for
 * such devices; where both have a time, the grid's counts. Null without any result here.
 */
export async function learnedHere(
  db: PrismaClient,
  device: { readonly key: string; readonly ownedBy: string | null },
  asked: Asked,
): Promise<LearnedHere | null> {
  const { problem, profile } = asked;
  const from = quotedTimes(device, asked);
  const [now] = await db.$queryRaw<{ count: number; newest: string; rows: string }[]>`
    ${PREPARED} SELECT count(*)::int AS "count", max("resultId") AS "newest",
      concat_ws(' ', count(*), max("resultId"), sum("medianNs")) AS "rows" FROM ${from}`;
  if (!now || now.count === 0) return null;
  const place = [device.key, problem.op, problem.dtype, profile].join(' ');
  const last = fitted.get(place);
  const roofs = await db.roof.findMany({ where: { deviceKey: device.key, profile } });
  const [roof] = roofsFor(roofs, device.ownedBy);
  const surveyed = roof ? fromJson<RooflineSurvey>(roof.content) : undefined;
  if (last?.rows === now.rows) {
    return surveyed ? { ...last.learned, roofline: surveyed } : last.learned;
  }
  const rows = await db.$queryRaw<{ shape: string; address: string; ns: number }[]>`
    SELECT "shape", "address", ${PROVEN_NS} AS "ns" FROM ${from}`;
  const newest = await db.result.findUniqueOrThrow({
    where: { id: now.newest },
    select: { endedAt: true, run: { select: { device: true } }, environment: true },
  });
  const timed = rows.flatMap(({ shape, address, ns }): Observation[] => {
    const variant = ifValid(() => parseVariant(address));
    if (variant?.definition.runsOn !== 'gpu') return [];
    return [{ problem: parseProblem({ ...problem, shape }), address: variant.address, ns }];
  });
  if (timed.length === 0) return null;
  const addresses = [...new Set(rows.map(({ address }) => address))];
  const duels = await duelsHere(db, device, kindOf(asked), addresses);
  const measured = asDueled(timed, duels, 'least');
  const shipped = shippedFor({ key: device.key }, { ...problem, profile });
  const learned: LearnedHere = {
    selector: new Selector(
      latest([...(shipped ? observationsOf(shipped, profile) : []), ...measured]),
      shipped ? shippedBeside(shipped) : undefined,
    ),
    device: newest.run.device.name,
    driver: fromJson<Environment>(newest.environment.content).driver,
    measuredAt: newest.endedAt.toISOString(),
    profile,
    roofline: surveyed ?? shipped?.roofline,
    measured: shipped?.measured ?? [],
    tried: [...new Set(measured.map(({ address }) => address))].map(parseVariant),
  };
  fitted.delete(place);
  fitted.set(place, { rows: now.rows, learned });
  const [oldest] = fitted.keys();
  if (fitted.size > MOST_FITTED && oldest !== undefined) fitted.delete(oldest);
  return learned;
}
