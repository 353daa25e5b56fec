import type { DeviceClass } from '../device';
import type { SweepSpec } from '../spec';
import { SUITES, suiteSpec } from './registry';
import type { Suite } from './suite';

/** A suite that devices of a class get by themselves, and the sweep it is there. */
export interface StandingSuite {
  readonly suite: Suite;
  /** Other than the defaults: smaller where the device is slow. */
  readonly params: Readonly<Record<string, number>>;
  readonly spec: SweepSpec;
}

/** In the order in which a new device runs them. */
export function standingSuites(deviceClass: DeviceClass): StandingSuite[] {
  return SUITES.flatMap((suite) => {
    const params = suite.standing?.[deviceClass];
    if (!params) return [];
    const given = Object.fromEntries(
      Object.entries(params).filter((entry): entry is [string, number] => entry[1] !== undefined),
    );
    return [{ suite, params: given, spec: suiteSpec(suite.id, given) }];
  });
}
