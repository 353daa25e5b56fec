import { Prisma, type PrismaClient } from '@tilemark/db';
import { isKnownProblem, type Problem, parseProblem, type Variant } from '@tilemark/kernels';
import type { Duel, OutcomeKind } from '../../../measure/outcome';
import type { PolicyId } from '../../../measure/policy';
import { proved } from '../../../tune/problem-search';
import type { TuningRun } from '../../../tune/replay';
import { isQuotable } from '../../gate/parties';

/** A run counts for this long at least, s, whatever its worker says: so every search ends. */
const LEAST_RUN_S = 0.5;

/**
 * How long a run took, s; 0 until it has ended. From its turn on its machine, or its claim where its
 * worker does not tell, to its end. Claim and record are by our clock, and it lies between them.
 */
export const spentS = Prisma.sql`(CASE WHEN r."endedAt" IS NULL THEN 0 ELSE
  greatest(${LEAST_RUN_S}, extract(epoch FROM
    least(r."endedAt", result."recordedAt") - greatest(r."beganAt", r."claimedAt"))) END)::float8`;

interface RunRow {
  readonly id: string;
  readonly ordinal: number;
  readonly op: string;
  readonly shape: string;
  readonly dtype: string;
  readonly resultId: string | null;
  readonly address: string;
  readonly policy: PolicyId;
  readonly rival: Variant | null;
  readonly state: OutcomeKind | 'pending' | 'running';
  readonly spentNs: number;
  readonly medianNs: number | null;
  readonly lowNs: number | null;
  readonly highNs: number | null;
  readonly unranked: string | null;
  readonly duel: Duel | null;
  /** Whether its result may decide for the device (gate/parties.ts). */
  readonly decides: boolean;
}

/**
 * The runs of a tuning in their order, each without its samples. What a stranger's machine of the model
 * measured is no time to go by: the search goes on past it, as past a run that failed.
 */
export async function runsOfTuning(tx: PrismaClient | Prisma.TransactionClient, id: string) {
  const rows = await tx.$queryRaw<RunRow[]>`
    SELECT r."id", r."ordinal", r."op", r."shape", r."dtype", r."address", r."policy", r."rival",
      r."state"::text, result."id" AS "resultId",
      1e9 * ${spentS} AS "spentNs",
      result."medianNs", result."lowNs", result."highNs", result."unranked",
      result."outcome"->'measurement'->'duel'->'duel' AS "duel",
      ${isQuotable('result', Prisma.sql`device."ownedBy"`)} AS "decides"
    FROM "Run" AS r JOIN "Device" AS device ON device."key" = r."deviceKey"
      LEFT JOIN "Result" AS result ON result."runId" = r."id"
    WHERE r."sweepId" = ${id} ORDER BY r."ordinal"`;
  const problems = new Map<string, Problem>();
  const problemOf = (row: Parameters<typeof parseProblem>[0]) => {
    const known = problems.get(row.shape) ?? parseProblem(row);
    problems.set(row.shape, known);
    return known;
  };
  return rows.filter(isKnownProblem).map(({ decides, duel, rival, state, ...run }) => ({
    id: run.id,
    ordinal: run.ordinal,
    address: run.address,
    policy: run.policy,
    resultId: run.resultId,
    spentNs: run.spentNs,
    problem: problemOf(run),
    ...(rival && { rival: { variant: rival } }),
    hasBegun: state !== 'pending',
    contrast: decides && duel ? proved(duel) : null,
    outcome: outcomeOf(state === 'measured' && !decides ? 'failed' : state, run),
  }));
}

function outcomeOf(
  state: RunRow['state'],
  { highNs, lowNs, medianNs, unranked }: Pick<RunRow, 'medianNs' | 'lowNs' | 'highNs' | 'unranked'>,
): TuningRun['outcome'] {
  if (state === 'pending' || state === 'running') return null;
  if (state !== 'measured') return { kind: state };
  // Every result that was measured has a headline; one without would be of no use.
  if (medianNs === null) return { kind: 'failed' };
  const cold = { medianNs, lowNs: lowNs ?? medianNs, highNs: highNs ?? medianNs };
  return { kind: 'measured', measurement: { cold, unranked } };
}
