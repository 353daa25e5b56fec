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

/** Measures runs on one device of this machine, in child processes. */
export class Runner extends DeviceRunner {
  constructor({ entry, device, watchdogMs }: RunnerOptions) {
    super((profile) => new DeviceProcess(entry, { kind: 'own', device, profile }), watchdogMs);
  }
}
