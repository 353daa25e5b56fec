import { opOf, type Problem, parseVariant } from '@tilemark/kernels';
import { z } from 'zod';
import {
  type DeviceIdentity,
  deviceIdentitySchema,
  deviceKey,
  profileSchema,
} from '../measure/device';
import { problemSchema, type SweepCase } from '../plan/spec';
import llvmpipe from './tuned/mesa-llvmpipe.json';
import h200 from './tuned/nvidia-h200.json';

/** What ships: the fastest known variants for the devices that were tuned. */
export function tunedFiles(): TunedFile[] {
  return [h200, llvmpipe].map((file) => tunedFileSchema.parse(file));
}

/**
 * The tuned variants as cases of a sweep, each on its own problem, for devices like its own.
 *
 * @param largest side of the largest matrices
 */
export function tunedCases(largest: number): SweepCase[] {
  const cases = tunedFiles().flatMap(({ device, variants }) =>
    variants
      .filter(({ problem }) => largestSide(problem) <= largest)
      .map(({ problem, address }): SweepCase => {
        const { kernel, tunables } = parseVariant(address);
        const values = Object.entries(tunables).map(([name, value]) => [name, [value]]);
        return {
          kernel,
          tunables: Object.fromEntries(values),
          shapes: [problem.shape],
          dtypes: [problem.dtype],
          onlyOn: [kindOf(device)],
        };
      }),
  );
  // A variant that is best under both profiles is one case: the sweep has its own profiles.
  return [...new Map(cases.map((sweepCase) => [JSON.stringify(sweepCase), sweepCase])).values()];
}

const largestSide = (problem: Problem) => Math.max(...opOf(problem).sides(problem.shape));

/** The devices to find tuned variants for: like one device, or of a vendor. */
export type TunedOn =
  | { readonly key: string }
  | { readonly vendor: string; readonly architecture?: string | undefined };

/** The shipped files for devices like one, or for the GPUs of a vendor, in the order listed. */
export function tunedFilesOf(wanted: TunedOn): TunedFile[] {
  return tunedFiles().filter(({ device }) => isOn(device, wanted));
}

/** Whether a device is of the wanted kind. */
export function isOn(device: DeviceIdentity, wanted: TunedOn): boolean {
  if ('key' in wanted) return wanted.key.startsWith(kindOf(device));
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
  return (
    device.class === 'gpu' &&
    isSame(device.vendor, wanted.vendor) &&
    (!wanted.architecture || isSame(device.architecture, wanted.architecture))
  );
}

/**
 * The prefix that keys of like devices share: for a GPU its model, whatever the machine; for a
 * software adapter, which is as fast as its host, the adapter alone.
 */
function kindOf(device: DeviceIdentity): string {
  const [vendor, architecture, model] = deviceKey(device).split('-');
  const parts =
    device.class === 'software' ? [vendor, architecture] : [vendor, architecture, model];
  return `${parts.join('-')}-`;
}

/** The fastest known variant of a problem on a device, and how it was found. */
export const tunedVariantSchema = z.strictObject({
  problem: problemSchema,
  profile: profileSchema,
  /** `matmul/tiled[TILE=16,...]`; tunables left out have their defaults. */
  address: z.string().max(400),
  /** Cold median and its 95% interval, ns. */
  medianNs: z.number().positive(),
  lowNs: z.number().positive(),
  highNs: z.number().positive(),
  measuredAt: z.iso.datetime(),
  /** Why the measurement would not be ranked; null when it would. */
  unranked: z.string().nullable(),
  /** What it was measured under; entries of a file may differ. */
  driver: z.string(),
  runtimeVersions: z.record(z.string(), z.string()),
  found: z.discriminatedUnion('by', [
    /** By `tilemark tune`, from a cold start. */
    z.strictObject({ by: z.literal('tuner'), command: z.string(), tried: z.number().int() }),
    /** Chosen by a person, as `note` explains. */
    z.strictObject({ by: z.literal('hand'), note: z.string() }),
  ]),
});
export type TunedVariant = z.infer<typeof tunedVariantSchema>;

/** What is known about one device. `tilemark tune --save` writes and updates such files. */
export const tunedFileSchema = z.strictObject({
  device: deviceIdentitySchema,
  variants: z.array(tunedVariantSchema),
});
export type TunedFile = z.infer<typeof tunedFileSchema>;
