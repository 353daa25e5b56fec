import { elements, InputError, opOf, type Problem, refuseIf } from '@tilemark/kernels';
import { median, sum } from 'd3-array';
import { MAX_BUFFER_SETS, MAX_DISPATCHES, shortestSampleNs } from '../../measure/calibrate';
import type { Energy } from '../../measure/energy';
import { METHODOLOGY_VERSION, type Measurement, type Outcome } from '../../measure/outcome';
import { POLICIES, type Policy } from '../../measure/policy';
import { stoppingRule } from '../../measure/stopping';
import type { AskedRun } from '../../plan/expansion';
import { coefficientOfVariation } from '../../statistics/median';
import { type Series, summarise } from '../../statistics/summary';

/**
 * What no honest run can have reported. A measurement comes from a machine or a file that nobody
 * here watched, so it is held against itself: its statistics against its samples, its samples
 * against its clock, the reason it stopped against the stopping rule, its dispatches against the
 * policy. This cannot tell a careful forgery from a result; it leaves only the careful ones, for
 * the roof and a second machine to tell (docs/measure.md).
 */

/** Two numbers farther apart than this are not the same computation in two JavaScript engines. */
const SAME_WITHIN = 1e-9;

/** Replaying the stopping rule takes time that grows with the square of the samples. */
const MAX_REPLAYED = 2_000;

/** Samples are grown to the policy's length while the device may idle, at up to a fifth of its clocks. */
const SHORTEST_PART = 1 / 20;

/**
 * Equal samples prove nothing while the clock is this coarse beside them; a device never repeats
 * itself to a millionth.
 */
const FINE_STEPS = 1e6;

/** From this many samples on, repetitions can be told from chance. */
const MIN_TELLING = 10;

/**
 * Throws InputError at the field that contradicts another, with what it should be; `at` is where
 * the outcome is, for example `results[3].outcome`.
 *
 * @param leaseNs how long the run was claimed for, if that is known
 */
export function checkOutcome(
  outcome: Outcome,
  run: Pick<AskedRun, 'policy' | 'problem'>,
  at: string,
  leaseNs: number | null = null,
): void {
  if (outcome.kind === 'incorrect') {
    const { got, want, bound } = outcome.worst;
    const isWithin =
      typeof got === 'number' && typeof want === 'number' && Math.abs(got - want) <= bound;
    refuseIf(isWithin, 'An error within its bound is not incorrect.', `${at}.worst.got`);
  }
  if (outcome.kind !== 'measured') return;
  const { measurement } = outcome;
  const field = `${at}.measurement`;
  checkProcedure(measurement, run, field);
  checkSeries(measurement.cold, measurement, run, `${field}.cold`);
  if (measurement.hot) checkSeries(measurement.hot, measurement, run, `${field}.hot`);
  if (leaseNs !== null) checkDuration(measurement, POLICIES[run.policy], leaseNs, field);
  // How earlier versions computed intervals, and when they stopped, is theirs; both are computed again.
  if (measurement.methodologyVersion === METHODOLOGY_VERSION && measurement.cold.independent) {
    checkStatistics(measurement.cold, `${field}.cold`);
    if (measurement.hot) checkStatistics(measurement.hot, `${field}.hot`);
    checkStop(measurement, POLICIES[run.policy], field);
  }
  if (measurement.energy) checkEnergy(measurement, measurement.energy, POLICIES[run.policy], field);
}

