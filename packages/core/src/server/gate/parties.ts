import { Prisma } from '@tilemark/db';
import type { Profile } from '../../measure/device';
import { METHODOLOGY_VERSION } from '../../measure/outcome';
import { isLost } from '../store/fleet';

/**
 * Whose word a number is. A party is the operator (the grid's own account, and admins) or a token:
 * all workers that one token let in are one party, because what machines call themselves is their
 * own word. A device belongs to the operator or to the party that attached it first; another
 * party's worker of the same model is another machine under it, which does not change its description.
 * A roof is a party's own until the operator has one. What the operator's workers measured needs
 * nobody's agreement; a result of any other party is confirmed once another party's agrees, or an admin does.
 *
 * A result is **quotable** where it may decide what others run: `/best`, the selector, the map, and
 * whatever watches a device quote no other. One that is confirmed is quotable for everybody; for the
 * device itself, so is what its owner measured, ranked or quick.
 */

export const OPERATOR = 'operator';

/** The party that speaks through a worker `w`. */
export const partyOf = (worker: string): Prisma.Sql =>
  Prisma.raw(`party_of_token(${worker}."tokenId")`);

/** Whether a party may say what a device is. */
export const speaksFor = (party: string, ownedBy: string | null): boolean =>
  party === OPERATOR || ownedBy === null || ownedBy === party;

/**
 * The roofs of a device that hold for a party: the operator's, and where it has none the party's own.
 * What another stranger says that the device can do neither lowers nor raises anybody's result.
 */
export const roofsFor = <Row extends { readonly profile: Profile; readonly party: string }>(
  rows: readonly Row[],
  party: string | null,
): Row[] =>
  rows.filter(
    (row) =>
      row.party === OPERATOR ||
      (row.party === party &&
        !rows.some(({ party: by, profile }) => by === OPERATOR && profile === row.profile)),
  );

/** The roofs that are shown of a device: of the operator, else of whoever attached it first. */
export const ownRoofs = <
  Row extends {
    readonly profile: Profile;
    readonly party: string;
    readonly device: { readonly ownedBy: string | null };
  },
>(
  rows: readonly Row[],
): Row[] => roofsFor(rows, rows[0]?.device.ownedBy ?? null);

/**
 * Whether a party's worker that gives up on a `run` of a `device` leaves it to others: the device is not
 * the party's, and a machine of another is there that has not tried the run.
 */
export const isOthersToTry = (party: Prisma.Sql): Prisma.Sql => Prisma.sql`(
  coalesce(device."ownedBy", '') NOT IN ('', ${party}) AND ${party} <> ${OPERATOR} AND EXISTS (
    SELECT FROM "Worker" AS other WHERE other."deviceKey" = run."deviceKey"
      AND NOT ${isLost('other')} AND ${partyOf('other')} <> ${party}
      AND ${partyOf('other')} <> ALL (run."declinedBy")))`;

/**
 * Whether a row of "Result" is quotable.
 *
 * @param ownedBy of its device, where it decides for that device alone; null: for any device
 */
export const isQuotable = (result: string, ownedBy: string | Prisma.Sql | null): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${result}."${name}"`);
  return Prisma.sql`(${column('confirmedBy')} IS NOT NULL
    OR coalesce(${column('party')} = ${ownedBy}, false))`;
};

/** The owner of a `device`, where it is a member. */
export const MEMBER_OWNER = Prisma.sql`(
  SELECT "id" FROM "Token" WHERE "id" = device."ownedBy" AND "role" = 'member')`;

/** `isQuotable`, as Prisma asks it. */
export const quotable = (ownedBy: string | null) =>
  ({
    OR: [{ confirmedBy: { not: null } }, ...(ownedBy === null ? [] : [{ party: ownedBy }])],
  }) satisfies Prisma.ResultWhereInput;

/** Two medians agree within this part of the greater. */
const AGREES_WITHIN = 0.02;

const BY_ANOTHER = 'another machine of the model';
export const byAdmin = (name: string): string => `admin ${name}`;

/**
 * Confirms those of the results, and of the others, that agree: of two parties, ranked, on the same
 * work of the same model, within 2%. Returns those that were confirmed.
 */
export async function confirmAgreeing(
  tx: Prisma.TransactionClient,
  resultIds: readonly string[],
): Promise<string[]> {
  const ranked = Prisma.sql`"unranked" IS NULL
    AND ("outcome"->'measurement'->>'methodologyVersion')::int = ${METHODOLOGY_VERSION}`;
  const sameWork = (a: string, b: string) =>
    Prisma.raw(
      ['deviceKey', 'address', 'shape', 'op', 'dtype', 'profile']
        .map((column) => `${a}."${column}" = ${b}."${column}"`)
        .join(' AND '),
    );
  // A file may bring one work a thousand times: what others have of it is looked up once.
  const rows = await tx.$queryRaw<{ id: string }[]>`
    WITH mine AS MATERIALIZED (
      SELECT result."id", result."medianNs", result."party", result."coldSamplesNs",
        run."deviceKey", run."address", run."shape", run."op", run."dtype", run."profile"
      FROM "Result" AS result JOIN "Run" AS run ON run."id" = result."runId"
      WHERE result."id" = ANY(${[...resultIds]}) AND "medianNs" IS NOT NULL AND ${ranked}),
    work AS (
      SELECT DISTINCT "deviceKey", "address", "shape", "op", "dtype", "profile", "party" FROM mine),
    other AS MATERIALIZED (
      SELECT work.*, result."id", result."medianNs", result."coldSamplesNs"
      FROM work JOIN "Run" AS run ON ${sameWork('run', 'work')} AND run."state" = 'measured'
      JOIN "Result" AS result ON result."runId" = run."id" AND result."party" <> work."party"
        AND ${ranked}),
    pair AS (
      SELECT mine."id" AS "mine", other."id" AS "other"
      FROM mine JOIN other ON ${sameWork('mine', 'other')} AND mine."party" = other."party"
        AND other."medianNs" BETWEEN mine."medianNs" * ${1 - AGREES_WITHIN}::float8
          AND mine."medianNs" / ${1 - AGREES_WITHIN}::float8
        AND other."coldSamplesNs" <> mine."coldSamplesNs")
    UPDATE "Result" SET "confirmedBy" = ${BY_ANOTHER}
    WHERE "confirmedBy" IS NULL
      AND "id" IN (SELECT "mine" FROM pair UNION SELECT "other" FROM pair)
    RETURNING "id"`;
  return rows.map(({ id }) => id);
}
