import { Prisma, type PrismaClient } from '@tilemark/db';
import type { Problem } from '@tilemark/kernels';
import type { Profile } from '../../../measure/device';
import { COMPARABLE_SINCE, type Duel } from '../../../measure/outcome';
import { contrast } from '../../../rank/head-to-head';
import type { Interval } from '../../../rank/headline';
import type { Final } from '../../../tune/evidence';
import { proved } from '../../../tune/problem-search';
import { OPERATOR } from '../../gate/parties';
import { isUsual } from '../columns';

/** A duel of two variants that this grid held on a device. */
interface DuelHere extends Final {
  readonly shape: string;
  readonly endedAt: Date;
}

/**
 * The duels of some variants on a device, the newest of each pair and shape, oldest first: of those
 * that the operator or the device's owner held. That others agree with a time says nothing of a duel.
 *
 * @param of what they ran; on one shape alone, if it is given
 */
export async function duelsHere(
  db: PrismaClient,
  { key, ownedBy }: { readonly key: string; readonly ownedBy: string | null },
  {
    op,
    dtype,
    shape,
    profile,
  }: Pick<Problem, 'op' | 'dtype'> & {
    readonly shape?: string;
    readonly profile: Profile;
  },
  addresses: readonly string[],
): Promise<DuelHere[]> {
  const ofShape = shape === undefined ? Prisma.empty : Prisma.sql`AND run."shape" = ${shape}`;
  const rows = await db.$queryRaw<
    { shape: string; address: string; against: string; duel: Duel; endedAt: Date }[]
  >`
    SELECT run."shape", run."address", result."endedAt",
      result."outcome" -> 'measurement' -> 'duel' ->> 'against' AS "against",
      result."outcome" -> 'measurement' -> 'duel' -> 'duel' AS "duel"
    FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."deviceKey" = ${key} AND run."address" = ANY(${[...addresses]}) ${ofShape}
      AND run."op" = ${op} AND run."dtype" = ${dtype} AND run."profile" = ${profile}::"Profile"
      AND run."rival" IS NOT NULL AND run."state" = 'measured' AND ${isUsual('run')}
      AND jsonb_typeof(result."outcome" -> 'measurement' -> 'duel' -> 'duel') = 'object'
      AND (result."outcome" -> 'measurement' ->> 'methodologyVersion')::int >= ${COMPARABLE_SINCE}::int
      AND (result."party" = ${OPERATOR} OR result."party" = ${ownedBy})
    ORDER BY result."endedAt", result."id"`;
  const newest = new Map<string, DuelHere>();
  for (const row of rows) {
    const { address, against, duel, endedAt } = row;
    const found = proved(duel);
    if (!found) continue;
    const pair = [row.shape, ...[address, against].toSorted()].join(' ');
    const { ratio, low, high } = found;
    newest.delete(pair);
    newest.set(pair, { shape: row.shape, a: address, b: against, ratio, low, high, endedAt });
  }
  return [...newest.values()];
}

/** A variant with the interval of its own times. */
export interface Placed extends Interval {
  readonly address: string;
}

/** What decided: `ratio` is that of the winner's speed to that of `against`, with its 95% interval. */
interface Won {
  readonly against: string;
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly measuredAt: string;
}

/**
 * The variant to name where separate times cannot tell some apart: beginning with the one that has
 * the best, whoever beat it in turns, and so on, as the tuner names its winner. Null: no duel changes
 * the first.
 *
 * @param order the one to prefer by its own times first
 */
export function winnerOf(
  order: readonly Placed[],
  duels: readonly DuelHere[],
): { readonly address: string; readonly won: Won } | null {
  const [first] = order;
  if (!first) return null;
  const seen = new Set([first.address]);
  let leader = first;
  let won: Won | null = null;
  for (;;) {
    const next = duels.flatMap((duel) => {
      const beaten = lost(duel, leader.address);
      const by = beaten && order.find(({ address }) => address === beaten.by);
      if (!by || seen.has(by.address)) return [];
      return contrast(leader, by).verdict === 'FAST' ? [] : [{ by, won: beaten.won }];
    })[0];
    if (!next) return won && { address: leader.address, won };
    seen.add(next.by.address);
    leader = next.by;
    won = next.won;
  }
}

/** By whom a variant was beaten in a duel; null: it was not, or had none. */
function lost(
  { a, b, ratio, low, high, endedAt }: DuelHere,
  address: string,
): { readonly by: string; readonly won: Won } | null {
  const measuredAt = endedAt.toISOString();
  if (address === b && ratio > 1) {
    return { by: a, won: { against: b, ratio, low, high, measuredAt } };
  }
  if (address === a && ratio < 1) {
    const turned = { ratio: 1 / ratio, low: 1 / high, high: 1 / low };
    return { by: b, won: { against: a, ...turned, measuredAt } };
  }
  return null;
}
