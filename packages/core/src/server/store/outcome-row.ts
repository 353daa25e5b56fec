import type { Prisma } from '@tilemark/db';
import type { Measurement, Outcome } from '../../outcome';
import { fromJson, toJson } from './json';

type OutcomeColumns = Pick<
  Prisma.ResultUncheckedCreateInput,
  'outcome' | 'medianNs' | 'lowNs' | 'highNs' | 'unranked'
> & { readonly coldSamplesNs: number[]; readonly hotSamplesNs: number[] };

/** An outcome as columns: samples in arrays of their own, the headline beside them. */
export function outcomeColumns(outcome: Outcome): OutcomeColumns {
  if (outcome.kind !== 'measured') {
    return { outcome: toJson(outcome), coldSamplesNs: [], hotSamplesNs: [] };
  }
  const { measurement } = outcome;
  const { cold, hot } = measurement;
  return {
    outcome: toJson({ ...outcome, measurement: withSamples(measurement, [], []) }),
    medianNs: cold.medianNs,
    lowNs: cold.lowNs,
    highNs: cold.highNs,
    unranked: measurement.unranked,
    coldSamplesNs: cold.samplesNs,
    hotSamplesNs: hot?.samplesNs ?? [],
  };
}

/** The reverse of `outcomeColumns`. */
export function restoreOutcome(row: {
  outcome: Prisma.JsonValue;
  coldSamplesNs: number[];
  hotSamplesNs: number[];
}): Outcome {
  const outcome = fromJson<Outcome>(row.outcome);
  if (outcome.kind !== 'measured') return outcome;
  const { measurement } = outcome;
  return {
    ...outcome,
    measurement: withSamples(measurement, row.coldSamplesNs, row.hotSamplesNs),
  };
}

function withSamples(measurement: Measurement, cold: number[], hot: number[]): Measurement {
  return {
    ...measurement,
    cold: { ...measurement.cold, samplesNs: cold },
    hot: measurement.hot && { ...measurement.hot, samplesNs: hot },
  };
}
