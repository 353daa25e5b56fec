import {
  bindingsOf,
  type DeviceLimits,
  DTYPES,
  type Dtype,
  feasible,
  idsOf,
  ifValid,
  isByRows,
  type Problem,
  packedDots,
  parseVariant,
  passesOf,
  type ResolvedVariant,
  rateOf,
  shapeText,
  sourceFor,
} from '@tilemark/kernels';
import {
  type DeviceCapabilities,
  limitsBy,
  PLAIN_WEBGPU,
  type Profile,
} from '../../../measure/device';
import { leastTime, PLAUSIBLE_PART } from '../../../measure/roofline';
import { nearestProblem } from '../../../rank/nearest';
import { pointOf } from '../../../tune/family-search';
import { nearestToBest, type Prediction } from '../../../tune/selector';
import { type Learned, learnedFrom, shippedEvidence } from '../../../tune/shipped-evidence';
import type { Point } from '../../../tune/space';
import { workOf } from '../../../tune/time-model';
import type { BestVariant } from '../../../view/api';
import { kernelNeeds } from '../../../view/kernel';

/** The question: a problem under a profile, on a device whose capabilities are known, or null. */
export interface Asked {
  readonly problem: Problem;
  readonly profile: Profile;
  readonly capabilities: DeviceCapabilities | null;
  /** Variants that are known to be wrong there, and are no answer. */
  readonly wrong: ReadonlySet<string>;
}

/** An answer with its program; what it does not say about where it is from is null. */
export const answerWith = (
  { problem, profile }: Asked,
  variant: ResolvedVariant,
  found: Pick<BestVariant, 'fallback' | 'measured' | 'isExact'> & Partial<BestVariant>,
): BestVariant => ({
  asked: problem,
  profile,
  devices: 0,
  partOfBest: null,
  unconfirmed: false,
  result: null,
  shorterMedian: null,
  duel: null,
  shipped: null,
  prediction: null,
  isSourceMeasured: null,
  ...programOf(variant, problem),
  ...found,
});

/**
 * The variant of an address, if this release has it and it can run what is asked.
 *
 * @param isOfModel whether it was measured on such a device under the profile: it has the features then,
 *   of which a device that was seen under another profile may show fewer
 */
function ableVariant(
  address: string,
  { capabilities, problem, wrong }: Asked,
  isOfModel: boolean,
): ResolvedVariant | null {
  const variant = ifValid(() => parseVariant(address));
  if (!variant || wrong.has(variant.address)) return null;
  const needed = whatItNeeds(variant, problem.dtype);
  const { features } = isOfModel ? needed : (capabilities ?? needed);
  const limits = { ...(capabilities ?? needed), features };
  return feasible(variant, problem, limits).ok ? variant : null;
}

/**
 * What a selector answers; null if nothing that it knows fits the problem.
 *
 * @param tried variants to weigh beside the usual candidates
 */
export function predictedVariant(
  asked: Asked,
  learned: Learned,
  { fallback, tried = [] }: Pick<BestVariant, 'fallback'> & { readonly tried?: readonly Point[] },
): BestVariant | null {
  const { selector, device, driver, measured, measuredAt, profile, roofline } = learned;
  const { problem } = asked;
  const isSame = profile === asked.profile;
  const able = ({ address }: Point) => {
    const variant = ableVariant(address, asked, isSame && fallback === 'shipped');
    return variant !== null && (isSame || isOffered(variant, problem.dtype));
  };
  // Fitted to few shapes and far from them, a family may promise more than the device can do.
  const isPossible = ({ basis, ns, ...variant }: Prediction) => {
    const roof = roofline ? leastTime(roofline, variant, problem) : null;
    return basis === 'measured' || !roof || ns >= PLAUSIBLE_PART * roof.ns;
  };
  const full = measured.filter(({ shape }) => shape === shapeText(problem));
  const more = [...tried, ...full.flatMap(({ address }) => pointOf(address) ?? [])];
  const [best, ...others] = selector.rank(problem, able, more).filter(isPossible);
  const nearest = nearestProblem(problem, selector.problems);
  if (!best || !nearest) return null;
  const { basis, error, ns } = best;
  const variant = parseVariant(best.address);
  const known = full.find(
    (found) =>
      found.address === best.address && found.medianNs === ns && found.profile === asked.profile,
  );
  if (known) {
    const { driver, found, highNs, lowNs, measuredAt, medianNs } = known;
    const rate = rateOf(problem, medianNs);
    return answerWith(asked, variant, {
      fallback: fallback === 'device' ? 'shipped' : fallback,
      measured: problem,
      isExact: true,
      shipped: { device, driver, found, highNs, lowNs, measuredAt, medianNs, rate },
    });
  }
  return answerWith(asked, variant, {
    fallback,
    measured: nearest.problem,
    isExact: basis === 'measured',
    prediction: {
      ns,
      error,
      basis,
      rate: rateOf(problem, ns),
      device,
      driver,
      profile,
      measuredAt,
      shapes: selector.problems.length,
      runnersUp: others
        .slice(0, 3)
        .map(({ address, basis, error, ns }) => ({ address, ns, error, basis })),
    },
  });
}

