import type { Executor, KernelFile, Problem, Variant } from '@tilemark/kernels';
import type { DeviceCapabilities, DeviceIdentity, Environment } from '../measure/device';
import type { DuelOptions, DuelOutcome, SideInput } from '../measure/duel';
import type { EnergyMeter } from '../measure/energy';
import type { Step } from '../measure/measure';
import type { Clocks, Duel, Outcome } from '../measure/outcome';
import type { PolicyId } from '../measure/policy';
import type { RooflineSurvey } from '../measure/roofline';

/**
 * A worker at work, on a machine or in a browser's tab. GPU drivers crash, hang and
 * lose devices, so a device is owned by something that can be ended and replaced: a child process,
 * or a Web Worker. This file is what its user and it say to each other; `own-device.ts` is the
 * owner's side, `DeviceOwner` (device-owner.ts) the user's, `Runner` (runner.ts) one owner per
 * profile, replaced after a fault. Above them `GridWorker` (worker.ts) serves a grid over its link,
 * `measureClaimed` (claimed-run.ts) measures one of its runs, and `Outbox` hands in what its journal keeps.
 */

/** A device as its owner describes it once it is open. */
export interface DeviceDescription {
  readonly identity: DeviceIdentity;
  readonly capabilities: DeviceCapabilities;
  readonly environment: Environment;
}

/** A device that is open here. */
export interface OpenDevice extends DeviceDescription {
  readonly executor: Executor;
  /** Null if unknown. */
  readonly lastLevelCacheBytes: number | null;
  /** Begins to watch them, until the owner ends; absent if the driver does not report them. */
  readonly watchClocks?: () => () => Clocks | null;
  /** Frees on the host what earlier runs left; absent: nothing can. */
  readonly collectGarbage?: () => Promise<void>;
  /** Opens its energy counter; null or absent if there is none. */
  readonly energyMeter?: () => Promise<EnergyMeter | null>;
}

/** A device that there is, with what `--device` calls it. */
export interface ListedDevice {
  readonly flag: string;
  readonly identity: DeviceIdentity;
  /** Which of the machine's cards it is, where the driver tells. */
  readonly card?: { readonly busId: string; readonly uuid: string };
}

/** A variant for an owner to compile. */
export interface Compilable {
  readonly variant: Variant;
  readonly problem: Problem;
}

/** A variant for an owner to measure. */
export interface Measurable extends Compilable {
  readonly policy: PolicyId;
  /** Of the inputs and of what is checked; absent: the owner draws it. */
  readonly seed?: number | undefined;
}

/** Two variants for an owner to let take turns. */
export interface Dueling extends DuelOptions {
  readonly a: Variant;
  readonly b: Variant;
  readonly problem: Problem;
}

export type ToOwner =
  /** `ahead` is compiled meanwhile; the outcome is sent once that has ended, too. */
  | {
      readonly kind: 'run';
      readonly run: Measurable;
      readonly ahead: readonly Compilable[];
      readonly files: readonly KernelFile[];
    }
  /** `files` are those of the contributed kernels. */
  | { readonly kind: 'duel'; readonly duel: Dueling; readonly files: readonly KernelFile[] }
  /** Opens one side of a duel, the other side of which another owner has. */
  | { readonly kind: 'open side'; readonly side: SideInput; readonly files: readonly KernelFile[] }
  /** Of the open side. */
  | { readonly kind: 'turn' | 'end side' }
  /** Probe all that the device can do. */
  | { readonly kind: 'survey' };

export type FromOwner =
  | { readonly kind: 'devices'; readonly devices: readonly ListedDevice[] }
  /** The device is open and takes runs. */
  | { readonly kind: 'ready'; readonly description: DeviceDescription }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'dueled'; readonly outcome: DuelOutcome }
  | { readonly kind: 'side open' }
  | { readonly kind: 'turned'; readonly ns: number }
  | { readonly kind: 'side done'; readonly side: Duel['a'] }
  /** Instead of each of these three. */
  | { readonly kind: 'side ended'; readonly outcome: Outcome }
  /** `survey` is null where the device has no probes. */
  | { readonly kind: 'surveyed'; readonly survey: RooflineSurvey | null }
  /** The owner ends: `field` is what names a device that does not exist, else the device failed. */
  | { readonly kind: 'failure'; readonly message: string; readonly field: string | null };
