import { type PeakShare, peakShare } from '../measure/data-sheet';
import {
  type Duel,
  type Measurement,
  mayEndOtherwise,
  type OutcomeKind,
  outcomeReason,
} from '../measure/outcome';
import { MAXIMA, shortened } from '../schema/maxima';
import type { ImportedMark, RunResult } from './api';
import { type Figures, figuresOf } from './metrics';

/** Without a roof, the share of the peak is that of the data sheet, where there is one. */
export interface RunFigures extends Omit<Figures, 'roofBound'> {
  readonly roofBound: PeakShare['bound'] | null;
}

/** What came of a run's turns with the rival of its case. */
export interface RunDuel {
  /** The rival's address. */
  readonly against: string;
  /** How many times its speed, with the 95% interval; null: see `why`. */
  readonly found: Pick<Duel, 'verdict' | 'ratio' | 'low' | 'high' | 'rounds'> | null;
  /** Why there is no ratio; null where there is one. */
  readonly why: string | null;
}

/**
 * A run as every list of the site shows it: who ran what, how it ended, and the figures of the
 * metrics. There is one form from the store to the table; what follows from it (a label, a group,
 * the threads of a workgroup) is a function of it. Samples are in a result's detail only: those of
 * thousands of runs would be megabytes.
 */
export interface RunView
  extends Pick<
    RunResult,
    'runId' | 'resultId' | 'variant' | 'address' | 'problem' | 'device' | 'profile' | 'policy'
  > {
  readonly kind: OutcomeKind | 'pending' | 'running';
  /** Why it has no figures, or why they are not ranked; null where there is nothing to explain. */
  readonly reason: string | null;
  /** It failed, and may end otherwise when it is tried again. */
  readonly mayRetry?: true;
  readonly figures: RunFigures | null;
  /** Null: it has no rival, or was not measured. */
  readonly duel: RunDuel | null;
  /** When it was measured; null until it has been. */
  readonly endedAt: string | null;
  readonly imported: ImportedMark | null;
}

export type MeasuredRun = RunView & { readonly figures: RunFigures };

export const isMeasured = (run: RunView): run is MeasuredRun => run.figures !== null;

/** The view of a run as the API answers it; its samples may be left out. */
export const runView = ({
  outcome,
  ...run
}: Omit<RunResult, 'rate'> & { rate?: RunResult['rate'] }): RunView => ({
  runId: run.runId,
  resultId: run.resultId,
  variant: run.variant,
  address: run.address,
  problem: run.problem,
  device: run.device,
  profile: run.profile,
  policy: run.policy,
  kind: outcome?.kind ?? 'pending',
  reason: reasonInList(outcome),
  ...(mayEndOtherwise(outcome) && { mayRetry: true as const }),
  figures: outcome?.kind === 'measured' ? runFigures(run, outcome.measurement) : null,
  duel: outcome?.kind === 'measured' ? duelView(outcome.measurement) : null,
  endedAt: run.endedAt ?? null,
  imported: run.imported ?? null,
});

/** Thousands of runs may each have one; the result's own page has all of it. */
function reasonInList(outcome: RunResult['outcome']): string | null {
  const reason = outcomeReason(outcome);
  return reason === null ? null : shortened(reason, MAXIMA.characters.reasonInList);
}

/** What is shown of a measurement. */
function runFigures(
  { device, problem }: Pick<RunResult, 'device' | 'problem'>,
  measurement: Measurement,
): RunFigures {
  const { cold, roof } = measurement;
  const peak = peakShare({ device, problem, medianNs: cold.medianNs, roof });
  return {
    ...figuresOf(measurement, problem),
    roofShare: peak?.share ?? null,
    roofBound: peak?.bound ?? null,
  };
}

/** The turns of a measurement without their samples. A duel with a side that is not believed has no ratio. */
export function duelView({ duel: turns }: Measurement): RunDuel | null {
  if (!turns) return null;
  const { against, duel } = turns;
  const why = turns.why ?? duel?.a.implausible ?? duel?.b.implausible ?? null;
  if (!duel || why !== null) return { against, found: null, why };
  const { high, low, ratio, rounds, verdict } = duel;
  return { against, found: { verdict, ratio, low, high, rounds }, why: null };
}
