/**
 * A run: one variant on one problem, under a profile and a policy, on a device. It has five forms, each made
 * of the one before:
 *
 * - `RunSpec`: what a plan asks for (plan/expansion.ts);
 * - `RunRow`: the row that it is kept in (server/store);
 * - `RunClaim`: what the worker that takes it receives (link/wire.ts);
 * - `RunOutcome`: what that worker hands in, and its journal keeps;
 * - `RunShown`: how lists show it.
 *
 * `Result` (result.ts) is what the API answers of a run, with its samples.
 */

import type { Variant } from '@tilemark/kernels';
import { z } from 'zod';
import { kernelFileSchema } from '../contributed/manifest';
import { environmentSchema, profileSchema } from '../measure/device';
import {
  type Duel,
  duelSchema,
  type Measurement,
  mayEndOtherwise,
  type OutcomeKind,
  outcomeReason,
  outcomeSchema,
} from '../measure/outcome';
import { policyIdSchema } from '../measure/policy';
import { seedSchema } from '../measure/seed';
import { problemSchema, variantSchema } from '../plan/spec';
import { MAXIMA, shortened, source } from '../schema/maxima';
import { date, id } from './answer';
import { type Figures, figuresOf } from './metrics';
import type { ImportedMark, Result } from './result';
import { tuningRequestSchema } from './tuning';

const measuredSchema = z.object({
  variant: variantSchema,
  problem: problemSchema,
  profile: profileSchema,
  policy: policyIdSchema,
});

/** A run as a plan asks for it. */
export interface RunSpec extends z.infer<typeof measuredSchema> {
  /** Canonical address of the variant. */
  readonly address: string;
  readonly deviceKey: string;
  /** The variant that it takes turns with once it is measured. */
  readonly rival?: { readonly variant: Variant } | undefined;
}

/** A row of "Run", as a plan or a file writes it. */
export interface RunRow extends Pick<RunSpec, 'address' | 'deviceKey' | 'profile' | 'policy'> {
  readonly id: string;
  /** Its place in its sweep. */
  readonly ordinal: number;
  readonly kernel: string;
  readonly tunables: Variant['tunables'];
  readonly op: string;
  readonly shape: string;
  readonly dtype: string;
  readonly epilogue: string | null;
  readonly rival: Variant | null;
  /** It needs a contributed kernel, its own or its rival's. */
  readonly contributed: boolean;
  readonly state: RunShown['kind'];
  /** Who measured it, or is doing so. */
  readonly workerId: string | null;
  readonly endedAt: string | null;
}

/** What was measured for a search before: a variant on a shape, alone or in turns with a rival. */
const searchedRunSchema = z.object({
  shape: z.string(),
  address: z.string(),
  policy: policyIdSchema,
  rival: z.string().nullable(),
  kind: z.enum(['measured', 'skipped', 'incorrect', 'failed']),
  /** Cold, with the ends of its interval; null unless measured. */
  medianNs: z.number().nullable(),
  lowNs: z.number().nullable(),
  highNs: z.number().nullable(),
  unranked: z.string().nullable(),
  disbelieved: z.boolean(),
  /** What the turns prove; null: nothing, or it has none. */
  contrast: duelSchema
    .pick({ verdict: true, ratio: true, low: true, high: true, wouldTake: true })
    .nullable(),
  spentNs: z.number(),
});
export type SearchStep = z.infer<typeof searchedRunSchema>;

/** A run as its worker receives it. */
export const runClaimSchema = measuredSchema.extend({
  id,
  deviceKey: z.string(),
  /** 1 the first time; n: n - 1 workers were lost while running it. */
  attempt: z.number().int(),
  /** Drawn when it was claimed first (measure/seed.ts). */
  seed: seedSchema,
  /**
   * Runs of one occasion have a process that began with the first of them, so that two occasions are
   * two invocations; absent: any process will do.
   */
  occasion: id.optional(),
  /** Of a contributed kernel: its file and, if it is not to be run, why. */
  contributed: z.object({ file: kernelFileSchema, refusal: z.string().nullable() }).optional(),
  /** The variant that it takes turns with once it is measured, likewise; absent: none. */
  rival: z
    .object({
      variant: variantSchema,
      file: kernelFileSchema.optional(),
      refusal: z.string().nullable(),
    })
    .optional(),
  /**
   * It is a search, which its worker drives: each variant that it measures is a run of its own that
   * names this one as its `searchId`. With what was measured so far.
   */
  search: z.object({ request: tuningRequestSchema, steps: z.array(searchedRunSchema) }).optional(),
});
export type RunClaim = Readonly<z.infer<typeof runClaimSchema>>;

