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
}

/** The process of a contributed kernel may have half of the machine's memory, and this at most. */
const MEMORY_OF_CONTRIBUTED = Math.min(totalmem() / 2, 8 * 2 ** 30);

/** Measures runs on one device of this machine, in child processes. */
export class Runner extends DeviceRunner {
  constructor({ entry, device, watchdogMs }: RunnerOptions) {
    super(
      (profile, isForeign) =>
        new DeviceProcess(
          entry,
          { kind: 'own', device, profile },
          isForeign ? MEMORY_OF_CONTRIBUTED : Number.POSITIVE_INFINITY,
        ),
      watchdogMs,
    );
  }
}