/** Whether the parts of the record belong to one run of the procedure. */
function checkProcedure(
  measurement: Measurement,
  run: Pick<AskedRun, 'policy' | 'problem'>,
  at: string,
): void {
  const { bufferSets, dispatchesPerSample, hot, methodologyVersion, stop } = measurement;
  const policy = POLICIES[run.policy];
  refuseIf(
    methodologyVersion > METHODOLOGY_VERSION,
    `It was measured by version ${methodologyVersion} of the methodology; this grid uses ${METHODOLOGY_VERSION}.`,
    `${at}.methodologyVersion`,
  );
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

/** Whether a clock and a device can have produced the samples. */
function checkSeries(
  { samplesNs }: Series,
  { dispatchesPerSample, timer }: Measurement,
  { policy: policyId, problem }: Pick<AskedRun, 'policy' | 'problem'>,
  at: string,
): void {
  const field = `${at}.samplesNs`;
  refuseIf(samplesNs.length === 0, 'A measurement needs samples.', field);
  const policy = POLICIES[policyId];
  // Not by `summarise`, which takes the longer, the more samples hang together: what is refused is cheap.
  const medianNs = median(samplesNs) ?? Number.NaN;
  const cv = coefficientOfVariation(samplesNs);
  const figures = [medianNs, cv, opOf(problem).rate(problem, medianNs)];
  refuseIf(!figures.every(Number.isFinite), 'No clock measures such times.', field);
  const passes = samplesNs.map((ns) => ns * dispatchesPerSample);
  const typical = medianNs * dispatchesPerSample;
  const shortest = shortestSampleNs(policy, timer);
  refuseIf(
    dispatchesPerSample < MAX_DISPATCHES && typical < SHORTEST_PART * shortest,
    `A sample lasts ${typical} ns; policy ${policyId} takes more dispatches until one lasts ${shortest} ns.`,
    `${at.slice(0, at.lastIndexOf('.'))}.dispatchesPerSample`,
  );
  const off = passes.filter((ns) => !isMultiple(ns, timer.tickNs)).length;
  refuseIf(
    timer.kind === 'timestamp' && 2 * off > passes.length,
    `${off} of ${passes.length} samples are not multiples of the clock's step, ${timer.tickNs} ns.`,
    field,
  );
  checkRepetition(samplesNs, typical / timer.tickNs, field);
}

/** Up to what dividing by the dispatches rounds. */
function isMultiple(ns: number, tickNs: number): boolean {
  if (tickNs === 0) return true;
  const steps = ns / tickNs;
  return steps > 0.5 && Math.abs(steps - Math.round(steps)) <= 1e-9 * steps + 1e-3;
}

/** Samples that repeat themselves where noise never does. */
function checkRepetition(samplesNs: readonly number[], steps: number, field: string): void {
  if (samplesNs.length < MIN_TELLING) return;
  refuseIf(
    new Set(samplesNs).size === 1 && steps >= FINE_STEPS,
    `${samplesNs.length} samples are equal to the last digit, by a clock that resolves a millionth of them.`,
    field,
  );
  const length = repeatedBlock(samplesNs);
  refuseIf(length !== null, `The first ${length} samples repeat over and over.`, field);
}

/**
 * Length of the block that a series repeats from its beginning to its end; null without one. It
 * has to contain five different values, so that a coarse clock's few do not look like one.
 *
 * A beginning that is also the end repeats with what is left as its block, and so does the longest
 * beginning that is also the end of that: all of them in one pass (D. E. Knuth, J. H. Morris and
 * V. R. Pratt, Fast pattern matching in strings, 1977). A file chooses how many samples it has.
 */
export function repeatedBlock(samplesNs: readonly number[]): number | null {
  const n = samplesNs.length;
  /** Of the first `i + 1` samples: the longest beginning, not all, that is also their end. */
  const borders = new Uint32Array(n);
  const borderOf = (count: number) => borders[count - 1] ?? 0;
  for (let i = 1; i < n; i++) {
    let border = borderOf(i);
    while (border > 0 && samplesNs[i] !== samplesNs[border]) border = borderOf(border);
    borders[i] = samplesNs[i] === samplesNs[border] ? border + 1 : 0;
  }
  const different = new Set<number | undefined>();
  let counted = 0;
  for (let border = borderOf(n); border >= MIN_TELLING; border = borderOf(border)) {
    const length = n - border;
    if (2 * length > n) return null;
    for (; counted < length; counted++) different.add(samplesNs[counted]);
    if (different.size >= 5) return length;
  }
  return null;
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

/**
 * Whether the stopping rule allows the stated end. It looked at the series at moments that are not
 * recorded, so only what holds at the last look is held against it.
 */
function checkStop(
  { cold: { samplesNs }, dispatchesPerSample, stop }: Measurement,
  policy: Policy,
  at: string,
): void {
  if (['throttled', 'capped', 'unsettled'].includes(stop) || samplesNs.length > MAX_REPLAYED)
    return;
  const rule = stoppingRule(policy, () => 0);
  rule.start();
  for (const ns of samplesNs) {
    rule.add({ ns: ns * dispatchesPerSample, dispatches: dispatchesPerSample });
  }
  const allowed = rule.finished();
  if (stop === 'noisy' ? allowed !== 'converged' : allowed === stop) return;
  throw new InputError(
    `It states that it stopped as ${stop}; with these samples it would ${allowed ? `have stopped as ${allowed}` : 'have gone on'}.`,
    `${at}.stop`,
  );
}

/** A dispatch of a stretch takes at least this part of the quickest sample: caches may be warmer. */
const STRETCH_PART = 0.5;

/** Whether the stretches are those that the policy asks for, of the dispatches that were timed. */
function checkEnergy(
  { cold }: Measurement,
  energy: Energy,
  { energy: plan, id }: Policy,
  at: string,
): void {
  refuseIf(plan === undefined, `Policy ${id} measures no energy.`, `${at}.energy`);
  for (const [index, { dispatches, ns }] of energy.stretches.entries()) {
    const field = `${at}.energy.stretches[${index}]`;
    const leastNs = plan?.stretchNs ?? 0;
    refuseIf(ns < leastNs, `A stretch lasts at least ${leastNs / 1e9} s.`, `${field}.ns`);
    refuseIf(
      ns / dispatches < STRETCH_PART * cold.minNs,
      `Its dispatches take ${ns / dispatches} ns, but ${cold.minNs} ns when they were timed.`,
      `${field}.dispatches`,
    );
  }
}

/**
 * Whether everything that was timed fits into the time there was. A kernel may have been compiled before,
 * for a run that was cancelled or ahead of its own.
 */
function checkDuration(
  { cold, dispatchesPerSample, energy, hot, stop }: Measurement,
  policy: Policy,
  leaseNs: number,
  at: string,
): void {
  const timedNs =
    dispatchesPerSample * (sum(cold.samplesNs) + sum(hot?.samplesNs ?? [])) +
    sum(energy?.stretches ?? [], ({ ns }) => ns);
  const claimed = `the run was claimed ${(leaseNs / 1e9).toFixed(3)} s ago.`;
  refuseIf(
    timedNs > leaseNs,
    `Its samples last ${(timedNs / 1e9).toFixed(3)} s; ${claimed}`,
    `${at}.cold.samplesNs`,
  );
  refuseIf(
    (stop === 'capped' || stop === 'unsettled') && leaseNs < policy.maxWallNs,
    `It states that it stopped after ${policy.maxWallNs / 1e9} s; ${claimed}`,
    `${at}.stop`,
  );
}
