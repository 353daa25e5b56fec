import type { DuelOutcome, Outcome, PolicyId, Profile, RooflineSurvey, Step } from '@tilemark/core';
import type { Problem, Variant } from '@tilemark/kernels';
import type { DeviceDescription } from '../device/device';
import type { ListedDevice } from '../device/select';

/**
 * What passes between a worker and the child process that owns its GPU. The first argument of
 * a child is its task; then messages go both ways over Node's channel.
 */

/** What a child is for; passed as JSON in its only argument. */
export type ChildTask =
  /** List the devices of this machine and exit: even that can crash a driver. */
  | { readonly kind: 'list' }
  /** Own a device; `device` is what `--device` takes: an index, `cpu` or `auto`. */
  | { readonly kind: 'own'; readonly device: string; readonly profile: Profile };

/** What a child compiles. */
export interface Compilable {
  readonly variant: Variant;
  readonly problem: Problem;
}

/** What a child measures. */
export interface Measurable extends Compilable {
  readonly policy: PolicyId;
  /** Of the inputs and of what is checked; absent: the child draws it. */
  readonly seed?: number | undefined;
}

/** What a child lets take turns. */
export interface Dueling {
  readonly a: Variant;
  readonly b: Variant;
  readonly problem: Problem;
  /** It ends then, decided or not; absent: the default. */
  readonly longestNs?: number;
}

export type FromParent =
  /** `next` is compiled meanwhile; the outcome is sent once that has ended, too. */
  | { readonly kind: 'run'; readonly run: Measurable; readonly next: Compilable | null }
  | { readonly kind: 'duel'; readonly duel: Dueling }
  /** Probe all that the device can do. */
  | { readonly kind: 'survey' };

export type FromChild =
  | { readonly kind: 'devices'; readonly devices: readonly ListedDevice[] }
  /** The device is open and takes runs. */
  | { readonly kind: 'ready'; readonly description: DeviceDescription }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'dueled'; readonly outcome: DuelOutcome }
  /** `survey` is null where the device has no probes. */
  | { readonly kind: 'surveyed'; readonly survey: RooflineSurvey | null }
  /** The child exits: `field` is what names a device that does not exist, else the device failed. */
  | { readonly kind: 'failure'; readonly message: string; readonly field: string | null };
