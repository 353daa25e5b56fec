import { areStoredAlike, type Problem, plainOf } from '@tilemark/kernels';
import { rollup } from 'd3-array';
import { type DeviceIdentity, engineOf, type Profile } from '../measure/device';
import { deviceKey, hardwareKey, isOn, type ModelQuery } from '../measure/hardware';
import type { RooflineSurvey } from '../measure/roofline';
import { bestOf } from '../measure/stated-rates';
import { type Evidence, evidenceSchema, observationsOf } from './evidence';
import h100Half from './evidence/nvidia-h100-matmul-f16.json';
import h100HalfSums from './evidence/nvidia-h100-matmul-f16acc16.json';
import h100 from './evidence/nvidia-h100-matmul-f32.json';
import h100Transpose from './evidence/nvidia-h100-transpose-f32.json';
import h200Half from './evidence/nvidia-h200-matmul-f16.json';
import h200HalfNaga from './evidence/nvidia-h200-matmul-f16-naga.json';
import h200HalfByRows from './evidence/nvidia-h200-matmul-f16-nt.json';
import h200HalfFours from './evidence/nvidia-h200-matmul-f16-q4.json';
import h200HalfEights from './evidence/nvidia-h200-matmul-f16-q8.json';
import h200HalfSums from './evidence/nvidia-h200-matmul-f16acc16.json';
import h200 from './evidence/nvidia-h200-matmul-f32.json';
import h200Naga from './evidence/nvidia-h200-matmul-f32-naga.json';
import h200ByRows from './evidence/nvidia-h200-matmul-f32-nt.json';
import h200Fours from './evidence/nvidia-h200-matmul-f32-q4.json';
import h200Bytes from './evidence/nvidia-h200-matmul-i8-nt.json';
import h200Transpose from './evidence/nvidia-h200-transpose-f32.json';
import h200TransposeNaga from './evidence/nvidia-h200-transpose-f32-naga.json';
import { type Beside, Selector } from './selector';
import type { Point } from './space';

/** What was measured on devices that were surveyed. Several hundred kilobytes: not for browsers. */
let parsed: readonly Evidence[] | undefined;

export function shippedEvidence(): readonly Evidence[] {
  parsed ??= levelled(
    [
      h200,
      h200Half,
      h200HalfSums,
      h200Transpose,
      h200ByRows,
      h200HalfByRows,
      h200HalfEights,
      h200HalfFours,
      h200Fours,
      h200Bytes,
      h100,
      h100Half,
      h100HalfSums,
      h100Transpose,
      h200Naga,
      h200HalfNaga,
      h200TransposeNaga,
    ].map((file) => evidenceSchema.parse(file)),
  );
  return parsed;
}

/** Each file with the best that any of its device and profile has probed: one roof, as on a grid. */
const levelled = (files: readonly Evidence[]): Evidence[] =>
  files.map((file) => ({
    ...file,
    roofline: files
      .filter(
        ({ device, profile }) => device.device === file.device.device && profile === file.profile,
      )
      .flatMap(({ roofline }) => roofline ?? [])
      .reduce<RooflineSurvey | undefined>(
        (best, next) => (best ? bestOf(best, next) : next),
        undefined,
      ),
  }));

/** The models that ship, each under the first engine that it was timed with. */
export const shippedDevices = (): readonly DeviceIdentity[] => [
  ...rollup(
    shippedEvidence().map(({ device }) => device),
    ([first]) => first as DeviceIdentity,
    hardwareKey,
  ).values(),
];

/** The subject of a question, beside its shapes. */
export type Kind = Pick<Problem, 'op' | 'dtype'> & { readonly profile: Profile };

/** A selector and what it learned from. */
export interface Learned {
  readonly selector: Selector;
  /** The device's name. */
  readonly device: string;
  readonly vendor: string;
  readonly driver: string;
  readonly measuredAt: string;
  /** The profile that most of it was measured under. */
  readonly profile: Profile;
  /** The most the device can do, where that is known: no variant is faster. */
  readonly roofline?: RooflineSurvey | undefined;
  /** Variants to weigh beside the usual candidates. */
  readonly tried: readonly Point[];
}

/** Fitted selectors, by file and profile. */
const fitted = new Map<Evidence, Map<Profile, Learned>>();

/**
 * The evidence for a device, under the profile or else another: one orders variants much as the other does
 * (docs/results/performance-h200.md). Null if nothing was measured on a device like it.
 *
 * @param files to choose from; absent: what ships
 */
export function shippedFor(
  wanted: ModelQuery,
  { op, dtype, profile }: Kind,
  files = shippedEvidence(),
): Evidence | null {
  const fitting = files.filter(
    (evidence) => isOn(evidence.device, wanted) && evidence.op === op && evidence.dtype === dtype,
  );
  return fitting.find((file) => file.profile === profile) ?? fitting[0] ?? null;
}

/**
 * The evidence that ships beside a file, of the same engine: times of the same variants in dtypes that
 * store their tensors alike and on other devices of the vendor, and the selector of the plain dtype on the
 * same device. Halves that are summed in f16 take 0.99 to 1.01 of what they take in f32, in the median of
 * each kernel, and 8% more or less (2,066 times on an NVIDIA H200): each dtype knows what the other was
 * measured for. What devices know of each other: docs/results/tuning-h200.md.
 */
export function shippedBeside({ device, op, dtype, profile }: Evidence): Beside {
  const times = shippedEvidence()
    .filter(
      (evidence) =>
        evidence.op === op &&
        evidence.profile === profile &&
        engineOf(evidence.device.runtime) === engineOf(device.runtime) &&
        areStoredAlike(evidence.dtype, dtype) &&
        evidence.device.vendor === device.vendor &&
        (evidence.dtype !== dtype || evidence.device.device !== device.device),
    )
    .flatMap((file) => observationsOf(file));
  const plain = plainOf(dtype);
  const file = plain && shippedFor({ key: deviceKey(device) }, { op, dtype: plain, profile });
  return { times, ...(file && { plain: learnedFrom(file, profile).selector }) };
}

/** The selector of a shipped file under a profile. */
export function learnedFrom(file: Evidence, under: Profile): Learned {
  const profiles = fitted.get(file) ?? new Map<Profile, Learned>();
  fitted.set(file, profiles);
  const known = profiles.get(under);
  if (known) return known;
  const { device, driver, measuredAt, profile, roofline } = file;
  const selector = new Selector(observationsOf(file, under), shippedBeside(file));
  const made = {
    selector,
    device: device.device,
    vendor: device.vendor,
    driver,
    measuredAt,
    profile,
    roofline,
    tried: [],
  };
  profiles.set(under, made);
  return made;
}