/** The body in which a worker sends a run that ended. */
export const runOutcomeSchema = z.object({
  /** The search that the run is of, which its worker named itself. */
  searchId: id.optional(),
  /** What it measured, which is checked against the row. Absent in journals of versions before the protocol. */
  run: measuredSchema.extend({ rival: variantSchema.optional() }).optional(),
  environment: environmentSchema,
  /** The specialised source; null for host kernels and skipped runs. */
  wgsl: source.nullable(),
  outcome: outcomeSchema,
  /** When it had its turn on its machine; absent: a worker that does not tell. */
  beganAt: date.optional(),
  endedAt: date,
});

/** A run as its worker hands it in; also a file of its journal. Writing it twice changes nothing. */
export type RunOutcome = Readonly<z.infer<typeof runOutcomeSchema>> & {
  readonly runId: string;
  readonly workerId: string;
};

/**
 * A run as every list of the site shows it: who ran what, how it ended, and the figures of the metrics. What
 * follows from it (a label, a group, the threads of a workgroup) is a function of it. Samples are in a
 * `Result` only: those of thousands of runs would be megabytes.
 */
export interface RunShown
  extends Pick<
    Result,
    'runId' | 'resultId' | 'variant' | 'address' | 'problem' | 'device' | 'profile' | 'policy'
  > {
  readonly kind: OutcomeKind | 'pending' | 'running';
  /** Why it has no figures, or why they are not ranked; null where there is nothing to explain. */
  readonly reason: string | null;
  /** It failed, and may end otherwise when it is tried again. */
  readonly mayRetry?: true;
  readonly figures: Figures | null;
  /** Null: it has no rival, or was not measured. */
  readonly duel: ShownDuel | null;
  /** When it was measured; null until it has been. */
  readonly endedAt: string | null;
  readonly imported: ImportedMark | null;
  /** Whose it is, where it decides nothing. */
  readonly untrusted?: string;
}

/** A shown run that was measured. */
export type MeasuredRun = RunShown & { readonly figures: Figures };

export const isMeasured = (run: RunShown): run is MeasuredRun => run.figures !== null;

/** The duel of a run with the rival of its case. */
export interface ShownDuel {
  /** The rival's address. */
  readonly against: string;
  /** How many times its speed, with the 95% interval; null: see `why`. */
  readonly contrast: Pick<Duel, 'verdict' | 'ratio' | 'low' | 'high' | 'rounds'> | null;
  /** Why there is no ratio; null where there is one. */
  readonly why: string | null;
}

/** The view of a run as the API answers it; its samples may be left out. */
export const runShown = ({
  outcome,
  ...run
}: Omit<Result, 'rate'> & { rate?: Result['rate'] }): RunShown => ({
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
  figures: outcome?.kind === 'measured' ? figuresOf(outcome.measurement, run.problem) : null,
  duel: outcome?.kind === 'measured' ? duelView(outcome.measurement) : null,
  endedAt: run.endedAt ?? null,
  imported: run.imported ?? null,
  ...(run.trusted === false && { untrusted: run.tokenName ?? 'unknown' }),
});

/** Thousands of runs may each have one; the result's own page has all of it. */
function reasonInList(outcome: Result['outcome']): string | null {
  const reason = outcomeReason(outcome);
  return reason === null ? null : shortened(reason, MAXIMA.characters.reasonInList);
}

/** The turns of a measurement without their samples. A duel with a side that is not believed has no ratio. */
export function duelView({ duel: turns }: Measurement): ShownDuel | null {
  if (!turns) return null;
  const { against, duel } = turns;
  const why = turns.why ?? duel?.a.implausible ?? duel?.b.implausible ?? null;
  if (!duel || why !== null) return { against, contrast: null, why };
  const { high, low, ratio, rounds, verdict } = duel;
  return { against, contrast: { verdict, ratio, low, high, rounds }, why: null };
}
