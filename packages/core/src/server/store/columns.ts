import { Prisma } from '@tilemark/db';
import { parseProblem, type Variant } from '@tilemark/kernels';
import type { RunSpec } from '../../api/run';
import type { Environment } from '../../measure/device';
import { type Measurement, type Outcome, withShortReasons } from '../../measure/outcome';
import { POLICIES, type PolicyId } from '../../measure/policy';
import { canonicalJson, fromJson, sha256, toJson } from './database';

/** How runs, outcomes and environments lie in their tables. */

/** Whether a row of "Run" is of a problem as boards have it: without an epilogue. */
export const isUsual = (run: string): Prisma.Sql => Prisma.raw(`${run}."epilogue" IS NULL`);

/** A row of "Device" as views refer to it. */
export const deviceRefOf = (alias: string): Prisma.Sql => {
  const column = (name: string) => Prisma.raw(`${alias}."${name}"`);
  return Prisma.sql`jsonb_strip_nulls(jsonb_build_object('key', ${column('key')},
    'name', ${column('name')}, 'class', ${column('class')}, 'runtime', ${column('runtime')},
    'label', ${column('label')})) AS "device"`;
};

/** A row of "VariantBest": the headline of a variant. */
export type VariantBest = Prisma.VariantBestGetPayload<object>;

/** The variant, problem, profile and policy of a run's row. */
export const runOf = (
  row: Pick<
    Prisma.RunGetPayload<object>,
    'kernel' | 'tunables' | 'op' | 'shape' | 'dtype' | 'epilogue' | 'profile' | 'policy'
  >,
): Pick<RunSpec, 'variant' | 'problem' | 'profile' | 'policy'> => ({
  variant: { kernel: row.kernel, tunables: fromJson<Variant['tunables']>(row.tunables) },
  problem: parseProblem(row),
  profile: row.profile,
  policy: row.policy as PolicyId,
});

/** The columns of a row of "Result" that is written whole. */
export const RESULT_COLUMNS = Prisma.raw(
  ['id', 'runId', 'workerId', 'environmentHash', 'sourceHash', 'importedBy', 'tokenId']
    .concat([
      'trusted',
      'endedAt',
      'outcome',
      'medianNs',
      'lowNs',
      'highNs',
      'unranked',
      'standing',
    ])
    .concat(['coldSamplesNs', 'hotSamplesNs'])
    .map((name) => `"${name}"`)
    .join(', '),
);

/** How a result is preferred, the least first: a headline rests on a variant's results of one standing. */
export const STANDING = { ranked: 0, unranked: 1, quick: 2, disbelieved: 3 } as const;

function standingOf({ disbelieved, policy, unranked }: Measurement): number {
  if (unranked === null) return STANDING.ranked;
  if (disbelieved) return STANDING.disbelieved;
  return POLICIES[policy as PolicyId]?.rankable === false ? STANDING.quick : STANDING.unranked;
}

type OutcomeColumns = Pick<
  Prisma.ResultUncheckedCreateInput,
  'outcome' | 'medianNs' | 'lowNs' | 'highNs' | 'unranked' | 'standing'
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
    standing: standingOf(measurement),
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
