import type { Prisma, PrismaClient } from '@tilemark/db';
import { isContributed, isKnownProblem, shapeText } from '@tilemark/kernels';
import { type Class, type HandedIn, type Invite, problemName } from '../../../api/token';
import { findingOf } from '../../../contributed/checked';
import { outcomeReason } from '../../../measure/outcome';
import { pairContrast } from '../../../rank/head-to-head';
import { restoreOutcome, runOf } from '../columns';

/**
 * An invite as a class: who joined, and how the kernel did that each handed in last for each problem. What
 * is handed in is kept as an import of the student's token (imports/hand-in.ts): the kernel's battery, then
 * the kernel and naive on the problem.
 */

/** The policy by which a kernel is measured on the problem that it is handed in for; its battery has another. */
export const HAND_IN_POLICY = 'screen';

const INCLUDE = {
  sweep: { select: { createdById: true, createdAt: true } },
  device: { select: { name: true } },
  result: { omit: { coldSamplesNs: true, hotSamplesNs: true } },
} as const;
type Row = Prisma.RunGetPayload<{ include: typeof INCLUDE }>;

export async function classOf(db: PrismaClient, invite: Invite): Promise<Class> {
  const tokens = await db.token.findMany({
    where: { inviteId: invite.id, revokedAt: null },
    orderBy: { id: 'asc' },
    select: { id: true, name: true, createdAt: true },
  });
  // Per student and problem the sweep that came last.
  const last = await db.$queryRaw<{ sweepId: string }[]>`
    SELECT DISTINCT ON (s."createdById", r."op", r."shape", r."dtype", r."epilogue") r."sweepId"
    FROM "Sweep" AS s JOIN "Run" AS r ON r."sweepId" = s."id"
    WHERE s."imported" AND s."createdById" = ANY (${tokens.map(({ id }) => id)})
      AND r."contributed" AND r."policy" = ${HAND_IN_POLICY}
    ORDER BY s."createdById", r."op", r."shape", r."dtype", r."epilogue", s."id" DESC`;
  const rows = await db.run.findMany({
    where: {
      sweepId: { in: last.map(({ sweepId }) => sweepId) },
      // Of the battery, what did not pass.
      OR: [{ policy: HAND_IN_POLICY }, { state: { in: ['incorrect', 'failed'] } }],
    },
    include: INCLUDE,
    orderBy: [{ sweepId: 'desc' }, { ordinal: 'asc' }],
  });
  const runs = rows.filter(isKnownProblem);
  return {
    ...invite,
    students: tokens.map(({ createdAt, id, name }) => {
      const own = runs.filter(({ sweep }) => sweep.createdById === id);
      return {
        name,
        joinedAt: createdAt.toISOString(),
        handedIn: invite.problems.map((problem) => handedIn(own, problemName(problem))),
      };
    }),
  };
}

/** @param runs of a student, the newest first */
function handedIn(runs: readonly Row[], problem: string): HandedIn | null {
  const asked = runs.filter(
    (run) => run.policy === HAND_IN_POLICY && problemName(runOf(run).problem) === problem,
  );
  const run = asked.find(({ kernel }) => isContributed(kernel));
  const naive = asked.find((each) => each.sweepId === run?.sweepId && !isContributed(each.kernel));
  if (!run) return null;
  const bad = runs.find(
    (each) =>
      each.sweepId === run.sweepId && isContributed(each.kernel) && isFault(findingIn(each)),
  );
  const decisive = bad ?? run;
  const finding = findingIn(decisive);
  const isRight = finding === 'right';
  const [a, b] = [timesOf(naive), isRight ? timesOf(run) : null];
  const contrast = a && b && pairContrast({ a, b });
  return {
    kernel: run.kernel,
    resultId: decisive.result?.id ?? '',
    device: run.device.name,
    handedInAt: run.sweep.createdAt.toISOString(),
    finding,
    reason: isRight
      ? null
      : `${shapeText(runOf(decisive).problem)}: ${outcomeReason(outcomeOf(decisive))}`,
    medianNs: b?.medianNs ?? null,
    overNaive: contrast && { ratio: contrast.ratio, low: contrast.low, high: contrast.high },
  };
}

const outcomeOf = ({ result }: Row) =>
  result && restoreOutcome({ ...result, coldSamplesNs: [], hotSamplesNs: [] });

const findingIn = (run: Row) => findingOf(outcomeOf(run));

/** What one case is enough for; others tell as much of the device. */
const isFault = (finding: string) => finding === 'wrong' || finding === 'does not compile';

function timesOf(run: Row | undefined) {
  const { highNs, lowNs, medianNs } = run?.result ?? {};
  if (typeof medianNs !== 'number') return null;
  return { medianNs, lowNs: lowNs ?? medianNs, highNs: highNs ?? medianNs };
}
