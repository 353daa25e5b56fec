import type { Prisma, PrismaClient } from '@tilemark/db';
import { DTYPES, idsOf, isKnownProblem, OPS, type Problem, rateOf } from '@tilemark/kernels';
import type { DeviceRef, Result } from '../../api/api';
import { type RunShown, type RunSpec, runShown } from '../../api/run';
import { roofOver } from '../../gate/judge';
import { type DeviceClass, PROFILES, type Profile, sharesHost } from '../../measure/device';
import type { Measurement } from '../../measure/outcome';
import type { Roof, RooflineSurvey } from '../../measure/roofline';
import { restoreOutcome, runOf } from './columns';
import { fromJson } from './database';

const WORKER = {
  worker: { select: { name: true } },
  token: { select: { name: true } },
} as const;

/** The relations that a run is read with to be shown. */
export const RUN_VIEW = {
  device: { include: { roofs: true }, omit: { capabilities: true } },
  result: { include: WORKER },
} satisfies Prisma.RunInclude;

/** The relations of a run in lists, in which samples would be megabytes. */
export const RUN_WITHOUT_SAMPLES = {
  ...RUN_VIEW,
  result: { include: WORKER, omit: { coldSamplesNs: true, hotSamplesNs: true } },
} satisfies Prisma.RunInclude;

export const resultWithoutSamples = (
  row: Prisma.RunGetPayload<{ include: typeof RUN_WITHOUT_SAMPLES }>,
): Result =>
  runResult({
    ...row,
    result: row.result && { ...row.result, coldSamplesNs: [], hotSamplesNs: [] },
  });

/** A device with what is known of its roofs, as pages read it. */
interface RoofedDevice {
  readonly class: DeviceClass;
  readonly roofs: readonly {
    profile: Profile;
    content: Prisma.JsonValue;
    workerId: string | null;
  }[];
}

/**
 * The roof that is shown over a measurement; null: none. A device that shares its host's cores has
 * none until it was surveyed, which waits until it is idle: a probe beside other work finds a part
 * of its peak, and the share of that would be too high.
 */
export function shownRoof(
  measurement: Measurement,
  { profile, ...run }: Pick<RunSpec, 'variant' | 'problem' | 'policy' | 'profile'>,
  { class: kind, roofs }: RoofedDevice,
): Roof | null {
  if (sharesHost(kind) && !roofs.some(({ workerId }) => workerId !== null)) return null;
  const known = roofs.find((roof) => roof.profile === profile);
  return roofOver(measurement, run, known && fromJson<RooflineSurvey>(known.content)) ?? null;
}

type Row = Prisma.RunGetPayload<{ include: typeof RUN_VIEW }>;

export function runResult(row: Row): Result {
  const { policy, problem, profile, variant } = runOf(row);
  const outcome = row.result && restoreOutcome(row.result);
  if (outcome?.kind === 'measured') {
    // The roof of its device takes the place of the one it states.
    const { measurement } = outcome;
    measurement.roof = shownRoof(measurement, { variant, problem, policy, profile }, row.device);
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
    trusted: row.result?.trusted ?? null,
    tokenName: row.result?.token?.name ?? null,
    confirmedBy: row.result?.confirmedBy ?? null,
    rate: outcome?.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

/** The importer of a result, and the time; null for what workers of this grid measured. */
export const importedOf = ({
  importedBy,
  recordedAt,
}: Pick<NonNullable<Row['result']>, 'importedBy' | 'recordedAt'>): Result['imported'] =>
  importedBy === null ? null : { by: importedBy, at: recordedAt.toISOString() };

export const deviceRef = ({
  key,
  name,
  class: kind,
  runtime,
  label,
}: Omit<DeviceRef, 'label'> & { readonly label: string | null }): DeviceRef => ({
  ...(runtime !== undefined && { runtime }),
  ...(label !== null && { label }),
  key,
  name,
  class: kind,
});

/** Compares in the order of the tables of ops and dtypes, then by profile. */
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
): Promise<RunShown[]> {
  const rows = await db.run.findMany({
    where: { sweepId, NOT: { isSearch: true, endedAt: null } },
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
    const { device, problem, variant, ...view } = runShown(resultWithoutSamples(row));
    return {
      ...view,
      ...(row.state === 'running' && { kind: 'running' as const }),
      variant: once(variant),
      problem: once(problem),
      device: once(device),
    };
  });
}
