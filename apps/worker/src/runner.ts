import type { Environment, Outcome, PolicyId, Profile, RooflineSurvey, Step } from '@tilemark/core';
import {
  DeviceFault,
  type Problem,
  resolveVariant,
  specialise,
  type Variant,
} from '@tilemark/kernels';
import { DeviceProcess, type DeviceProcessOptions } from './child/device-process';
import type { Compilable } from './child/protocol';
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

export interface RunOptions {
  /** Compiled while the run is measured; of its profile. Absent: nothing is. */
  readonly next?: Compilable | null;
  readonly onStep?: (step: Step) => void;
  readonly signal?: AbortSignal;
}

interface OpenChild {
  readonly process: DeviceProcess;
  readonly description: DeviceDescription;
}

/**
 * Measures runs on one device, each in a child process that owns the device
 * under the run's profile. A child serves run after run until it faults; then a
 * fresh one is started for the next run. The children of two profiles live side
 * by side, and only one of them is ever at work.
 */
export class Runner {
  readonly #options: Omit<DeviceProcessOptions, 'profile'>;
  readonly #open = new Map<Profile, OpenChild>();
  #working: DeviceProcess | null = null;
  #isClosed = false;

  constructor(options: Omit<DeviceProcessOptions, 'profile'>) {
    this.#options = options;
  }

  /** Pid of the child that is measuring, if any. */
  get pid(): number | undefined {
    return this.#working?.pid;
  }

  /**
   * Opens the device under a profile, if it is not open already. Throws
   * InputError when there is no such device, DeviceFault when it does not open.
   */
  async open(profile: Profile): Promise<DeviceDescription> {
    return (await this.#child(profile)).description;
  }

  /**
   * Measures one run. A fault of the device is an outcome, `failed` at stage
   * `device`, and so is a profile under which it does not open. Throws
   * DeviceFault when it does not open under `default` either: it is gone.
   * An abort ends the child and throws the signal's reason. A run that faults beside a
   * next one is measured again without.
   */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunReport> {
    const { variant, problem, profile, policy } = input;
    const { next = null, onStep, signal } = options;
    const abandon = () => void this.#end(profile);
    let environment: Environment | null = null;
    try {
      const { process, description } = await this.#child(profile);
      environment = description.environment;
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abandon);
      this.#working = process;
      const outcome = await process.run({ variant, problem, policy }, next, onStep);
      // What cannot run has no source: its tunables may contradict each other.
      const wgsl = outcome.kind === 'skipped' ? null : sourceOf(variant, problem);
      return { outcome, environment, wgsl };
    } catch (error) {
      if (!(error instanceof DeviceFault)) throw error;
      await this.#end(profile);
      // A child that we ended says nothing about the kernel.
      signal?.throwIfAborted();
      // Nor does one that may have died of what it compiled meanwhile.
      if (next && !this.#isClosed) return await this.run(input, { ...options, next: null });
      return {
        outcome: { kind: 'failed', stage: 'device', message: error.message },
        environment: environment ?? { ...(await this.open('default')).environment, profile },
        wgsl: sourceOf(variant, problem),
      };
    } finally {
      signal?.removeEventListener('abort', abandon);
      this.#working = null;
    }
  }

  /**
   * What the device can do at most under a profile; null where it has no probes.
   * Throws DeviceFault, and then a fresh child serves what comes next. An abort ends
   * the child and throws the signal's reason.
   */
  async survey(profile: Profile, signal: AbortSignal): Promise<RooflineSurvey | null> {
    const abandon = () => void this.#end(profile);
    try {
      const { process } = await this.#child(profile);
      signal.throwIfAborted();
      signal.addEventListener('abort', abandon);
      this.#working = process;
      return await process.survey();
    } catch (error) {
      if (error instanceof DeviceFault) await this.#end(profile);
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', abandon);
      this.#working = null;
    }
  }

  /** Ends the children, also in the middle of a run. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#open.keys()].map((profile) => this.#end(profile)));
  }

  async #child(profile: Profile): Promise<OpenChild> {
    const open = this.#open.get(profile);
    if (open && !open.process.hasEnded) return open;
    const started = await DeviceProcess.open({ ...this.#options, profile });
    this.#open.set(profile, started);
    return started;
  }

  async #end(profile: Profile): Promise<void> {
    const open = this.#open.get(profile);
    this.#open.delete(profile);
    await open?.process.kill();
  }
}

function sourceOf(variant: Variant, problem: Problem): string | null {
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  return definition.runsOn === 'gpu' ? specialise(definition, tunables, problem.dtype) : null;
}
