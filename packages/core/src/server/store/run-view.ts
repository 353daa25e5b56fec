import type { Prisma, PrismaClient } from '@tilemark/db';
import { DTYPES, idsOf, isKnownProblem, OPS, type Problem, rateOf } from '@tilemark/kernels';
import { PROFILES, type Profile } from '../../measure/device';
import type { DeviceRef, RunResult } from '../../view/api';
import { type RunView, runView } from '../../view/run';
import { shownRoof } from '../gate/belief';
import { restoreOutcome, runOf } from './columns';

const WORKER = { worker: { select: { name: true } } } as const;

/** What a run is read with to be shown. */
export const RUN_VIEW = {
  device: { include: { roofs: true }, omit: { capabilities: true } },
  result: { include: WORKER },
} satisfies Prisma.RunInclude;

/** The same for lists, in which samples would be megabytes. */
export const RUN_WITHOUT_SAMPLES = {
  ...RUN_VIEW,
  result: { include: WORKER, omit: { coldSamplesNs: true, hotSamplesNs: true } },
} satisfies Prisma.RunInclude;

export const resultWithoutSamples = (
  row: Prisma.RunGetPayload<{ include: typeof RUN_WITHOUT_SAMPLES }>,
): RunResult =>
  runResult({
    ...row,
    result: row.result && { ...row.result, coldSamplesNs: [], hotSamplesNs: [] },
  });

export type RunRow = Prisma.RunGetPayload<{ include: typeof RUN_VIEW }>;

export function runResult(row: RunRow): RunResult {
  const { policy, problem, profile, variant } = runOf(row);
  const outcome = row.result && restoreOutcome(row.result);
  if (outcome?.kind === 'measured') {
    // The roof of its device takes the place of the one it states.
    const { measurement } = outcome;
    const { party = null } = row.result ?? {};
    measurement.roof = shownRoof(measurement, { variant, problem, profile }, row.device, party);
  }
  return {
    runId: row.id,
    resultId: row.result?.id ?? null,
    variant,
    address: row.address,
    problem,
    device: deviceRef(row.device),
    // Of a file there is a worker that stands for it.
    workerName: row.result?.importedBy === null ? row.result.worker.name : null,
    profile,
    policy,
    outcome,
    endedAt: row.result?.endedAt.toISOString() ?? null,
    imported: row.result && importedOf(row.result),
    confirmedBy: row.result?.confirmedBy ?? null,
    rate: outcome?.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

/** Who brought a result in a file and when; null for what workers of this grid measured. */
export const importedOf = ({
  importedBy,
  recordedAt,
}: Pick<NonNullable<RunRow['result']>, 'importedBy' | 'recordedAt'>): RunResult['imported'] =>
  importedBy === null ? null : { by: importedBy, at: recordedAt.toISOString() };

export const deviceRef = ({ key, name, class: kind }: DeviceRef): DeviceRef => ({
  key,
  name,
  class: kind,
});

/** In the order of the tables of ops and dtypes, then by profile. */
export function byKind(
  a: { readonly problem: Problem; readonly profile: Profile },
  b: typeof a,
): number {
  const [ops, dtypes] = [idsOf(OPS), idsOf(DTYPES)];
  return (
    ops.indexOf(a.problem.op) - ops.indexOf(b.problem.op) ||
    dtypes.indexOf(a.problem.dtype) - dtypes.indexOf(b.problem.dtype) ||
    PROFILES.indexOf(a.profile) - PROFILES.indexOf(b.profile)
  );
}

/**
 * The contract is at `Sweeps.runs`. What many runs share (variant, problem, device) is one object for
 * all of them, which a page then carries once.
 */
export async function runViewsOf(
  db: PrismaClient,
  sweepId: string,
  limit: number,
): Promise<RunView[]> {
  const rows = await db.run.findMany({
    where: { sweepId },
    orderBy: { ordinal: 'asc' },
    take: limit,
    include: RUN_WITHOUT_SAMPLES,
  });
  const shared = new Map<string, unknown>();
  const once = <T>(part: T): T => {
    const key = JSON.stringify(part);
    if (!shared.has(key)) shared.set(key, part);
    return shared.get(key) as T;
  };
  return rows.filter(isKnownProblem).map((row) => {
    const { device, problem, variant, ...view } = runView(resultWithoutSamples(row));
    return {
      ...view,
      ...(row.state === 'running' && { kind: 'running' as const }),
      variant: once(variant),
      problem: once(problem),
      device: once(device),
    };
  });
}
