import {
  type DeviceDescription,
  DeviceRunner,
  deviceKey,
  type Environment,
  expand,
  type Result,
  resultOf,
  type Step,
  type SweepSpec,
} from '@tilemark/core';
import type { OwnersTask } from './browser-device';
import { DeviceThread } from './device-thread';
import type { LendingState } from './lending';

/** The GPU of this browser at work for its visitor alone: nobody is told. */

export type Browser = Pick<OwnersTask, 'version' | 'card'>;

/** Work on the GPU while nothing else in this browser measures. */
export const onGpuHere = <T>(
  browser: Browser,
  signal: AbortSignal,
  work: (runner: DeviceRunner, device: DeviceDescription) => Promise<T>,
): Promise<T> =>
  navigator.locks.request('tilemark-gpu', { signal }, async () => {
    const runner = new DeviceRunner((profile) => new DeviceThread({ profile, ...browser }));
    try {
      return await work(runner, await runner.open('default'));
    } finally {
      await runner.close();
    }
  });

export interface QuickState extends Pick<LendingState, 'run'> {
  readonly ended: number;
  readonly total: number;
  readonly environment: Environment | null;
  readonly results: readonly Result[];
}

/** Measures a sweep here: a visitor without an invite looks at its GPU. */
export const benchmarkHere = (
  spec: SweepSpec,
  browser: Browser,
  onChange: (state: QuickState) => void,
  signal: AbortSignal,
): Promise<readonly Result[]> =>
  onGpuHere(browser, signal, async (runner, { identity, capabilities }) => {
    const results: Result[] = [];
    let environment: Environment | null = null;
    const device = { key: deviceKey(identity), class: identity.class, capabilities };
    const planned = expand(spec, [device]);
    const show = (run: LendingState['run'], ended: number) =>
      onChange({ run, ended, total: planned.length, environment, results: [...results] });
    for (const [ended, run] of planned.entries()) {
      const { variant, problem } = run;
      const onStep = (step: Step) => show({ variant, problem, step }, ended);
      const report = await runner.run(run, { onStep, signal });
      environment = report.environment;
      results.push(resultOf(run, identity, report.outcome));
      show(null, ended + 1);
    }
    return results;
  });
