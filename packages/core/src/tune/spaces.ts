import {
  InputError,
  type Kernel,
  kernelsOf,
  opOf,
  type Problem,
  shapeText,
  type TunableValue,
  type Variant,
} from '@tilemark/kernels';
import type { DeviceIdentity } from '../measure/device';
import { runsOnDevice } from '../plan/spec';
import { type Point, TuningSpace } from './space';

/** A kernel to search, with the only values to try of some of its tunables. */
export interface Searched {
  readonly kernel: Kernel;
  readonly only?: Readonly<Record<string, readonly TunableValue[]>>;
}

/**
 * Kernels that compute the op in the dtype as exactly as usual. A copy is a ceiling, not a
 * candidate; a kernel with a larger error has to be asked for by name.
 */
export const searchedKernels = ({ dtype, op }: Pick<Problem, 'dtype' | 'op'>): Kernel[] =>
  kernelsOf(op).filter(
    ({ computes, dtypes, errorGrowth }) =>
      dtypes.includes(dtype) && computes === undefined && errorGrowth === undefined,
  );

/**
 * A kernel is left out if neither its default nor any of so many combinations fits: to look at all of
 * a kernel that lacks a feature of the device takes seconds.
 */
const LOOKS = 2_000;

/** A space with a point of it: the default one, or another that fits. */
export type Fitting = readonly [space: TuningSpace, point: Point];

/** What work that yields now and then returns, done at once. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * The spaces of kernels that fit a problem on a device; yields after each look at what does not. Throws
 * InputError at `field` if nothing does.
 *
 * @param whyNot why a variant cannot run there; null: it can
 */
export function* fittingSpaces(
  searched: readonly Searched[],
  problem: Problem,
  device: Pick<DeviceIdentity, 'class' | 'device'>,
  whyNot: (variant: Variant) => string | null,
  field: string,
): Generator<void, Fitting[]> {
  const able = searched.filter(({ kernel }) => runsOnDevice(kernel, device));
  const spaces = able.map(
    ({ kernel, only = {} }) =>
      new TuningSpace(kernel, {
        only,
        fits: (variant) => whyNot(variant) === null,
        ...(kernel.runsOn === 'gpu' && {
          workgroups: ({ tunables }) =>
            kernel.workgroups(tunables, problem).reduce((product, count) => product * count),
        }),
      }),
  );
  const fitting: Fitting[] = [];
  for (const space of spaces) {
    const point = yield* space.first(LOOKS);
    if (point) fitting.push([space, point]);
  }
  if (fitting.length > 0) return fitting;
  const reasons = new Set(
    spaces.flatMap(({ kernel }) => whyNot({ kernel: kernel.id, tunables: {} }) ?? []),
  );
  const why = [...reasons].join('. ') || 'GPU kernels need a GPU, host kernels the device cpu';
  const what = `${opOf(problem).title} ${shapeText(problem)} ${problem.dtype}`;
  throw new InputError(`No variant of a kernel fits ${what} on ${device.device}. ${why}.`, field);
}

/** As `fittingSpaces`, at once. */
export const spacesOf = (...asked: Parameters<typeof fittingSpaces>): TuningSpace[] =>
  atOnce(fittingSpaces(...asked)).map(([space]) => space);
