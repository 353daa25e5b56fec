import { InputError, ifValid, opOf, type Problem, shapeText } from '@tilemark/kernels';
import { drawSeed } from '../measure/seed';
import { searchedKernels } from '../tune/spaces';
import {
  type TunableDevice,
  type TuningRequest,
  type TuningRun,
  tuningSpaces,
  tuningStep,
} from '../tune/tuning';
import type { Counts, NewTuning } from '../view/api';
import type { Author } from './store/new-sweeps';
import { enqueueWhenUp, type SubmitOptions, type SweepServices, startSweep } from './submit';

// Tunings: searches for the fastest variant of a problem on a device, as sweeps that grow.

/**
 * Begins a tuning: a sweep of the first runs of its search, to which `advanceTuning` adds. It waits
 * for a worker of the device where none is attached.
 *
 * @param newTuning a body that `newTuningSchema` has accepted
 * @throws InputError naming the field at fault; DatabaseUnavailable
 */
export async function submitTuning(
  services: SweepServices,
  { device: key, ...asked }: NewTuning,
  author: Author,
  { idempotencyKey, note }: SubmitOptions = {},
): Promise<{ id: string; counts: Counts }> {
  const { problem, profile } = asked;
  const device = (await services.store.devices.toPlan()).find((each) => each.key === key);
  if (!device) throw new InputError(`There is no device ${key}.`, 'device');
  // 32 bits, as `tilemark tune --seed` takes.
  const request: TuningRequest = { ...asked, seed: drawSeed() % 2 ** 32 };
  const { wanted } = await tuningStep(request, tuningSpaces(request, device), []);
  if (!wanted) throw new Error('A search that has tried nothing is decided.');
  return startSweep(services, author, {
    name: `Tune ${problemText(problem)} on ${device.name}`.slice(0, 120),
    suite: null,
    spec: {
      cases: searchedKernels(problem)
        .filter(({ runsOn }) => runsOn === 'gpu')
        .map(({ id }) => ({
          ...{ kernel: id, tunables: {}, shapes: [problem.shape], dtypes: [problem.dtype] },
        })),
      ...{ profiles: [profile], policy: 'screen', devices: [key] },
    },
    tuning: request,
    runs: wanted.map((run) => ({ ...run, problem, profile, deviceKey: key })),
    note,
    idempotencyKey: idempotencyKey ?? null,
  });
}

/**
 * Adds to a tuning what it is to run next, and queues it, or decides it. Safe at any time and from
 * several processes at once; without effect on a sweep that is not a tuning, has ended, or has enough to run.
 */
export async function advanceTuning({ store, queue }: SweepServices, id: string): Promise<void> {
  await enqueueWhenUp(queue, await store.tunings.advance(id, nextStep));
}

const nextStep = async (
  request: TuningRequest,
  device: TunableDevice,
  runs: readonly TuningRun[],
  // Where nothing fits a device any more, as its driver now describes it, there is no winner.
) => tuningStep(request, ifValid(() => tuningSpaces(request, device)) ?? [], runs);

const problemText = (problem: Problem): string =>
  `${opOf(problem).title.toLowerCase()} ${shapeText(problem)} ${problem.dtype}`;
