import {
  bytesText,
  DTYPES,
  type Dtype,
  epilogueFault,
  InputError,
  idsOf,
  ifValid,
  isContributed,
  type Kernel,
  kernelById,
  largestBuffer,
  type Problem,
  refuseIf,
  resolveVariant,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import type { RunSpec } from '../api/run';
import type { FamilyRequest, ProblemRequest, TuningRequest } from '../api/tuning';
import { hasProfiles, type Profile } from '../measure/device';
import { whySkipped } from '../plan/counts';
import { FAMILIES, type Family } from '../plan/families';
import type { PlannableDevice } from '../plan/spec';
import { candidatesFor } from './candidates';
import { fittingPoints } from './family-search';
import type { Point, TuningSpace } from './space';
import { atOnce, type Fitting, fittingSpaces, searchedKernels } from './spaces';

/** A device as tuning sees it. */
export type TunableDevice = PlannableDevice & { readonly name: string };

/**
 * Refuses a search of a dtype that the device could not do. Throws InputError at the field at fault.
 *
 * @param field of the dtype
 */
function checkTunable(
  { dtype, profile }: Pick<Problem, 'dtype'> & { readonly profile: Profile },
  device: TunableDevice,
  field: string,
): void {
  const { capabilities, class: deviceClass, name } = device;
  refuseIf(
    deviceClass === 'cpu',
    'The kernels of a CPU have so few variants that a sweep tries them all: submit one instead.',
    'device',
  );
  refuseIf(
    !hasProfiles(device) && profile !== 'default',
    'Browsers and Deno have one profile: default.',
    'profile',
  );
  const { feature } = DTYPES[dtype];
  const isMissing = feature !== null && capabilities?.features.includes(feature.name) === false;
  refuseIf(
    // Devices are described under `default`; `fast` may have features that `default` withholds.
    isMissing && profile === 'default',
    `${dtype} needs the feature ${feature?.name}, which ${name} does not have.`,
    field,
  );
}

/**
 * The kernels that a request names: one, or all of ours that compute its problem on a GPU. Throws
 * InputError at the field at fault.
 */
export function requestedKernels({
  kernel: id,
  problem,
}: Pick<ProblemRequest, 'kernel' | 'problem'>): Kernel[] {
  const { dtype, epilogue, op } = problem;
  if (id === undefined) {
    const ours = searchedKernels(problem).filter(({ runsOn }) => runsOn === 'gpu');
    refuseIf(ours.length === 0, `No GPU kernel of ${op} computes ${dtype}.`, 'problem.dtype');
    return ours;
  }
  const kernel = kernelById(id);
  const { dtypes } = kernel;
  refuseIf(kernel.runsOn !== 'gpu', `${id} runs on a CPU: submit a sweep of it.`, 'kernel');
  refuseIf(kernel.tunables.length === 0, `${id} has no tunables to search.`, 'kernel');
  refuseIf(kernel.op !== op, `${id} computes ${kernel.op}, not ${op}.`, 'problem.op');
  refuseIf(
    !dtypes.includes(dtype),
    `${id} does not compute ${dtype}; it computes ${dtypes.join(', ')}.`,
    'problem.dtype',
  );
  // Not asked for, it is the kernel's own.
  const fault = epilogue === undefined ? null : epilogueFault(kernel, problem);
  refuseIf(fault !== null, `${id} ${fault}.`, 'problem.epilogue');
  return [kernel];
}

/**
 * The kernels to search for a problem on a device, as far as they fit it. Throws InputError at the
 * field at fault.
 */
export const tuningSpaces = (...asked: Parameters<typeof searchedSpaces>): TuningSpace[] =>
  atOnce(searchedSpaces(...asked)).map(([space]) => space);

/** As `tuningSpaces`, with a point of each; yields as `fittingSpaces` does. */
function searchedSpaces(
  request: Pick<ProblemRequest, 'kernel' | 'problem' | 'profile'>,
  device: TunableDevice,
): Generator<void, Fitting[]> {
  const { problem, profile } = request;
  const { capabilities, class: deviceClass, name } = device;
  checkTunable({ ...problem, profile }, device, 'problem.dtype');
  const searched = requestedKernels(request).map((kernel) => ({ kernel }));
  const largest = largestBuffer(problem);
  const allowed = capabilities
    ? Math.min(capabilities.maxStorageBufferBindingSize, capabilities.maxBufferSize)
    : Number.POSITIVE_INFINITY;
  refuseIf(
    largest > allowed,
    `The problem needs ${bytesText(largest)} in one buffer, guards against stray writes included; ${name} allows ${bytesText(allowed)}.`,
    'problem.shape',
  );
  return fittingSpaces(
    searched,
    problem,
    { class: deviceClass, device: name },
    (variant) => whySkipped({ variant, problem, profile }, capabilities),
    'device',
  );
}

/** The family of an id; undefined: this release has none of it. */
export const familyById = (id: string): Family | undefined =>
  FAMILIES.find((family) => family.id === id);

/** Dtypes in which a family has candidates. */
export const dtypesOfFamily = ({ op, shapes }: Family): Dtype[] =>
  idsOf(DTYPES).filter((dtype) =>
    shapes.some((shape) => candidatesFor({ op, shape, dtype } as Problem).length > 0),
  );

/** The family that a request names. Throws InputError at the field at fault. */
export function requestedFamily(
  { dtype, profile, suite }: Pick<FamilyRequest, 'suite' | 'dtype' | 'profile'>,
  device: TunableDevice,
): Family {
  const family = familyById(suite);
  const ids = FAMILIES.map(({ id }) => id).join(', ');
  if (!family) throw new InputError(`${suite} is not one of ${ids}.`, 'suite');
  checkTunable({ dtype, profile }, device, 'dtype');
  const dtypes = dtypesOfFamily(family);
  refuseIf(
    !dtypes.includes(dtype),
    `No candidate of ${suite} computes ${dtype}; it has some for ${dtypes.join(', ')}.`,
    'dtype',
  );
  return family;
}

/**
 * The first variant that a search without evidence tries on a device, and on which problem; yields as
 * `fittingSpaces` does. Throws InputError at the field at fault where there is nothing to search.
 */
export function* firstOf(
  request: TuningRequest,
  device: TunableDevice,
): Generator<void, { readonly problem: Problem; readonly point: Point }> {
  if ('problem' in request) {
    const { problem } = request;
    const [first] = yield* searchedSpaces(request, device);
    if (first) return { problem, point: first[1] };
    throw new Error('A space that fits has a point.');
  }
  const { dtype, profile, suite } = request;
  const family = requestedFamily(request, device);
  const reasons: string[] = [];
  for (const problem of problemsOf(family, dtype)) {
    const { points, why } = fittingPoints(problem, (variant) =>
      whySkipped({ variant, problem, profile }, device.capabilities),
    );
    const [point] = points;
    if (point) return { problem, point };
    reasons.push(why);
  }
  throw new InputError(`No shape of ${suite} fits ${device.name}. ${reasons[0] ?? ''}`, 'suite');
}

const problemsOf = (family: Family | undefined, dtype: Dtype): Problem[] =>
  (family?.shapes ?? []).map((shape) => ({ op: family?.op, shape, dtype }) as Problem);

const textOf = (problem: Problem) =>
  [problem.op, shapeText(problem), problem.dtype, problem.epilogue].join(' ');

/** Whether a run may be one of the search that a request asks for. */
export function isAskedFor(
  request: TuningRequest,
  {
    policy,
    problem,
    profile,
    variant,
  }: Pick<RunSpec, 'policy' | 'problem' | 'profile' | 'variant'>,
  rival: Variant | undefined,
): boolean {
  const { dtype, op } = problem;
  const only = 'kernel' in request ? request.kernel : undefined;
  const isSearched = ({ kernel: id, tunables }: Variant): boolean => {
    const kernel = ifValid(() => resolveVariant(id, tunables))?.definition;
    return (
      kernel?.op === op &&
      kernel.runsOn === 'gpu' &&
      kernel.dtypes.includes(dtype) &&
      (only === undefined ? !isContributed(id) : id === only)
    );
  };
  const problems =
    'problem' in request ? [request.problem] : problemsOf(familyById(request.suite), request.dtype);
  return (
    problems.some((each) => textOf(each) === textOf(problem)) &&
    profile === request.profile &&
    (policy === 'screen' || policy === 'default') &&
    [variant, ...(rival ? [rival] : [])].every(isSearched)
  );
}
