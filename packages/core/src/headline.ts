import type { RunResult } from './api';
import type { Measurement, Outcome } from './outcome';
import { outcomeReason } from './outcome-reason';

/** What a table or a chart shows of a run: without samples, which of thousands would be megabytes. */
export interface Headline
  extends Pick<
    RunResult,
    'runId' | 'resultId' | 'variant' | 'address' | 'problem' | 'device' | 'profile'
  > {
  readonly kind: Outcome['kind'] | 'pending';
  /** See `outcomeReason`. */
  readonly reason: string | null;
  /** The cold median and its 95 % interval; null where nothing was measured. */
  readonly time: {
    readonly medianNs: number;
    readonly lowNs: number;
    readonly highNs: number;
  } | null;
  readonly roof: NonNullable<Measurement['roof']> | null;
  /** When it was measured, ms since 1970; null until it has been. */
  readonly endedAtMs: number | null;
}

/** The headline of a whole result. */
export function headlineOf(result: RunResult): Headline {
  const { address, device, endedAt, outcome, problem, profile, resultId, runId, variant } = result;
  const measurement = outcome?.kind === 'measured' ? outcome.measurement : null;
  const cold = measurement?.cold;
  return {
    runId,
    resultId,
    variant,
    address,
    problem,
    device,
    profile,
    kind: outcome?.kind ?? 'pending',
    reason: outcomeReason(outcome),
    time: cold ? { medianNs: cold.medianNs, lowNs: cold.lowNs, highNs: cold.highNs } : null,
    roof: measurement?.roof ?? null,
    endedAtMs: endedAt ? Date.parse(endedAt) : null,
  };
}
