import { randomUUID } from 'node:crypto';
import {
  deviceKey,
  type Environment,
  expand,
  type PlannedRun,
  type Profile,
  type RunResult,
  type Step,
  type SweepSpec,
} from '@tilemark/core';
import { opOf } from '@tilemark/kernels';
import type { DeviceDescription } from '../../device/device';
import { withMachineLock } from '../../machine-lock';
import type { Runner } from '../../runner';

/** The devices of a session by their keys. */
export type Runners = ReadonlyMap<string, { runner: Runner; description: DeviceDescription }>;

export interface SessionHooks {
  /** Something else on this machine is measuring: its run ends first. */
  readonly onWait: (run: PlannedRun) => void;
  readonly onStep: (run: PlannedRun, step: Step) => void;
  /** Awaited before the next run begins. */
  readonly onResult: (result: RunResult, soFar: Measured) => Promise<void>;
}

/** Results, and each environment they were made in. */
export interface Measured {
  readonly results: RunResult[];
  readonly environments: Environment[];
}

/** Opens each device and keys it. The first of two equal devices stands for both. */
export async function openAll(runners: readonly Runner[]): Promise<Runners> {
  const open = new Map<string, { runner: Runner; description: DeviceDescription }>();
  for (const runner of runners) {
    const description = await runner.open('default');
    const key = deviceKey(description.identity);
    if (!open.has(key)) open.set(key, { runner, description });
  }
  return open;
}

/** The runs of a sweep on these devices, device by device and profile by profile. */
export function planOf(spec: SweepSpec, runners: Runners): PlannedRun[] {
  const devices = [...runners].map(([key, { description }]) => ({
    key,
    class: description.identity.class,
    capabilities: description.capabilities,
  }));
  const keys = [...runners.keys()];
  const place = (run: PlannedRun) =>
    2 * keys.indexOf(run.deviceKey) + Number(run.profile === 'fast');
  return expand(spec, devices).toSorted((a, b) => place(a) - place(b));
}

/** Measures every run in turn. */
export async function measureAll(
  plan: readonly PlannedRun[],
  runners: Runners,
  { onWait, onStep, onResult }: SessionHooks,
): Promise<Measured> {
  const results: RunResult[] = [];
  const environments = new Map<`${string} ${Profile}`, Environment>();
  for (const run of plan) {
    const device = runners.get(run.deviceKey);
    if (!device) throw new Error(`no runner for ${run.deviceKey}`);
    const { outcome, environment } = await withMachineLock(
      () => device.runner.run(run, { onStep: (step) => onStep(run, step) }),
      { onWait: () => onWait(run) },
    );
    environments.set(`${run.deviceKey} ${run.profile}`, environment);
    const { deviceKey: key, ...fields } = run;
    const { identity } = device.description;
    const op = opOf(run.problem);
    const result: RunResult = {
      runId: randomUUID(),
      resultId: null,
      ...fields,
      device: { key, name: identity.device, class: identity.class },
      outcome,
      endedAt: new Date().toISOString(),
      rate:
        outcome.kind === 'measured'
          ? {
              value: op.rate(run.problem, outcome.measurement.cold.medianNs),
              unit: op.rateUnit,
            }
          : null,
    };
    results.push(result);
    await onResult(result, { results, environments: [...environments.values()] });
  }
  return { results, environments: [...environments.values()] };
}
