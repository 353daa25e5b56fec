import { totalmem } from 'node:os';
import { DeviceRunner, type RunInput, type RunOptions, type RunReport } from '@tilemark/core';
import { DeviceProcess } from './device-process';

export type { RunInput, RunOptions, RunReport };

export interface RunnerOptions {
  /** The bundled program of the child. */
  readonly entry: URL;
  /** What `--device` takes: an index, `cpu` or `auto`. */
  readonly device: string;
  readonly watchdogMs?: number;
  /** Of the process of a contributed kernel, which may have no more. */
  readonly foreignBytes?: number;
}

/** Half of the machine's memory, and this at most. */
const FOREIGN_BYTES = Math.min(totalmem() / 2, 8 * 2 ** 30);

/** Measures runs on one device of this machine, in child processes. */
export class Runner extends DeviceRunner {
  constructor({ entry, device, watchdogMs, foreignBytes = FOREIGN_BYTES }: RunnerOptions) {
    super(
      (profile, isForeign) =>
        new DeviceProcess(
          entry,
          { kind: 'own', device, profile },
          isForeign ? foreignBytes : Number.POSITIVE_INFINITY,
        ),
      watchdogMs,
    );
  }
}
