import type { Prisma, PrismaClient } from '@tilemark/db';
import { ifValid, type Variant, variantAddress } from '@tilemark/kernels';
import type { SearchStep } from '../../../api/run';
import type { Duel } from '../../../measure/outcome';
import { verdictOn } from '../../../statistics/verdict';
import { contrastOfDuel } from '../../../tune/problem-search';
import { STANDING } from '../columns';
import { fromJson } from '../database';

interface StepRow extends Omit<SearchStep, 'rival' | 'contrast'> {
  readonly rival: Prisma.JsonValue;
  readonly duel: Duel | null;
}

/** What was measured for a search so far, in its order. */
export async function stepsOf(
  db: Pick<PrismaClient, '$queryRaw'>,
  sweepId: string,
): Promise<SearchStep[]> {
  const rows = await db.$queryRaw<StepRow[]>`
    SELECT r."shape", r."address", r."policy", r."rival", r."state"::text AS "kind",
      result."medianNs", coalesce(result."lowNs", result."medianNs") AS "lowNs",
      coalesce(result."highNs", result."medianNs") AS "highNs", result."unranked",
      coalesce(result."standing" = ${STANDING.disbelieved}, false) AS "disbelieved",
      result."outcome" -> 'measurement' -> 'duel' -> 'duel' AS "duel",
      coalesce(1e9 * extract(epoch FROM r."endedAt" - r."beganAt"), 0)::float8 AS "spentNs"
    FROM "Run" AS r JOIN "Result" AS result ON result."runId" = r."id"
    WHERE r."sweepId" = ${sweepId} AND NOT r."isSearch" ORDER BY r."ordinal"`;
  return rows.map(({ duel, rival, ...row }) => ({
    ...row,
    // One that this release has no longer has no address.
    rival: rival === null ? null : (ifValid(() => variantAddress(fromJson<Variant>(rival))) ?? ''),
    contrast: duel && contrastOf(duel),
  }));
}

/** What it proves, without its samples. */
function contrastOf(duel: Duel): SearchStep['contrast'] {
  const contrast = contrastOfDuel(duel);
  return contrast && verdictOn(contrast.ratio, contrast.low, contrast.high);
}
