import type { Prisma } from '@tilemark/db';
import { opOf, type Problem, parseShape, type Shape } from '@tilemark/kernels';
import type { DeviceRef, RunResult } from '../../api';
import type { Outcome } from '../../outcome';
import type { PolicyId } from '../../policy';
import { fromJson } from './json';
import { restoreOutcome } from './outcome-row';

/** What a run is read with to be shown. */
export const RUN_VIEW = {
  device: { select: { key: true, name: true, class: true } },
  result: {
    select: {
      id: true,
      outcome: true,
      coldSamplesNs: true,
      hotSamplesNs: true,
      endedAt: true,
      importedBy: true,
      recordedAt: true,
    },
  },
} satisfies Prisma.RunInclude;

export type RunRow = Prisma.RunGetPayload<{ include: typeof RUN_VIEW }>;

/** The problem kept in the columns `op`, `shape` and `dtype`. */
export function problemOf(row: Pick<RunRow, 'op' | 'shape' | 'dtype'>): Problem {
  const shape: Shape = parseShape(row.op, row.shape);
  return { op: row.op, shape, dtype: row.dtype } as Problem;
}

/** GFLOP/s or GB/s of a problem that takes `medianNs`. */
export function rateOf(problem: Problem, medianNs: number): NonNullable<RunResult['rate']> {
  const op = opOf(problem);
  return { value: op.rate(problem, medianNs), unit: op.rateUnit };
}

export function runResult(row: RunRow): RunResult {
  const problem = problemOf(row);
  const outcome: Outcome | null = row.result && restoreOutcome(row.result);
  return {
    runId: row.id,
    resultId: row.result?.id ?? null,
    variant: { kernel: row.kernel, tunables: fromJson(row.tunables) },
    address: row.address,
    problem,
    device: deviceRef(row.device),
    profile: row.profile,
    policy: row.policy as PolicyId,
    outcome,
    endedAt: row.result?.endedAt.toISOString() ?? null,
    imported: row.result && importedOf(row.result),
    rate: outcome?.kind === 'measured' ? rateOf(problem, outcome.measurement.cold.medianNs) : null,
  };
}

/** Who brought a result in a file and when; null for what workers of this grid measured. */
export const importedOf = ({
  importedBy,
  recordedAt,
}: Pick<NonNullable<RunRow['result']>, 'importedBy' | 'recordedAt'>): RunResult['imported'] =>
  importedBy === null ? null : { by: importedBy, at: recordedAt.toISOString() };

export const deviceRef = ({ key, name, class: kind }: RunRow['device']): DeviceRef => ({
  key,
  name,
  class: kind,
});
