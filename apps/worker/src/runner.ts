import type { Environment, Outcome, PolicyId, Profile, Step } from '@tilemark/core';
import {
  DeviceFault,
  type Problem,
  resolveVariant,
  specialise,
  type Variant,
} from '@tilemark/kernels';
import { DeviceProcess, type DeviceProcessOptions } from './child/device-process';
import type { DeviceDescription } from './device/device';

/** What a runner measures: a run of a sweep, or of `tilemark bench`. */
export interface RunInput {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
}

/** How a run ended, with what has to be kept beside it. */
export interface RunReport {
  readonly outcome: Outcome;
  readonly environment: Environment;
  /** The specialised source; null for host kernels and what was skipped. */
  readonly wgsl: string | null;
}

/**
 * Measures runs on one device, each in a child process that owns the device
 * under the run's profile. A child serves run after run until the profile
 * changes or it faults; then a fresh one is started for the next run.
 */
export class Runner {
  readonly #options: Omit<DeviceProcessOptions, 'profile'>;
  #isBusy = false;
  #open: { profile: Profile; process: DeviceProcess; description: DeviceDescription } | null = null;

  constructor(options: Omit<DeviceProcessOptions, 'profile'>) {
    this.#options = options;
  }

  /** Whether a child is measuring. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Pid of the child in service, if any. */
  get pid(): number | undefined {
    return this.#open?.process.pid;
  }

  /**
   * Opens the device under a profile, if it is not open already. Throws
   * InputError when there is no such device, DeviceFault when it does not open.
   */
  async open(profile: Profile): Promise<DeviceDescription> {
    if (this.#open?.profile !== profile || this.#open.process.hasEnded) {
      await this.close();
      const { process, description } = await DeviceProcess.open({ ...this.#options, profile });
      this.#open = { profile, process, description };
    }
    return this.#open.description;
  }

  /**
   * Measures one run. A fault of the device is an outcome, `failed` at stage
   * `device`; only a device that does not open throws.
   */
  async run(
    { variant, problem, profile, policy }: RunInput,
    onStep?: (step: Step) => void,
  ): Promise<RunReport> {
    const { environment } = await this.open(profile);
    const process = this.#open?.process;
    try {
      if (!process) throw new DeviceFault('the device was closed');
      this.#isBusy = true;
      const outcome = await process.run({ variant, problem, policy }, onStep);
      // What cannot run has no source: its tunables may contradict each other.
      const wgsl = outcome.kind === 'skipped' ? null : sourceOf(variant, problem);
      return { outcome, environment, wgsl };
    } catch (error) {
      if (!(error instanceof DeviceFault)) throw error;
      await this.close();
      return {
        outcome: { kind: 'failed', stage: 'device', message: error.message },
        environment,
        wgsl: sourceOf(variant, problem),
      };
    } finally {
      this.#isBusy = false;
    }
  }

  /** Ends the child, also in the middle of a run. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.process.kill();
  }
}

function sourceOf(variant: Variant, problem: Problem): string | null {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  return definition.runsOn === 'gpu' ? specialise(definition, tunables, problem.dtype) : null;
}
