import { randomUUID } from 'node:crypto';
import { type DeviceIdentity, deviceKey, type Outcome, type RunResult } from '@tilemark/core';
import { opOf } from '@tilemark/kernels';

/** A run that ended on this machine, as files and tables have it. */
export function resultOf(
  run: Pick<RunResult, 'variant' | 'address' | 'problem' | 'profile' | 'policy'>,
  device: DeviceIdentity,
  outcome: Outcome,
  endedAt = new Date().toISOString(),
): RunResult {
  const { variant, address, problem, profile, policy } = run;
  const op = opOf(problem);
  return {
    runId: randomUUID(),
    resultId: null,
    ...{ variant, address, problem, profile, policy },
    device: { key: deviceKey(device), name: device.device, class: device.class },
    outcome,
    endedAt,
    rate:
      outcome.kind === 'measured'
        ? { value: op.rate(problem, outcome.measurement.cold.medianNs), unit: op.rateUnit(problem) }
        : null,
  };
}
