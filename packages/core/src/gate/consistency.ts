import { elements, InputError, opOf, type Problem, refuseIf } from '@tilemark/kernels';
import { median } from 'd3-array';
import { MAX_BUFFER_SETS, MAX_DISPATCHES } from '../measure/calibrate';
import type { Measurement, Outcome } from '../measure/outcome';
import { POLICIES } from '../measure/policy';
import { coefficientOfVariation } from '../statistics/median';
import { type Series, summarise } from '../statistics/summary';
import type { GateBasis } from './basis';

/**
 * What no run of ours reports: statistics that are not those of the samples, or parts that are not of
 * one run of the procedure. This finds mistakes and clumsy edits; a careful forgery passes, and is
 * shown as whose it is until an admin trusts them (docs/measure.md).
 */

/** Two numbers farther apart than this are not the same computation in two JavaScript engines. */
const SAME_WITHIN = 1e-9;

/**
 * Throws InputError at the field that contradicts another, `outcome.measurement.cold.medianNs`, with
 * what it should be.
 */
export function checkOutcome(
  outcome: Outcome,
  run: Pick<GateBasis, 'policy' | 'problem' | 'seed'>,
): void {
  if (outcome.kind === 'incorrect') {
    const { got, want, bound } = outcome.worst;
    const isWithin =
      typeof got === 'number' && typeof want === 'number' && Math.abs(got - want) <= bound;
    refuseIf(isWithin, 'An error within its bound is not incorrect.', 'outcome.worst.got');
  }
  if (outcome.kind !== 'measured') return;
  const { measurement } = outcome;
  const field = 'outcome.measurement';
  checkProcedure(measurement, run, field);
  checkSeries(measurement.cold, run.problem, `${field}.cold`);
  if (measurement.hot) checkSeries(measurement.hot, run.problem, `${field}.hot`);
  checkStatistics(measurement.cold, `${field}.cold`);
  if (measurement.hot) checkStatistics(measurement.hot, `${field}.hot`);
}

/** Whether the parts of the record belong to one run of the procedure. */
function checkProcedure(
  measurement: Measurement,
  run: Pick<GateBasis, 'policy' | 'problem' | 'seed'>,
  at: string,
): void {
  const { bufferSets, dispatchesPerSample, hot, stop } = measurement;
  const policy = POLICIES[run.policy];
  refuseIf(
    measurement.policy !== run.policy,
    `The run has policy ${run.policy}, but its measurement has another.`,
    `${at}.policy`,
  );
  const stops = policy.rankable
    ? ['converged', 'noisy', 'capped', 'unsettled', 'throttled']
    : ['quick', 'capped'];
  refuseIf(!stops.includes(stop), `Policy ${run.policy} never stops with '${stop}'.`, `${at}.stop`);
  refuseIf(
    dispatchesPerSample > MAX_DISPATCHES,
    `A sample has at most ${MAX_DISPATCHES} dispatches.`,
    `${at}.dispatchesPerSample`,
  );
  refuseIf(
    bufferSets > MAX_BUFFER_SETS,
    `At most ${MAX_BUFFER_SETS} sets of buffers rotate.`,
    `${at}.bufferSets`,
  );
  refuseIf(
    (hot !== null) !== (policy.hot && bufferSets > 1),
    `${hot ? 'No hot series is measured' : 'The hot series is missing'} under policy ${run.policy} with ${bufferSets} sets of buffers.`,
    `${at}.hot`,
  );
  refuseIf(
    measurement.energy != null && policy.energy === undefined,
    `Policy ${run.policy} measures no energy.`,
    `${at}.energy`,
  );
  const { seed } = measurement.verification;
  refuseIf(
    run.seed !== null && seed !== run.seed,
    'It was verified with another seed than the run has.',
    `${at}.verification.seed`,
  );
  checkVerification(measurement, run.problem, at);
}

function checkVerification(
  { bufferSets, verification }: Measurement,
  problem: Problem,
  at: string,
): void {
  // The last outputs of all sets are verified together.
  const most = bufferSets * elements(opOf(problem).output(problem.shape));
  for (const when of ['before', 'after'] as const) {
    const { checked, worstRatio } = verification[when];
    refuseIf(
      !(worstRatio <= 1),
      'An error above its bound makes the outcome incorrect, not measured.',
      `${at}.verification.${when}.worstRatio`,
    );
    refuseIf(
      checked > most,
      `The outputs have ${most} elements; ${checked} cannot have been compared.`,
      `${at}.verification.${when}.checked`,
    );
  }
}

/** Whether there are samples, and times that have a rate. */
function checkSeries({ samplesNs }: Series, problem: Problem, at: string): void {
  const field = `${at}.samplesNs`;
  refuseIf(samplesNs.length === 0, 'A measurement needs samples.', field);
  // Not by `summarise`, which takes the longer, the more samples hang together: what is refused is cheap.
  const medianNs = median(samplesNs) ?? Number.NaN;
  const cv = coefficientOfVariation(samplesNs);
  const figures = [medianNs, cv, opOf(problem).rate(problem, medianNs)];
  refuseIf(!figures.every(Number.isFinite), 'No clock measures such times.', field);
}

/** Whether the stated figures are those of the samples. */
function checkStatistics(stated: Series, at: string): void {
  const { samplesNs: _, ...figures } = summarise(stated.samplesNs);
  for (const [name, value] of Object.entries(figures)) {
    const claimed: unknown = stated[name as keyof Series];
    if (typeof value !== 'number' || typeof claimed !== 'number') continue;
    if (Math.abs(claimed - value) <= SAME_WITHIN * Math.max(Math.abs(value), 1)) continue;
    throw new InputError(`It states ${claimed}, but its samples give ${value}.`, `${at}.${name}`);
  }
}
