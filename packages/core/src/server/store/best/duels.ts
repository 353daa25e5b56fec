import type { PrismaClient } from '@tilemark/db';
import type { Duel } from '../../../measure/outcome';
import type { Final } from '../../../tune/evidence';
import { contrastOfDuel } from '../../../tune/problem-search';
import type { Kind } from '../../../tune/shipped-evidence';
import { isUsual } from '../columns';

/** A duel of two variants that this grid held on a device. */
interface DuelHere extends Final {
  readonly shape: string;
}

/** The trusted duels held on a device, the newest of each pair and shape, oldest first. */
export async function duelsOn(
  db: PrismaClient,
  key: string,
  { op, dtype, profile }: Kind,
): Promise<DuelHere[]> {
  const rows = await db.$queryRaw<
    { shape: string; address: string; against: string; duel: Duel }[]
  >`
    SELECT run."shape", run."address",
      result."outcome" -> 'measurement' -> 'duel' ->> 'against' AS "against",
      result."outcome" -> 'measurement' -> 'duel' -> 'duel' AS "duel"
    FROM "Run" AS run JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."deviceKey" = ${key} AND run."op" = ${op} AND run."dtype" = ${dtype}
      AND run."profile" = ${profile}::"Profile"
      AND run."rival" IS NOT NULL AND run."state" = 'measured' AND ${isUsual('run')}
      AND jsonb_typeof(result."outcome" -> 'measurement' -> 'duel' -> 'duel') = 'object'
      AND result."trusted"
    ORDER BY result."endedAt", result."id"`;
  const newest = new Map<string, DuelHere>();
  for (const { address, against, duel, shape } of rows) {
    const found = contrastOfDuel(duel);
    if (!found) continue;
    const pair = [shape, ...[address, against].toSorted()].join(' ');
    const { ratio, low, high } = found;
    newest.delete(pair);
    newest.set(pair, { shape, a: address, b: against, ratio, low, high });
  }
  return [...newest.values()];
}
