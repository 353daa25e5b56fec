import type { Problem, Variant } from '@tilemark/kernels';
import type { TuningDecision, TuningRequest } from '../api/tuning';
import type { DeviceIdentity } from '../measure/device';
import { whySkipped } from '../plan/counts';
import { expectationOf } from './best';
import { candidatesFor } from './candidates';
import { familyShapes, searchFamily } from './family-search';
import { searchProblem } from './problem-search';
import { requestMeasurement, type Search, type TrialOutcome, wantedRun } from './protocol';
import { requestedFamily, type TunableDevice, tuningSpaces } from './request';
import type { Point } from './space';

interface SearchOptions {
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  readonly identity: DeviceIdentity;
  /** The candidates that were screened of a shape of a family before; null: it was not begun. */
  readonly chosen: (problem: Problem) => readonly Point[] | null;
}

/**
 * The search that a request asks for, on a device as it is under the profile. Throws InputError where
 * nothing fits.
 */
export function* searchOf(
  request: TuningRequest,
  device: TunableDevice,
  { chosen, identity, nowNs }: SearchOptions,
): Search<TrialOutcome, TuningDecision> {
  const budgetNs = request.budgetSeconds * 1e9;
  // As it is, which `fast` may have changed.
  const profile = 'default';
  if ('problem' in request) {
    const { problem, seed } = request;
    const expected = expectationOf(problem, request.profile, identity);
    const spaces = tuningSpaces({ ...request, profile }, device);
    const { stop, winner } = yield* searchProblem<TrialOutcome>({
      ...{ problem, spaces, seed, expected, budgetNs, nowNs },
    });
    return { winner: winner?.point.address ?? null, stop, shapes: null };
  }
  const family = requestedFamily({ ...request, profile }, device);
  const whyNot = (variant: Variant, problem: Problem) =>
    whySkipped({ variant, problem, profile }, device.capabilities);
  const { shapes, skipped } = familyShapes(family, request.dtype, whyNot);
  // Each is a run that says why it was skipped.
  for (const { problem } of skipped) {
    const [point] = candidatesFor(problem);
    if (point) yield* requestMeasurement<TrialOutcome>(wantedRun(problem, point, 'screen'));
  }
  const { searched, stop } = yield* searchFamily<TrialOutcome>({ shapes, budgetNs, nowNs, chosen });
  return { winner: null, stop, shapes: searched };
}
