import { opOf, type Problem, parseVariant } from '@tilemark/kernels';
import { type DeviceIdentity, deviceKey } from '../device';
import type { SweepCase } from '../spec';
import llvmpipe from './mesa-llvmpipe.json';
import h200 from './nvidia-h200.json';
import { type TunedFile, tunedFileSchema } from './tuned-file';

/** What ships: the fastest variants known of the devices that were tuned. */
export function tunedFiles(): TunedFile[] {
  return [h200, llvmpipe].map((file) => tunedFileSchema.parse(file));
}

/**
 * The tuned variants as cases of a sweep, each on its own problem and devices like its own.
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
  // A variant that is best under both profiles is one case: a sweep has its own profiles.
  return cases.filter(
    (each, index) =>
      cases.findIndex((other) => JSON.stringify(other) === JSON.stringify(each)) === index,
  );
}

const largestSide = (problem: Problem) => Math.max(...opOf(problem).sizes(problem.shape));

/** The model of device that tuned variants are of: its kind, as `kindOf` tells it, or its vendor. */
export type TunedOn =
  | { readonly key: string }
  | { readonly vendor: string; readonly architecture?: string | undefined };

/** The shipped files of devices like one, or of the GPUs of a vendor, first the one that is listed first. */
export function tunedFilesOf(wanted: TunedOn): TunedFile[] {
  return tunedFiles().filter(({ device }) => {
    if ('key' in wanted) return wanted.key.startsWith(kindOf(device));
    const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
    return (
      device.class === 'gpu' &&
      isSame(device.vendor, wanted.vendor) &&
      (!wanted.architecture || isSame(device.architecture, wanted.architecture))
    );
  });
}

/**
 * The beginning that the keys of like devices share: the model of a GPU whatever the
 * machine; of a software adapter, which is as fast as its host, the adapter alone.
 */
function kindOf(device: DeviceIdentity): string {
  const [vendor, architecture, model] = deviceKey(device).split('-');
  const parts =
    device.class === 'software' ? [vendor, architecture] : [vendor, architecture, model];
  return `${parts.join('-')}-`;
}
