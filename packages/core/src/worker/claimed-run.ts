import { shapeText, shortAddress, type Variant, variantAddress } from '@tilemark/kernels';
import type { RunClaim, RunOutcome } from '../api/run';
import type { Attachment } from '../link/wire';
import type { Step } from '../measure/measure';
import type { Outcome } from '../measure/outcome';
import type { WorkerParts } from './parts';
import type { DeviceReport, DeviceRunner } from './runner';

/** A run that cost this many workers is not tried again: it may be what kills them. */
const MAX_ATTEMPTS = 3;

/** The worker stops, pauses, has lost its run, or has had its turn at a search, and hands it back. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Measures while nothing else on this machine does; what the journal keeps of it. Throws Interrupted
 * if aborted.
 */
export async function measureClaimed(
  run: RunClaim,
  { admit, runner, log, alone }: Pick<WorkerParts, 'admit' | 'runner' | 'log' | 'alone'>,
  attachment: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const outcome = unasked(run);
  if (outcome) return withoutRunning(run, runner, outcome, attachment);
  for (const file of [run.contributed?.file, run.rival?.file]) if (file) await admit?.(file);
  const onStep = (step: Step) => log.debug({ runId: run.id }, step);
  try {
    const work = () => runner.run(run, { onStep, signal });
    return await alone(() => recordOf(run, work, attachment), signal);
  } catch (error) {
    throw signal.aborted ? new Interrupted('it was interrupted') : error;
  }
}

/** How a run ends that is not to be measured; null: it is. */
export function unasked({ attempt, contributed, rival }: RunClaim): Outcome | null {
  const why = contributed?.refusal ?? (rival?.refusal ? `its rival: ${rival.refusal}` : null);
  if (why !== null) return { kind: 'skipped', why };
  if (attempt <= MAX_ATTEMPTS) return null;
  const message = `${attempt - 1} workers were lost while running it`;
  return { kind: 'failed', stage: 'device', message };
}

export async function withoutRunning(
  run: RunClaim,
  runner: Pick<DeviceRunner, 'open'>,
  outcome: Outcome,
  attachment: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
): Promise<RunOutcome> {
  const { environment } = await runner.open(run.profile);
  return recordOf(run, async () => ({ outcome, environment, wgsl: null }), attachment);
}

/** What a record says of its run. */
export type AskedOfWorker = Pick<RunClaim, 'id' | 'policy' | 'problem' | 'profile' | 'variant'> & {
  readonly rival?: { readonly variant: Variant } | undefined;
  readonly searchId?: string;
};

export async function recordOf(
  { id, policy, problem, profile, rival, searchId, variant }: AskedOfWorker,
  work: () => Promise<DeviceReport>,
  { clockAheadMs, workerId }: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
): Promise<RunOutcome> {
  // By the grid's clock, since this machine's may be wrong.
  const now = () => new Date(Date.now() - clockAheadMs).toISOString();
  const beganAt = now();
  const report = await work();
  return {
    runId: id,
    workerId,
    ...(searchId !== undefined && { searchId }),
    run: { variant, problem, profile, policy, ...(rival && { rival: rival.variant }) },
    ...report,
    beganAt,
    endedAt: now(),
  };
}

/** The fields of a log line about an outcome. */
export function aboutRecord(
  { id, problem, variant }: AskedOfWorker,
  { outcome }: RunOutcome,
): Record<string, unknown> {
  const what = `${shortAddress(variantAddress(variant))}, ${problem.op} ${shapeText(problem)} ${problem.dtype}`;
  return { runId: id, run: what, ...summaryOf(outcome) };
}

function summaryOf(outcome: Outcome): Record<string, unknown> {
  switch (outcome.kind) {
    case 'measured':
      return { medianNs: outcome.measurement.cold.medianNs, stop: outcome.measurement.stop };
    case 'skipped':
      return { why: outcome.why };
    case 'incorrect':
      return { when: outcome.when, worst: outcome.worst };
    case 'failed':
      return { stage: outcome.stage, message: outcome.message };
  }
}
