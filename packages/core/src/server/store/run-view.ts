import type { Prisma, PrismaClient } from '@tilemark/db';
import { opOf, type Problem, parseProblem, type Variant } from '@tilemark/kernels';
import type { Outcome } from '../../measure/outcome';
import type { PolicyId } from '../../measure/policy';
import type { RooflineSurvey } from '../../measure/roofline';
import type { DeviceRef, RunResult } from '../../view/api';
import { type RunView, runView } from '../../view/run';
import { fromJson } from './database';
import { restoreOutcome } from './record';
import { roofKey, roofOver, roofsOf } from './roofs';

/** What a run is read with to be shown. */
export const RUN_VIEW = {
  device: {
    select: {
      key: true,
      name: true,
      class: true,
      roofs: { select: { profile: true, content: true } },
    },
  },
  result: {
    select: {
      id: true,
      outcome: true,
      coldSamplesNs: true,
      hotSamplesNs: true,
      endedAt: true,
      importedBy: true,
      confirmedBy: true,
      recordedAt: true,
    },
  },
} satisfies Prisma.RunInclude;

export type RunRow = Prisma.RunGetPayload<{ include: typeof RUN_VIEW }>;

/** GFLOP/s or GB/s of a problem that takes `medianNs`. */
export function rateOf(problem: Problem, medianNs: number): NonNullable<RunResult['rate']> {
  const op = opOf(problem);
  return { value: op.rate(problem, medianNs), unit: op.rateUnit };
}

export function runResult(row: RunRow): RunResult {
  const problem = parseProblem(row);
  const variant = { kernel: row.kernel, tunables: fromJson<Variant['tunables']>(row.tunables) };
  const roof = row.device.roofs.find(({ profile }) => profile === row.profile);
  const outcome: Outcome | null =
    row.result &&
    underRoof(restoreOutcome(row.result), { variant, problem }, roof && fromJson(roof.content));
  return {
    runId: row.id,
    resultId: row.result?.id ?? null,
    variant,
    address: row.address,
    problem,
    device: deviceRef(row.device),
    profile: row.profile,
    policy: row.policy as PolicyId,
    outcome,
    endedAt: row.result?.endedAt.toISOString() ?? null,
    imported: row.result && importedOf(row.result),
    confirmedBy: row.result?.confirmedBy ?? null,
    rate: outcome?.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

/** An outcome with the roof of its device in place of the one it states. */
const underRoof = (
  outcome: Outcome,
  run: Parameters<typeof roofOver>[1],
  survey: RooflineSurvey | undefined,
): Outcome =>
  outcome.kind === 'measured'
    ? {
        ...outcome,
        measurement: {
          ...outcome.measurement,
          roof: roofOver(outcome.measurement, run, survey),
        },
      }
    : outcome;

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

/** A run with its result as one row: columns of `Run`, `Device` and `Result`. */
interface ListedRun extends Pick<RunRow, 'id' | 'kernel' | 'tunables' | 'address'> {
  readonly op: RunRow['op'];
  readonly shape: string;
  readonly dtype: RunRow['dtype'];
  readonly profile: RunRow['profile'];
  readonly policy: string;
  readonly deviceKey: string;
  readonly deviceName: string;
  readonly deviceClass: RunRow['device']['class'];
  readonly resultId: string | null;
  /** Without samples, which are in columns of their own. */
  readonly outcome: Prisma.JsonValue;
  readonly endedAt: Date | null;
  readonly importedBy: string | null;
  readonly recordedAt: Date | null;
  readonly isRunning: boolean;
}

/**
 * The contract is at `Sweeps.runs`. One query reads everything but the samples. What many
 * runs share (variant, problem, device) is one object for all of them, which a page then carries once.
 */
export async function runViewsOf(
  db: PrismaClient,
  sweepId: string,
  limit: number,
): Promise<RunView[]> {
  const rows = await db.$queryRaw<ListedRun[]>`
    SELECT run."id", run."kernel", run."tunables", run."address", run."op"::text, run."shape",
      run."dtype"::text, run."profile"::text, run."policy", device."key" AS "deviceKey",
      device."name" AS "deviceName", device."class"::text AS "deviceClass",
      result."id" AS "resultId", result."outcome", result."endedAt", result."importedBy",
      result."recordedAt", run."state" = 'running' AS "isRunning"
    FROM "Run" AS run
    JOIN "Device" AS device ON device."key" = run."deviceKey"
    LEFT JOIN "Result" AS result ON result."runId" = run."id"
    WHERE run."sweepId" = ${sweepId} ORDER BY run."ordinal" LIMIT ${limit}`;
  const roofs = await roofsOf(
    db,
    rows.map(({ deviceKey }) => deviceKey),
  );
  const shared = new Map<string, unknown>();
  const once = <T>(key: string, make: () => T): T => {
    if (!shared.has(key)) shared.set(key, make());
    return shared.get(key) as T;
  };
  return rows.map((row) => {
    const { address, deviceKey: key, deviceName: name, deviceClass, kernel, tunables } = row;
    const variant = once<Variant>(`variant ${address}`, () => ({
      kernel,
      tunables: fromJson(tunables),
    }));
    const problem = once(`problem ${row.op} ${row.shape} ${row.dtype}`, () => parseProblem(row));
    const roof = roofs.get(roofKey(key, row.profile));
    const view = runView({
      runId: row.id,
      resultId: row.resultId,
      variant,
      address,
      problem,
      device: once(`device ${key}`, () => ({ key, name, class: deviceClass })),
      profile: row.profile,
      policy: row.policy as PolicyId,
      outcome:
        row.outcome === null
          ? null
          : underRoof(fromJson<Outcome>(row.outcome), { variant, problem }, roof),
      endedAt: row.endedAt?.toISOString() ?? null,
      imported:
        row.recordedAt && importedOf({ importedBy: row.importedBy, recordedAt: row.recordedAt }),
    });
    return row.isRunning ? { ...view, kind: 'running' } : view;
  });
}
