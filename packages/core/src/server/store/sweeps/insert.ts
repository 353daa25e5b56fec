import { randomUUID } from 'node:crypto';
import { Prisma } from '@tilemark/db';
import { isContributed, shapeText } from '@tilemark/kernels';
import type { RunRow, RunSpec } from '../../../api/run';
import type { TuningRequest } from '../../../api/tuning';
import type { SweepSpec } from '../../../plan/spec';
import { isOfSentinel } from '../../../suites/sentinel';
import { batches, toJson } from '../database';
import type { Principal } from '../principal';

/** The author of a sweep; without a token it is the grid's own. */
export type Author = Pick<Principal, 'name'> & Partial<Pick<Principal, 'tokenId'>>;

/** A sweep asked of the grid. */
export interface SweepInput {
  readonly name: string;
  readonly suite: string | null;
  readonly spec: SweepSpec;
  readonly runs: readonly RunSpec[];
  /** Its one run is the search of this. */
  readonly tuning?: TuningRequest;
  readonly createdBy: string;
  /** Absent: made without a token; only an admin may change it. */
  readonly createdById?: string | null;
  /** Nobody waits for it: its runs queue behind what people asked for. */
  readonly background?: boolean;
  /** A second sweep with the same key is not made: the first is returned, and no runs. */
  readonly idempotencyKey?: string | null;
}

/** Runs per INSERT: a few MB of JSON. */
const RUNS_PER_INSERT = 5_000;

/** How a run ended that is written with its end. */
type Ended = Pick<RunRow, 'state' | 'workerId' | 'endedAt'>;

/** A run as `insertSweep` writes it. */
export const newRun = (run: RunSpec, ordinal: number, ended: Ended | null = null): RunRow => ({
  id: randomUUID(),
  ordinal,
  deviceKey: run.deviceKey,
  kernel: run.variant.kernel,
  tunables: run.variant.tunables,
  address: run.address,
  op: run.problem.op,
  shape: shapeText(run.problem),
  dtype: run.problem.dtype,
  epilogue: run.problem.epilogue ?? null,
  profile: run.profile,
  policy: run.policy,
  rival: run.rival?.variant ?? null,
  contributed: [run.variant, run.rival?.variant].some((of) => of && isContributed(of.kernel)),
  state: ended?.state ?? ('pending' as const),
  workerId: ended?.workerId ?? null,
  endedAt: ended?.endedAt ?? null,
});
/** Writes a sweep without its runs; null, and nothing written, if its key is taken. */
export async function insertSweep(
  tx: Prisma.TransactionClient,
  {
    spec,
    tuning,
    ...fields
  }: Omit<Prisma.SweepCreateManyInput, 'spec' | 'tuning'> & Pick<SweepInput, 'spec' | 'tuning'>,
  deviceKeys: readonly string[],
): Promise<Prisma.SweepGetPayload<object> | null> {
  const [sweep = null] = await tx.sweep.createManyAndReturn({
    data: {
      ...fields,
      spec: toJson(spec),
      sentinel: isOfSentinel(fields.suite ?? null),
      ...(tuning && { tuning: toJson(tuning) }),
      deviceKeys: [...new Set(deviceKeys)],
    },
    // Taken keys only: ids never meet.
    skipDuplicates: true,
  });
  return sweep;
}

/**
 * Writes runs as JSON parameters. `createMany` takes 11 parameters per run, and 9 s for 20,000
 * runs that take 1 s this way (2026-11-21, two cores).
 */
export async function insertRuns(
  tx: Prisma.TransactionClient,
  sweepId: string,
  runs: readonly RunRow[],
): Promise<void> {
  const names = Object.keys(runs[0] ?? {}).map((name) => `"${name}"`);
  const columns = Prisma.raw(names.join(', '));
  for (const some of batches(runs, RUNS_PER_INSERT)) {
    await tx.$executeRaw`
      INSERT INTO "Run" ("sweepId", ${columns}) SELECT ${sweepId}, ${columns}
      FROM jsonb_populate_recordset(NULL::"Run", ${JSON.stringify(some)}::jsonb)`;
  }
}
