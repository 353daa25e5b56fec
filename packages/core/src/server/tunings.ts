import { setImmediate } from 'node:timers/promises';
import {
  fileOf,
  InputError,
  isContributed,
  kernelById,
  opOf,
  particularsText,
  refuseIf,
  shapeText,
} from '@tilemark/kernels';
import type { Counts, NewTuning } from '../api/api';
import { FAMILY_BUDGET, TUNING_BUDGET, type TuningRequest } from '../api/tuning';
import { drawSeed } from '../measure/seed';
import { firstOf, requestedKernels } from '../tune/request';
import type { DeviceToPlan } from './store/devices/to-plan';
import type { Author } from './store/sweeps/insert';
import { noWorkerRuns, type SubmitOptions, type SweepServices, startSweep } from './submit';

/**
 * Begins a search for the fastest variants on a device: a sweep of one run, which its worker drives
 * (`../worker/claimed-search.ts`). It waits for a worker of the device where none is attached.
 *
 * @param newTuning a body that `newTuningSchema` has accepted
 * @param options and whom to tell of each look at a variant that does not fit
 * @throws InputError naming the field at fault; ServiceUnavailable
 */
export async function submitTuning(
  services: SweepServices,
  newTuning: NewTuning,
  author: Author,
  { idempotencyKey, onLook }: SubmitOptions & { readonly onLook?: () => void } = {},
): Promise<{ id: string; counts: Counts }> {
  const { device: key, profile } = newTuning;
  const device = (await services.store.devices.toPlan()).find((row) => row.key === key);
  if (!device) throw new InputError(`There is no device ${key}.`, 'device');
  await admitOn(services, newTuning, device);
  const tuning = requestOf(newTuning);
  checkSpace(newTuning);
  const { point, problem } = await inTurns(firstOf(tuning, device), onLook);
  const { address, kernel, tunables } = point;
  const { dtype, epilogue, shape } = problem;
  const fields = { profiles: [profile], policy: 'screen' as const, devices: [key] };
  const cases = [{ kernel, tunables: {}, shapes: [shape], dtypes: [dtype] }];
  const asked = { variant: { kernel, tunables }, address, problem, profile };
  return startSweep(services, author, {
    name: `Tune ${nameOf(tuning)} on ${device.name}`.slice(0, 120),
    suite: null,
    spec: { cases, ...fields, ...(epilogue && { epilogue }) },
    tuning,
    runs: [{ ...asked, policy: 'screen', deviceKey: key }],
    idempotencyKey: idempotencyKey ?? null,
  });
}

/** What work returns that yields now and then, each part in a turn of the event loop. */
async function inTurns<T>(work: Generator<void, T>, onTurn?: () => void): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    onTurn?.();
    await setImmediate();
  }
}

function requestOf({
  budgetSeconds,
  dtype = 'f32',
  kernel,
  problem: asked,
  profile,
  suite,
}: NewTuning): TuningRequest {
  // 32 bits, as `tilemark tune --seed` takes.
  const common = { profile, seed: drawSeed() % 2 ** 32 };
  if (!asked) {
    const { usual } = FAMILY_BUDGET;
    return { suite: suite ?? '', dtype, budgetSeconds: budgetSeconds ?? usual, ...common };
  }
  const [fixed] = requestedKernels({ kernel, problem: asked }).flatMap(
    (each) => each.epilogue ?? [],
  );
  const { epilogue = fixed } = asked;
  return {
    problem: { ...asked, ...(epilogue && { epilogue }) },
    budgetSeconds: budgetSeconds ?? TUNING_BUDGET.usual,
    ...(kernel !== undefined && { kernel }),
    ...common,
  };
}

/** In the name of its sweep. */
function nameOf(tuning: TuningRequest): string {
  if ('suite' in tuning) return `${tuning.suite} ${tuning.dtype}`;
  const { kernel, problem } = tuning;
  const what = kernel ?? opOf(problem).title.toLowerCase();
  return `${what} ${shapeText(problem)} ${problem.dtype}${particularsText(problem)}`;
}

/** Makes a contributed kernel known. Throws InputError at the field at fault where it cannot run there. */
async function admitOn(
  { store }: SweepServices,
  { kernel, profile }: NewTuning,
  { contributed, key }: DeviceToPlan,
): Promise<void> {
  if (kernel === undefined || !isContributed(kernel)) return;
  await store.contributed.admit([kernel]);
  refuseIf(contributed === 0, noWorkerRuns(key), 'device');
  refuseIf(profile !== 'default', 'Contributed kernels have one profile: default.', 'profile');
}

/**
 * Combinations of tunables, and bytes of source with them, that a search of a contributed kernel may
 * look at: it looks at many at once, evaluates what the author requires of each, and reads its source.
 */
const MOST_SEARCHED = { combinations: 1_024, bytes: 2 ** 22 };

/** Refuses a contributed kernel whose search would hold up the site. Throws InputError. */
function checkSpace({ kernel: id }: Pick<NewTuning, 'kernel'>): void {
  const file = id === undefined ? null : fileOf(id);
  if (id === undefined || !file) return;
  const combinations = kernelById(id).tunables.reduce((all, { values }) => all * values.length, 1);
  const ofSize = Math.floor(MOST_SEARCHED.bytes / file.source.length);
  const most = Math.min(MOST_SEARCHED.combinations, ofSize);
  refuseIf(
    combinations > most,
    `The tunables of ${id} have ${combinations} combinations; a search takes at most ${most} of a source this long. Leave out values.`,
    'kernel',
  );
}
