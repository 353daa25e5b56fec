import type { Clocks, DeviceCapabilities, DeviceIdentity, Environment } from '@tilemark/core';
import type { Executor } from '@tilemark/kernels';

/** What the owner of a device is told once it is open. */
export interface DeviceDescription {
  readonly identity: DeviceIdentity;
  readonly capabilities: DeviceCapabilities;
  readonly environment: Environment;
  /** Null where it is not known. */
  readonly lastLevelCacheBytes: number | null;
}

/** A device that is open in this process. */
export interface OpenDevice extends DeviceDescription {
  readonly executor: Executor;
  /** What the driver says of the clocks; null where it says nothing. */
  readonly readClocks: () => Promise<Clocks | null>;
}
