import { totalmem } from 'node:os';
import {
  type DeviceReport,
  DeviceRunner,
  type MeasureInput,
  type MeasureOptions,
} from '@tilemark/core';
import { type Account, DeviceProcess } from './device-process';

export type { DeviceReport, MeasureInput, MeasureOptions };

interface OwnerOptions {
  /** The bundled program of the child. */
  readonly entry: URL;
  /** What `--device` takes: an index, `cpu` or `auto`. */
  readonly device: string;
  readonly watchdogMs?: number;
  /** The folder of another release of `webgpu` than the one that ships. */
  readonly release?: string;
  /** Of the process of a contributed kernel, which may have no more. */
  readonly foreignBytes?: number;
  /** Who that process runs as. */
  readonly foreignAccount?: Account | undefined;
}

/** Half of the machine's memory, and this at most. */
const FOREIGN_BYTES = Math.min(totalmem() / 2, 8 * 2 ** 30);

/** Measures runs on one device of this machine, in child processes. */
export class Runner extends DeviceRunner {
  constructor(options: OwnerOptions) {
    const { device, entry, foreignAccount, foreignBytes = FOREIGN_BYTES } = options;
    const { release, watchdogMs } = options;
    super(
      (profile, isForeign) =>
        new DeviceProcess(
          entry,
          { kind: 'own', device, profile, release },
          isForeign ? { memoryBytes: foreignBytes, account: foreignAccount } : {},
        ),
      watchdogMs,
    );
  }
}
