import {
  isBatch,
  type Problem,
  type ResolvedVariant,
  resolveVariant,
  shapeText,
  sourceFor,
} from '@tilemark/kernels';
import { type DeviceIdentity, sharesHost } from '../../measure/device';
import { METHODOLOGY_VERSION, type Measurement } from '../../measure/outcome';
import type { Policy } from '../../measure/policy';
import type { Roof } from '../../measure/roofline';
import { IMPLAUSIBLE, unrankedReason } from '../../measure/trust';
import { sha256 } from '../store/database';

/**
 * Why a measurement is shown and not ranked: the first of these reasons. Those that follow from the
 * measurement and a roof are the worker's too (measure/trust.ts); the others only the grid can give.
 */

/** How the reason of earlier releases begins, which did not rank what is not known to ±2%. */
export const WIDE = 'the median is known to';

/** A measurement that may be ranked, computed again, with what speaks for it and against it. */
interface Candidate {
  readonly measurement: Measurement;
  /** As it was handed in. */
  readonly stated: Measurement;
  /** Null: this release does not have it. */
  readonly variant: ResolvedVariant | null;
  readonly problem: Problem;
  readonly policy: Policy;
  readonly device: Pick<DeviceIdentity, 'class'>;
  /** What bounds it: each of them has to hold. */
  readonly roofs: readonly (Roof | null)[];
  /** Stored already: of an earlier methodology, it is ranked among its own. */
  readonly isStored: boolean;
  /** The grid drew the seed that it has to name. */
  readonly isSeeded: boolean;
  /** The source that ran; undefined: not stated, as files do not. */
  readonly wgsl: string | null | undefined;
  /** Only the word of who brought the file, on a device whose limits nobody knows. */
  readonly isUnbounded: boolean;
}

/** In this order. */
const REASONS: readonly ((candidate: Candidate) => string | null)[] = [
  ofAnotherMethodology,
  ({ variant }) => (variant ? null : 'this release has no such variant'),
  ofItsMeasurement,
  statedByItself,
  ({ isSeeded, measurement: { verification } }) =>
    isSeeded && verification.seed === undefined
      ? 'it does not say on which inputs it was verified'
      : null,
  ofAnotherShader,
  ({ isUnbounded }) =>
    isUnbounded ? 'unconfirmed: imported, and nothing says what the device can do at most' : null,
];

export function whyUnranked(candidate: Candidate): string | null {
  for (const reasonOf of REASONS) {
    const reason = reasonOf(candidate);
    if (reason !== null) return reason;
  }
  return null;
}

function ofAnotherMethodology({ isStored, measurement }: Candidate): string | null {
  const { methodologyVersion: version } = measurement;
  if (version === METHODOLOGY_VERSION || isStored) return null;
  return `measured with methodology ${version}; this grid ranks results of methodology ${METHODOLOGY_VERSION}`;
}

function ofItsMeasurement({ measurement, roofs, ...candidate }: Candidate): string | null {
  for (const roof of roofs) {
    const reason = procedureReason(candidate, measurement, roof);
    if (reason !== null) return reason;
  }
  return null;
}

function procedureReason(
  { device, policy, problem, variant }: Omit<Candidate, 'stated' | 'measurement' | 'roofs'>,
  { clock, cold, othersLoad, stop, timer, verification }: Measurement,
  roof: Roof | null,
): string | null {
  if (!variant) return null;
  const { freshRatio } = verification;
  const measured = { clock, cold, freshRatio, othersLoad, roof, stop, timer };
  return unrankedReason({
    ...measured,
    kernel: variant.definition,
    policy,
    deviceClass: device.class,
    problem,
  });
}

/** What it says against itself counts, where it is not a verdict of ours that no longer holds. */
function statedByItself({ stated, ...candidate }: Candidate): string | null {
  const { unranked } = stated;
  if (unranked === null || unranked === procedureReason(candidate, stated, stated.roof ?? null)) {
    return null;
  }
  const earlier = sharesHost(candidate.device.class) ? [WIDE, IMPLAUSIBLE] : [WIDE];
  return earlier.some((reason) => unranked.startsWith(reason)) ? null : unranked;
}

function ofAnotherShader({ problem, variant, wgsl }: Candidate): string | null {
  if (!variant || wgsl === undefined) return null;
  if (sourceHashOf(variant, problem) === (wgsl === null ? null : sha256(wgsl))) return null;
  return 'it ran another shader than this release writes for the variant';
}

/** By variant, dtype, epilogue and whether it is of a batch: a source changes only with the release. */
const hashes = new Map<string, string | null>();

/** SHA-256 of the source that this release writes for a variant; null for host kernels. */
export function sourceHashOf(
  variant: Pick<ResolvedVariant, 'kernel' | 'tunables' | 'address'>,
  problem: Problem,
): string | null {
  const { dtype, epilogue } = problem;
  const { definition, tunables } = resolveVariant(variant.kernel, variant.tunables);
  const isPerShape = definition.runsOn === 'gpu' && definition.isPerShape;
  const shape = isPerShape ? shapeText(problem) : isBatch(problem);
  const key = [variant.address, dtype, shape, epilogue].join(' ');
  const known = hashes.get(key);
  if (known !== undefined) return known;
  const hash =
    definition.runsOn === 'gpu' ? sha256(sourceFor(definition, tunables, problem)) : null;
  hashes.set(key, hash);
  return hash;
}
