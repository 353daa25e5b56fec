import { Prisma, type PrismaClient } from '@tilemark/db';
import { type Dtype, isKnownProblem, type OpId, parseProblem, volume } from '@tilemark/kernels';
import type { Profile } from '../../../measure/device';
import type { HeadToHead, PairSide } from '../../../rank/head-to-head';
import type { DeviceRef } from '../../../view/device';
import { deviceRefOf } from '../fleet';
import { byKind } from '../run-view';

const MAX_PAIRS = 500;

interface PairRow {
  readonly op: OpId;
  readonly dtype: Dtype;
  readonly shape: string;
  readonly profile: Profile;
  readonly device: DeviceRef;
  readonly a: PairSide;
  readonly b: PairSide;
}

const sideOf = (alias: string): Prisma.Sql => {
  const row = Prisma.raw(alias);
  return Prisma.sql`jsonb_build_object('resultId', ${row}."resultId", 'address', ${row}."address",
    'medianNs', ${row}."medianNs", 'lowNs', ${row}."lowNs", 'highNs', ${row}."highNs",
    'invocations', ${row}."invocations", 'unranked', ${row}."unranked")`;
};

/**
 * What a browser costs: every variant that was measured on a GPU both natively (`a`) and in a
 * browser (`b`), of the same problem, profile and methodology. Browsers tell a GPU's vendor and
 * architecture, often no more, so those have to be equal. One of the two is the device asked for;
 * `device` of a pair is the other one. Empty where there is none, and for a device that does not
 * tell its architecture.
 */
export async function browserTaxOf(db: PrismaClient, deviceKey: string): Promise<HeadToHead[]> {
  const rows = await db.$queryRaw<PairRow[]>`
    SELECT a."op", a."dtype", a."shape", a."profile"::text, ${deviceRefOf('other')},
      ${sideOf('a')} AS "a", ${sideOf('b')} AS "b"
    FROM "Device" AS asked
    JOIN "Device" AS other ON lower(other."vendor") = lower(asked."vendor")
      AND lower(other."architecture") = lower(asked."architecture") AND asked."architecture" <> ''
      AND (other."class" = 'browser') <> (asked."class" = 'browser')
      AND 'cpu' NOT IN (asked."class"::text, other."class"::text)
    JOIN "VariantBest" AS a
      ON a."deviceKey" = CASE asked."class" WHEN 'browser' THEN other."key" ELSE asked."key" END
    JOIN "VariantBest" AS b
      ON b."deviceKey" = CASE asked."class" WHEN 'browser' THEN asked."key" ELSE other."key" END
      AND (b."op", b."dtype", b."shape", b."profile", b."methodology", b."address")
        = (a."op", a."dtype", a."shape", a."profile", a."methodology", a."address")
    WHERE asked."key" = ${deviceKey}
    ORDER BY a."methodology" DESC LIMIT ${MAX_PAIRS}`;
  const newest = new Map<string, PairRow>();
  for (const row of rows) {
    const place = [row.op, row.dtype, row.shape, row.profile, row.a.address, row.device.key].join();
    if (!newest.has(place)) newest.set(place, row);
  }
  return [...newest.values()]
    .flatMap((row): HeadToHead[] => {
      if (!isKnownProblem(row)) return [];
      const { a, b, device, profile } = row;
      return [{ problem: parseProblem(row), profile, device, a, b }];
    })
    .toSorted(
      (x, y) =>
        byKind(x, y) ||
        x.a.address.localeCompare(y.a.address) ||
        volume(x.problem) - volume(y.problem),
    );
}
