import { feasible, InputError, resolveVariant } from '@tilemark/kernels';
import type { BenchFile, RunResult } from '../api';
import { deviceKey } from '../device';
import type { Environment } from '../environment';
import type { Outcome } from '../outcome';
import { POLICIES, type PolicyId } from '../policy';
import { unrankedReason } from '../rank';
import { summarise } from '../stats';
import type { ImportedRun } from './store';

/**
 * A result of a file as it may be kept; null when it has not ended. What follows from
 * other parts is worked out again: the address, the statistics, and whether it is ranked.
 *
 * @throws InputError naming the field at fault, `results[3].variant.tunables.TILE`
 */
export function importedRun(file: BenchFile, index: number, now: Date): ImportedRun | null {
  const result = file.results[index];
  if (!result?.outcome) return null;
  const { problem, profile, policy, device } = result;
  const field = `results[${index}]`;
  const environment = environmentOf(file, result, field);
  const { kernel, tunables, address } = checkedVariant(result, environment, field);
  return {
    run: {
      variant: { kernel, tunables },
      address,
      problem,
      profile,
      policy,
      deviceKey: device.key,
    },
    environment,
    outcome: checkedOutcome(result.outcome, result, environment, field),
    endedAt: checkedEnd(result, now, field),
  };
}

function environmentOf(
  file: BenchFile,
  { device, profile }: RunResult,
  field: string,
): Environment {
  const environment = [file.environment, ...file.environments].find(
    (each) => deviceKey(each.device) === device.key && each.profile === profile,
  );
  if (environment) return environment;
  throw new InputError(
    `The file holds no environment of device ${device.key} with profile ${profile}.`,
    `${field}.device.key`,
  );
}

function checkedVariant(
  { variant, problem, outcome }: RunResult,
  { capabilities, device }: Environment,
  field: string,
) {
  const resolved = resolveVariant(variant.kernel, variant.tunables, `${field}.variant`);
  const { definition } = resolved;
  if (definition.op !== problem.op) {
    throw new InputError(`${definition.id} does not compute ${problem.op}.`, `${field}.problem.op`);
  }
  const isHost = device.class === 'cpu';
  if (isHost !== (definition.runsOn === 'cpu')) {
    const where = isHost ? 'the host' : 'a GPU';
    throw new InputError(`${definition.id} does not run on ${where}.`, `${field}.variant.kernel`);
  }
  const runs = feasible(resolved, problem, capabilities);
  if (outcome?.kind === 'measured' && !runs.ok) {
    throw new InputError(`It cannot have been measured: ${runs.why}.`, `${field}.outcome.kind`);
  }
  return resolved;
}

function checkedOutcome(
  outcome: Outcome,
  { policy }: RunResult,
  { device }: Environment,
  field: string,
): Outcome {
  if (outcome.kind !== 'measured') return outcome;
  const { measurement } = outcome;
  const at = `${field}.outcome.measurement`;
  if (measurement.policy !== policy) {
    throw new InputError(`The run had policy ${policy}, its measurement another.`, `${at}.policy`);
  }
  if (measurement.cold.samplesNs.length === 0) {
    throw new InputError('A measurement without samples proves nothing.', `${at}.cold.samplesNs`);
  }
  const cold = summarise(measurement.cold.samplesNs);
  const { timer, stop, roof = null } = measurement;
  const found = unrankedReason({
    policy: POLICIES[policy],
    timer,
    deviceClass: device.class,
    cold,
    stop,
    roof,
  });
  const unranked = found ?? measurement.unranked ?? tooFewSamples(cold.n, policy);
  return { kind: 'measured', measurement: { ...measurement, cold, unranked } };
}

function tooFewSamples(n: number, policy: PolicyId): string | null {
  const least = POLICIES[policy].minSamplesSlow;
  return n < least ? `${n} samples, and policy ${policy} takes ${least} at least` : null;
}

/** A file without times is of now; a clock that is ahead by a minute is forgiven. */
function checkedEnd({ endedAt }: RunResult, now: Date, field: string): string {
  if (!endedAt) return now.toISOString();
  if (Date.parse(endedAt) <= now.getTime() + 60_000) return endedAt;
  throw new InputError(`${endedAt} has not come yet.`, `${field}.endedAt`);
}
