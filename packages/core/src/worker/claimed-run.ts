import { shapeText, shortAddress, variantAddress } from '@tilemark/kernels';
import { admitKernel } from '../contributed/kernel';
import type { Attachment, ClaimedRun, RecordedRun } from '../link/wire';
import type { Step } from '../measure/measure';
import type { Outcome } from '../measure/outcome';
import type { WorkerParts } from './parts';
import type { DeviceRunner, RunReport } from './runner';

/** A run that cost this many workers is not tried again: it may be what kills them. */
const MAX_ATTEMPTS = 3;

/** The worker stops, pauses, or lost its run, and hands it back. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Measures while nothing else on this machine does; what the journal keeps of it. Throws Interrupted
 * if aborted.
 */
export async function measureClaimed(
  run: ClaimedRun,
  { runner, log, alone }: Pick<WorkerParts, 'runner' | 'log' | 'alone'>,
  attachment: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
  signal: AbortSignal,
): Promise<RecordedRun> {
  const recorded = (work: () => Promise<RunReport>) => recordOf(run, work, attachment);
  const { contributed, rival } = run;
  const why = contributed?.refusal ?? (rival?.refusal ? `its rival: ${rival.refusal}` : null);
  if (why !== null) return recorded(() => withoutRunning(run, runner, { kind: 'skipped', why }));
  for (const file of [contributed?.file, rival?.file]) if (file) await admitKernel(file);
  const onStep = (step: Step) => log.debug({ runId: run.id }, step);
  try {
    const work = () =>
      run.attempt > MAX_ATTEMPTS ? giveUp(run, runner) : runner.run(run, { onStep, signal });
    return await alone(() => recorded(work), signal);
  } catch (error) {
    throw signal.aborted ? new Interrupted('it was interrupted') : error;
  }
}

function giveUp(run: ClaimedRun, runner: Pick<DeviceRunner, 'open'>): Promise<RunReport> {
  const message = `${run.attempt - 1} workers were lost while running it`;
  return withoutRunning(run, runner, { kind: 'failed', stage: 'device', message });
}

async function withoutRunning(
  { profile }: ClaimedRun,
  runner: Pick<DeviceRunner, 'open'>,
  outcome: Outcome,
): Promise<RunReport> {
  const { environment } = await runner.open(profile);
  return { outcome, environment, wgsl: null };
}

async function recordOf(
  { id, policy, problem, profile, variant }: ClaimedRun,
  work: () => Promise<RunReport>,
  { clockAheadMs, workerId }: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
): Promise<RecordedRun> {
  // By the grid's clock, since this machine's may be wrong.
  const now = () => new Date(Date.now() - clockAheadMs).toISOString();
  const beganAt = now();
  const report = await work();
  return {
    runId: id,
    workerId,
    run: { variant, problem, profile, policy },
    ...report,
    beganAt,
    endedAt: now(),
  };
}

/** What the log says of it. */
export function aboutRecord(
  { id, problem, variant }: ClaimedRun,
  { outcome }: RecordedRun,
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
