import {
  type DeviceDescription,
  deviceKey,
  type Environment,
  expand,
  type Profile,
  type Result,
  type RunSpec,
  resultOf,
  type Step,
  type SweepSpec,
} from '@tilemark/core';
import type { Runner } from '../../child/runner';
import { MachineTurn } from '../../run/machine-lock';

/** The devices of a session by their keys. */
type OpenDevices = ReadonlyMap<string, { runner: Runner; description: DeviceDescription }>;

interface SessionHooks {
  /** Something else on this machine is measuring and finishes first. */
  readonly onWait: (run: RunSpec) => void;
  readonly onStep: (run: RunSpec, step: Step) => void;
  /** Awaited before the next run begins. */
  readonly onResult: (result: Result, soFar: Measured) => Promise<void>;
}

/** Results, and every environment they were measured in. */
export interface Measured {
  readonly results: Result[];
  readonly environments: Environment[];
}

/** Opens every device. Of two equal devices the first stands for both. */
export async function openAll(runners: readonly Runner[]): Promise<OpenDevices> {
  const open = new Map<string, { runner: Runner; description: DeviceDescription }>();
  for (const runner of runners) {
    const description = await runner.open('default');
    const key = deviceKey(description.identity);
    if (!open.has(key)) open.set(key, { runner, description });
  }
  return open;
}

/** The runs of a sweep on these devices, by device and profile. */
export function planOf(spec: SweepSpec, runners: OpenDevices): RunSpec[] {
  const devices = [...runners].map(([key, { description }]) => ({
    key,
    class: description.identity.class,
    runtime: description.identity.runtime,
    capabilities: description.capabilities,
  }));
  const keys = [...runners.keys()];
  const place = (run: RunSpec) => 2 * keys.indexOf(run.deviceKey) + Number(run.profile === 'fast');
  return expand(spec, devices).toSorted((a, b) => place(a) - place(b));
}

/**
 * Measures every run in turn.
 *
 * @param seed of all of them, so that the references of one problem serve all of its runs
 */
export async function measureAll(
  plan: readonly RunSpec[],
  runners: OpenDevices,
  seed: number,
  { onWait, onStep, onResult }: SessionHooks,
): Promise<Measured> {
  const results: Result[] = [];
  const environments = new Map<`${string} ${Profile}`, Environment>();
  const turn = new MachineTurn();
  try {
    for (const run of plan) {
      const device = runners.get(run.deviceKey);
      if (!device) throw new Error(`no runner for ${run.deviceKey}`);
      const { outcome, environment } = await turn.take(
        () => device.runner.run({ ...run, seed }, { onStep: (step) => onStep(run, step) }),
        { onWait: () => onWait(run) },
      );
      environments.set(`${run.deviceKey} ${run.profile}`, environment);
      const result = resultOf(run, device.description.identity, outcome);
      results.push(result);
      await onResult(result, { results, environments: [...environments.values()] });
    }
  } finally {
    await turn.end();
  }
  return { results, environments: [...environments.values()] };
}
