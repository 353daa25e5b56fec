import type {
  ClockReading,
  Clocks,
  DeviceCapabilities,
  DeviceIdentity,
  Environment,
} from '@tilemark/core';
import type { Executor } from '@tilemark/kernels';

/**
 * The room of what can be measured: how a device describes itself (this file), how
 * `--device` picks one (`select.ts`), and the host CPU as a device (`host.ts`, with
 * the threads that its parallel kernels share). GPUs come from `gpu/`.
 */

/** What the owner of a device learns once it is open. */
export interface DeviceDescription {
  readonly identity: DeviceIdentity;
  readonly capabilities: DeviceCapabilities;
  readonly environment: Environment;
  /** Null if unknown. */
  readonly lastLevelCacheBytes: number | null;
}

/** A device that is open in this process. */
export interface OpenDevice extends DeviceDescription {
  readonly executor: Executor;
  /** The clocks as the driver reports them; null if it does not. */
  readonly readClocks: () => Promise<Clocks | null>;
  /** Begins to watch them, until the process ends; absent if the driver does not report them. */
  readonly watchClocks?: () => () => ClockReading | null;
}
