import {
  type DeviceLimits,
  DTYPES,
  type Dtype,
  feasible,
  type GpuKernel,
  InputError,
  opOf,
  type Problem,
  parseVariant,
  passesOf,
  type ResolvedVariant,
  specialise,
  type TunableValues,
} from '@tilemark/kernels';
import type { DeviceCapabilities } from '../../../measure/device';
import { nearestProblem, shapeDistance } from '../../../rank/nearest';
import { shippedSelector } from '../../../tune/shipped-evidence';
import { type TunedOn, tunedFilesOf } from '../../../tune/tuned';
import type { BestQuery, BestVariant } from '../../../view/api';
import { kernelNeeds } from '../../../view/kernel';
import { rateOf } from '../run-view';

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
      prediction: null,
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

/**
 * What the selector answers from the evidence that the release ships for devices like the asked one;
 * null without evidence for the op, dtype and profile, or if nothing that was measured fits.
 */
export function predictedVariant(
  { dtype, op, profile }: BestQuery,
  asked: Problem,
  on: TunedOn,
  capabilities: DeviceCapabilities | null,
): BestVariant | null {
  const shipped = shippedSelector(on, { op, dtype, profile });
  if (!shipped) return null;
  const { selector, device, driver, measuredAt } = shipped;
  const ranked = selector.rank(asked, ({ address }) => {
    const variant = knownVariant(address);
    const limits = variant && (capabilities ?? whatItNeeds(variant, dtype));
    return limits !== null && feasible(variant as ResolvedVariant, asked, limits).ok;
  });
  const [best, ...others] = ranked;
  const variant = best && knownVariant(best.address);
  const nearest = nearestProblem(asked, selector.problems);
  if (!variant || !nearest) return null;
  return {
    fallback: 'shipped',
    asked,
    measured: nearest.problem,
    isExact: best.basis === 'measured',
    profile,
    ...programOf(variant, asked),
    devices: 0,
    partOfBest: null,
    result: null,
    shipped: null,
    isSourceMeasured: null,
    prediction: {
      ns: best.ns,
      error: best.error,
      basis: best.basis,
      rate: rateOf(asked, best.ns),
      device: device.device,
      driver,
      measuredAt,
      shapes: selector.problems.length,
      runnersUp: others.slice(0, 3).map(({ address, ns, error }) => ({ address, ns, error })),
    },
  };
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

/** Null for variants of earlier releases: their kernel, a tunable or a value of it is gone. */
export function knownVariant(address: string): ResolvedVariant | null {
  try {
    return parseVariant(address);
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** What it takes to run a variant on a problem, as this release writes it. */
export function programOf(
  { address, definition, kernel, tunables }: ResolvedVariant,
  problem: Problem,
): Pick<BestVariant, 'variant' | 'address' | 'wgsl' | 'needs' | 'bindings' | 'passes'> {
  const variant = { kernel, tunables };
  if (definition.runsOn !== 'gpu') {
    return { variant, address, wgsl: null, needs: null, bindings: [], passes: [] };
  }
  return {
    variant,
    address,
    wgsl: specialise(definition, tunables, problem.dtype),
    needs: kernelNeeds(definition, tunables, problem.dtype),
    bindings: bindingsOf(definition, tunables, problem),
    passes: passesOf(definition, tunables, problem).map(({ entryPoint, workgroups }) => ({
      entryPoint,
      workgroups: [...workgroups],
    })),
  };
}

/** Buffers end on a whole vec4, as every kernel may read whole ones. */
const whole = (bytes: number) => Math.ceil(bytes / 16) * 16;

function bindingsOf(
  kernel: GpuKernel,
  tunables: TunableValues,
  problem: Problem,
): BestVariant['bindings'] {
  const { tensors, inputs, output, sizes } = opOf(problem);
  const { bytes } = DTYPES[problem.dtype];
  const dims = [...inputs(problem.shape), output(problem.shape)];
  const scratch = kernel.scratchBytes?.(tunables, problem) ?? 0;
  const buffers = [
    ...dims.map((each, at) => {
      const isOutput = at === dims.length - 1;
      return {
        name: tensors[at]?.name ?? '',
        type: isOutput ? ('storage' as const) : ('read-only-storage' as const),
        bytes: whole(each.rows * each.cols * bytes),
        isOutput,
      };
    }),
    {
      name: 'shape',
      type: 'uniform' as const,
      bytes: 16,
      isOutput: false,
      values: [...sizes(problem.shape)],
    },
    ...(scratch > 0
      ? [{ name: 'scratch', type: 'storage' as const, bytes: whole(scratch), isOutput: false }]
      : []),
  ];
  return buffers.map((each, binding) => ({ binding, ...each }));
}
