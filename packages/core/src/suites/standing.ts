import type { DeviceClass } from '../device';
import type { SweepSpec } from '../spec';
import { SUITES, suiteSpec } from './registry';
import type { Suite } from './suite';

/** A suite that devices of a class get by themselves, and the sweep it is there. */
export interface StandingSuite {
  readonly suite: Suite;
  /** All of them: smaller than the defaults where the device is slow. */
  readonly params: Readonly<Record<string, number>>;
  readonly spec: SweepSpec;
}

/** In the order in which a new device runs them. */
export function standingSuites(deviceClass: DeviceClass): StandingSuite[] {
  return SUITES.flatMap((suite) => {
    const params = suite.standing?.[deviceClass];
    if (!params) return [];
    const chosen: Readonly<Record<string, number | undefined>> = params;
    const all = Object.fromEntries(
      suite.params.map((param) => [param.name, chosen[param.name] ?? param.default]),
    );
    return [{ suite, params: all, spec: suiteSpec(suite.id, all) }];
  });
}
