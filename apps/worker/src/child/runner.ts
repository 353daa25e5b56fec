import type {
  DuelOutcome,
  Environment,
  Outcome,
  PolicyId,
  Profile,
  RooflineSurvey,
  Step,
} from '@tilemark/core';
import {
  DeviceFault,
  type Problem,
  resolveVariant,
  specialise,
  type Variant,
} from '@tilemark/kernels';
import type { DeviceDescription } from '../device/device';
import { DeviceProcess, type DeviceProcessOptions } from './device-process';
import type { Compilable, Dueling } from './protocol';

/** What a runner measures: a run of a sweep or of `tilemark bench`. */
export interface RunInput {
  readonly variant: Variant;
  readonly problem: Problem;
  readonly profile: Profile;
  readonly policy: PolicyId;
  /** Of the inputs and of what is checked; absent: drawn for the run. */
  readonly seed?: number;
}

/** How a run ended, and what is stored with it. */
export interface RunReport {
  readonly outcome: Outcome;
  readonly environment: Environment;
  /** The specialised source; null for host kernels and skipped runs. */
  readonly wgsl: string | null;
}

export interface RunOptions {
  /** Compiled under the run's profile while the run is measured. */
  readonly next?: Compilable | null;
  readonly onStep?: (step: Step) => void;
  readonly signal?: AbortSignal;
}

interface OpenChild {
  readonly process: DeviceProcess;
  readonly description: DeviceDescription;
}

/**
 * Measures runs on one device, each in the child process that owns the device
 * under the run's profile. A child of a GPU serves run after run until it faults; then the
 * next run gets a fresh one. The host's serves a single run: what ran before in a process
 * decides how its loops are compiled, and `cpu-naive` took 36 or 44 ms by the order of runs.
 * The children of two profiles live side by side, but only one is ever at work.
 */
export class Runner {
  readonly #options: Omit<DeviceProcessOptions, 'profile'>;
  readonly #open = new Map<Profile, OpenChild>();
  #working: DeviceProcess | null = null;
  #isClosed = false;

  constructor(options: Omit<DeviceProcessOptions, 'profile'>) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#working?.pid;
  }

  /**
   * Opens the device under a profile unless it is open. Throws InputError if there
   * is no such device, DeviceFault if it does not open.
   */
  async open(profile: Profile): Promise<DeviceDescription> {
    return (await this.#child(profile)).description;
  }

  /**
   * Measures one run. A device fault is an outcome, `failed` at stage `device`, as is a
   * profile under which the device does not open. Throws DeviceFault if it does not open
   * under `default` either: it is gone. An abort kills the child and throws the signal's
   * reason. A run that faults while the next one compiles is measured again without.
   */
  async run(input: RunInput, options: RunOptions = {}): Promise<RunReport> {
    const { variant, problem, profile, policy, seed } = input;
    const { next = null, onStep, signal } = options;
    const abandon = () => void this.#end(profile);
    let environment: Environment | null = null;
    try {
      const { process, description } = await this.#child(profile);
      environment = description.environment;
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abandon);
      this.#working = process;
      const outcome = await process.run({ variant, problem, policy, seed }, next, onStep);
      // A skipped run has no source: its tunables may contradict each other.
      const wgsl = outcome.kind === 'skipped' ? null : sourceOf(variant, problem);
      if (description.identity.class === 'cpu') await this.#end(profile);
      return { outcome, environment, wgsl };
    } catch (error) {
      if (!(error instanceof DeviceFault)) throw error;
      await this.#end(profile);
      // A child that we killed says nothing about the kernel.
      signal?.throwIfAborted();
      // Nor does one that may have died of what it was compiling.
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

  /** Lets two variants take turns in one process. Throws DeviceFault. */
  async duel(profile: Profile, duel: Dueling, onStep?: (step: Step) => void): Promise<DuelOutcome> {
    const { process, description } = await this.#child(profile);
    this.#working = process;
    try {
      return await process.duel(duel, onStep);
    } catch (error) {
      if (error instanceof DeviceFault) await this.#end(profile);
      throw error;
    } finally {
      this.#working = null;
      if (description.identity.class === 'cpu') await this.#end(profile);
    }
  }

  /**
   * The device's measured peaks under a profile; null if it has no probes. Throws
   * DeviceFault; a fresh child then serves what comes next. An abort kills the child
   * and throws the signal's reason.
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

  /** Kills the children, even in the middle of a run. */
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
