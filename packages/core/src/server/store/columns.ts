import { Prisma } from '@tilemark/db';
import { parseProblem, type Variant } from '@tilemark/kernels';
import type { Environment } from '../../measure/device';
import { type Measurement, type Outcome, withShortReasons } from '../../measure/outcome';
import type { PolicyId } from '../../measure/policy';
import type { AskedRun } from '../../plan/expansion';
import { canonicalJson, fromJson, sha256, toJson } from './database';

/** How runs, outcomes and environments lie in their tables. */

/** Whether a row of "Run" is of a problem as boards have it: no regime, no epilogue. */
export const isUsual = (run: string): Prisma.Sql =>
  Prisma.raw(`${run}."regime" IS NULL AND ${run}."epilogue" IS NULL`);

/** A row of "VariantBest": the headline of a variant. */
export type VariantBest = Prisma.VariantBestGetPayload<object>;

/** What a run measures, from its row. */
export const runOf = (
  row: Pick<
    Prisma.RunGetPayload<object>,
    'kernel' | 'tunables' | 'op' | 'shape' | 'dtype' | 'regime' | 'epilogue' | 'profile' | 'policy'
  >,
): AskedRun => ({
  variant: { kernel: row.kernel, tunables: fromJson<Variant['tunables']>(row.tunables) },
  problem: parseProblem(row),
  profile: row.profile,
  policy: row.policy as PolicyId,
});

/** Of a row of "Result" that is written whole. */
export const RESULT_COLUMNS = Prisma.raw(
  ['id', 'runId', 'workerId', 'environmentHash', 'sourceHash', 'importedBy', 'party']
    .concat(['confirmedBy', 'endedAt', 'outcome', 'medianNs', 'lowNs', 'highNs', 'unranked'])
    .concat(['coldSamplesNs', 'hotSamplesNs'])
    .map((name) => `"${name}"`)
    .join(', '),
);

type OutcomeColumns = Pick<
  Prisma.ResultUncheckedCreateInput,
  'outcome' | 'medianNs' | 'lowNs' | 'highNs' | 'unranked'
> & { readonly coldSamplesNs: number[]; readonly hotSamplesNs: number[] };

/** An outcome as columns: samples in arrays of their own, the headline beside them. */
export function outcomeColumns(outcome: Outcome): OutcomeColumns {
  if (outcome.kind !== 'measured') {
    return { outcome: toJson(withShortReasons(outcome)), coldSamplesNs: [], hotSamplesNs: [] };
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

/** A row of "Environment", whose hash is that of its content. */
export function environmentRow(environment: Environment) {
  const content = toJson(environment);
  return { hash: sha256(canonicalJson(content)), content };
}
