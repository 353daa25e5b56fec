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

/** A report, and when its run had its turn on this machine. */
export type TimedReport = RunReport & { readonly beganMs: number };

/** Measures while nothing else on this machine does. Throws Interrupted if aborted. */
export async function measureClaimed(
  run: ClaimedRun,
  { runner, log, alone }: Pick<WorkerParts, 'runner' | 'log' | 'alone'>,
  signal: AbortSignal,
): Promise<TimedReport> {
  const { contributed, rival } = run;
  const why = contributed?.refusal ?? (rival?.refusal ? `its rival: ${rival.refusal}` : null);
  if (why !== null) return timed(() => withoutRunning(run, runner, { kind: 'skipped', why }));
  for (const file of [contributed?.file, rival?.file]) if (file) await admitKernel(file);
  const onStep = (step: Step) => log.debug({ runId: run.id }, step);
  try {
    const work = () =>
      run.attempt > MAX_ATTEMPTS ? giveUp(run, runner) : runner.run(run, { onStep, signal });
    return await alone(() => timed(work), signal);
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

const timed = async (work: () => Promise<RunReport>): Promise<TimedReport> => {
  const beganMs = Date.now();
  return { ...(await work()), beganMs };
};

/** What the journal keeps of a run that has just ended. */
export function recordOf(
  { id, policy, problem, profile, variant }: ClaimedRun,
  { beganMs, ...report }: TimedReport,
  { clockAheadMs, workerId }: Pick<Attachment, 'clockAheadMs' | 'workerId'>,
): RecordedRun {
  return {
    runId: id,
    workerId,
    run: { variant, problem, profile, policy },
    ...report,
    // By the grid's clock, since this machine's may be wrong.
    beganAt: new Date(beganMs - clockAheadMs).toISOString(),
    endedAt: new Date(Date.now() - clockAheadMs).toISOString(),
  };
}

/** What the log says of it. */
export function aboutReport(
  { id, problem, variant }: ClaimedRun,
  { outcome }: RunReport,
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
