import type { Outcome, PolicyId, Profile, RooflineSurvey, Step } from '@tilemark/core';
import type { Problem, Variant } from '@tilemark/kernels';
import type { DeviceDescription } from '../device/device';
import type { ListedDevice } from '../device/select';

/** What a child is for; passed as JSON in its only argument. */
export type ChildTask =
  /** List the devices of this machine and exit: a driver may crash already there. */
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
}

export type FromParent =
  /** `next` is compiled meanwhile; the outcome comes when that has ended, too. */
  | { readonly kind: 'run'; readonly run: Measurable; readonly next: Compilable | null }
  /** Probe all that the device can do. */
  | { readonly kind: 'survey' };

export type FromChild =
  | { readonly kind: 'devices'; readonly devices: readonly ListedDevice[] }
  /** The device is open; runs may come. */
  | { readonly kind: 'ready'; readonly description: DeviceDescription }
  /** The device cannot be opened. The child exits. `field` is set when what was asked for does not exist. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly field: string | null }
  | { readonly kind: 'step'; readonly step: Step }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  /** `survey` is null where the device has no probes. */
  | { readonly kind: 'surveyed'; readonly survey: RooflineSurvey | null }
  /** The device is of no more use. The child exits. */
  | { readonly kind: 'fault'; readonly message: string };
