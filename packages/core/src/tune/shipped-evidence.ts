import type { Problem } from '@tilemark/kernels';
import type { DeviceIdentity, Profile } from '../measure/device';
import { type Evidence, evidenceSchema, observationsOf } from './evidence';
import h200Half from './evidence/nvidia-h200-matmul-f16.json';
import h200HalfSums from './evidence/nvidia-h200-matmul-f16acc16.json';
import h200 from './evidence/nvidia-h200-matmul-f32.json';
import h200Transpose from './evidence/nvidia-h200-transpose-f32.json';
import { Selector } from './selector';
import { isOn, type TunedOn } from './tuned';

/** What was measured on devices that were surveyed. Several hundred kilobytes: not for browsers. */
let parsed: readonly Evidence[] | undefined;

export function shippedEvidence(): readonly Evidence[] {
  parsed ??= [h200, h200Half, h200HalfSums, h200Transpose].map((file) =>
    evidenceSchema.parse(file),
  );
  return parsed;
}

export interface ShippedSelector {
  readonly selector: Selector;
  readonly device: DeviceIdentity;
  readonly driver: string;
  readonly measuredAt: string;
  /** The profile it was measured under. */
  readonly profile: Profile;
}

const fitted = new Map<Evidence, ShippedSelector>();

/** The selector for a device, of the same profile; null if nothing was measured on one like it. */
export function shippedSelector(
  on: TunedOn,
  { op, dtype, profile }: Pick<Problem, 'op' | 'dtype'> & { readonly profile: Profile },
): ShippedSelector | null {
  const file = shippedEvidence().find(
    (each) =>
      isOn(each.device, on) && each.op === op && each.dtype === dtype && each.profile === profile,
  );
  if (!file) return null;
  const known = fitted.get(file);
  if (known) return known;
  const { device, driver, measuredAt } = file;
  const selector = new Selector(observationsOf(file));
  const made = { selector, device, driver, measuredAt, profile };
  fitted.set(file, made);
  return made;
}
