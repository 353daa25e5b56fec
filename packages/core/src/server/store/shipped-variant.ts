import {
  type DeviceLimits,
  type Dtype,
  feasible,
  type Problem,
  type ResolvedVariant,
} from '@tilemark/kernels';
import type { BestQuery, BestVariant } from '../../api';
import type { DeviceCapabilities } from '../../device';
import { kernelNeeds } from '../../kernel-needs';
import { shapeDistance } from '../../nearest';
import { type TunedOn, tunedFilesOf } from '../../tuned/tuned';
import { rateOf } from './run-view';
import { knownVariant, programOf } from './variant-program';

/**
 * The tuned variant that the release ships for devices like the asked one, on the nearest
 * problem; of several files the first. Null where none is near enough or can run the problem.
 *
 * @param farthest distance of shapes beyond which a problem says too little, see `shapeDistance`
 * @param capabilities of the asked device; null where only its vendor is known, and `needs` tells the rest
 */
export function shippedVariant(
  { dtype, op, profile }: BestQuery,
  asked: Problem,
  on: TunedOn,
  { farthest, capabilities }: { farthest: number; capabilities: DeviceCapabilities | null },
): BestVariant | null {
  const known = tunedFilesOf(on).flatMap(({ device, variants }) =>
    variants
      .filter((each) => each.problem.op === op && each.problem.dtype === dtype)
      // Ranked as results have to be that decide.
      .filter((each) => each.profile === profile && each.unranked === null)
      .map((each) => ({ device, distance: shapeDistance(asked, each.problem), ...each })),
  );
  for (const each of known.toSorted((a, b) => a.distance - b.distance)) {
    if (each.distance > farthest) return null;
    const variant = knownVariant(each.address);
    if (!variant) continue;
    if (!feasible(variant, asked, capabilities ?? whatItNeeds(variant, dtype)).ok) continue;
    const { device, distance, driver, found, highNs, lowNs, measuredAt, medianNs, problem } = each;
    return {
      fallback: 'shipped',
      asked,
      measured: problem,
      isExact: distance === 0,
      profile,
      ...programOf(variant, asked),
      devices: 0,
      partOfBest: null,
      result: null,
      isSourceMeasured: null,
      shipped: {
        device: device.device,
        driver,
        found,
        highNs,
        lowNs,
        measuredAt,
        medianNs,
        rate: rateOf(problem, medianNs),
      },
    };
  }
  return null;
}

/** A device without limits, with the features of a variant: only the problem can forbid it. */
function whatItNeeds({ definition, tunables }: ResolvedVariant, dtype: Dtype): DeviceLimits {
  const none = Number.POSITIVE_INFINITY;
  const isGpu = definition.runsOn === 'gpu';
  return {
    features: isGpu ? kernelNeeds(definition, tunables, dtype).features : [],
    maxComputeInvocationsPerWorkgroup: none,
    maxComputeWorkgroupSizeX: none,
    maxComputeWorkgroupSizeY: none,
    maxComputeWorkgroupSizeZ: none,
    maxComputeWorkgroupStorageSize: none,
    maxComputeWorkgroupsPerDimension: none,
    maxStorageBufferBindingSize: none,
    maxBufferSize: none,
  };
}