/**
 * What to run where nothing is known of a GPU: of the variants that a plain WebGPU device can run once
 * asked for large buffers, and that divide their work by the problem alone, the one nearest to the best
 * of every surveyed device. Nobody has timed it there. Null: no device was surveyed for the op and dtype.
 */
export function portableVariant(asked: Asked): BestVariant | null {
  const { problem } = asked;
  const { feature } = DTYPES[problem.dtype];
  const limits: DeviceLimits = {
    ...PLAIN_WEBGPU,
    features: [...(feature ? [feature.name] : []), ...packedDots(problem.dtype)],
    maxStorageBufferBindingSize: Number.POSITIVE_INFINITY,
    maxBufferSize: Number.POSITIVE_INFINITY,
  };
  const able = (point: Point) => {
    const variant = ifValid(() => parseVariant(point.address));
    if (!variant || asked.wrong.has(variant.address)) return false;
    // Waves of so many workgroups are made for as many processors.
    return feasible(variant, problem, limits).ok && workOf(point, problem).waves === null;
  };
  const ranksIn = (dtypes: readonly Dtype[]) =>
    shippedEvidence()
      .filter(({ op, dtype }) => op === problem.op && dtypes.includes(dtype))
      .map((file) => {
        const { selector } = learnedFrom(file, asked.profile);
        return selector.rank({ ...problem, dtype: file.dtype }, able);
      })
      .filter((rank) => rank.length > 0);
  // Where none of those that win in a dtype can run, or nobody has timed it: what other weights by rows
  // are multiplied with, else f32.
  const alike = isByRows(problem.dtype) ? idsOf(DTYPES).filter(isByRows) : [];
  const ranks =
    [[problem.dtype], alike, ['f32' as const]].map(ranksIn).find(({ length }) => length > 0) ?? [];
  const best = nearestToBest(ranks);
  if (best === undefined) return null;
  return answerWith(asked, parseVariant(best), {
    fallback: 'portable',
    measured: problem,
    isExact: false,
  });
}

/** Whether a profile may offer what a variant needs: experimental features are of `fast` alone. */
const isOffered = (variant: ResolvedVariant, dtype: Dtype): boolean =>
  !whatItNeeds(variant, dtype).features.some((feature) =>
    feature.startsWith('chromium-experimental'),
  );

/** A device without limits, with the features of a variant: only the problem can forbid it. */
function whatItNeeds({ definition, tunables }: ResolvedVariant, dtype: Dtype): DeviceLimits {
  const isGpu = definition.runsOn === 'gpu';
  return {
    features: isGpu ? kernelNeeds(definition, tunables, dtype).features : [],
    ...limitsBy(() => Number.POSITIVE_INFINITY),
  };
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
    wgsl: sourceFor(definition, tunables, problem),
    needs: kernelNeeds(definition, tunables, problem.dtype),
    bindings: bindingsOf(definition, tunables, problem).map(({ values, ...buffer }, binding) => ({
      binding,
      ...buffer,
      ...(values && { values: [...values] }),
    })),
    passes: passesOf(definition, tunables, problem).map(({ entryPoint, workgroups }) => ({
      entryPoint,
      workgroups: [...workgroups],
    })),
  };
}
