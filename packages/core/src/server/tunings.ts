import {
  InputError,
  ifValid,
  kernelById,
  opOf,
  particularsText,
  refuseIf,
  shapeText,
} from '@tilemark/kernels';
import { fileOf, isContributed } from '../contributed/known';
import { drawSeed } from '../measure/seed';
import type { SweepSpec } from '../plan/spec';
import {
  FAMILY_BUDGET,
  type FamilyRequest,
  familyById,
  familyStep,
  familyToTune,
  type GridDecision,
  type GridTuning,
} from '../tune/family-tuning';
import {
  requestedKernels,
  TUNING_BUDGET,
  type TunableDevice,
  tuningSpaces,
  tuningStep,
} from '../tune/problem-tuning';
import type { TuningRun, TuningStep } from '../tune/replay';
import type { Counts, NewTuning } from '../view/api';
import type { DeviceToPlan } from './store/devices';
import type { Author } from './store/new-sweeps';
import {
  enqueueWhenUp,
  noWorkerRuns,
  type SubmitOptions,
  type SweepServices,
  startSweep,
} from './submit';

// Tunings: searches for the fastest variants on a device, as sweeps that grow.

/**
 * Begins a tuning: a sweep of the first runs of its search, to which `advanceTuning` adds. It waits
 * for a worker of the device where none is attached.
 *
 * @param newTuning a body that `newTuningSchema` has accepted
 * @throws InputError naming the field at fault; ServiceUnavailable
 */
export async function submitTuning(
  services: SweepServices,
  newTuning: NewTuning,
  author: Author,
  { idempotencyKey, note }: SubmitOptions = {},
): Promise<{ id: string; counts: Counts }> {
  const { device: key, profile } = newTuning;
  const device = (await services.store.devices.toPlan()).find((row) => row.key === key);
  if (!device) throw new InputError(`There is no device ${key}.`, 'device');
  await admitOn(services, newTuning, device);
  const asked = begun(newTuning, device);
  const { wanted } = await searchOf(asked.tuning, device)([]);
  if (!wanted) throw new Error('A search that has tried nothing is decided.');
  return startSweep(services, author, {
    name: `Tune ${asked.what} on ${device.name}`.slice(0, 120),
    suite: null,
    spec: { ...asked.spec, profiles: [profile], policy: 'screen', devices: [key] },
    tuning: asked.tuning,
    runs: wanted.map((run) => ({ ...run, profile, deviceKey: key })),
    note,
    idempotencyKey: idempotencyKey ?? null,
  });
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

interface Begun {
  readonly tuning: GridTuning;
  /** In the name of its sweep. */
  readonly what: string;
  /** What it may run. */
  readonly spec: Pick<SweepSpec, 'cases' | 'epilogue'>;
}

/** The most shapes that a case of a sweep has. */
const SHAPES_PER_CASE = 64;

function begun(
  { budgetSeconds, kernel, problem: asked, profile, suite, dtype = 'f32' }: NewTuning,
  on: TunableDevice,
): Begun {
  // 32 bits, as `tilemark tune --seed` takes.
  const seed = drawSeed() % 2 ** 32;
  if (asked) {
    const kernels = requestedKernels({ kernel, problem: asked });
    const [fixed] = kernels.flatMap(({ epilogue }) => epilogue ?? []);
    const { epilogue = fixed } = asked;
    const problem = { ...asked, ...(epilogue && { epilogue }) };
    return {
      tuning: {
        problem,
        profile,
        seed,
        budgetSeconds: budgetSeconds ?? TUNING_BUDGET.usual,
        ...(kernel !== undefined && { kernel }),
      },
      what: `${kernel ?? opOf(problem).title.toLowerCase()} ${shapeText(problem)} ${problem.dtype}${particularsText(problem)}`,
      spec: {
        cases: kernels.map(({ id }) => ({
          kernel: id,
          tunables: {},
          shapes: [problem.shape],
          dtypes: [problem.dtype],
        })),
        ...(epilogue && { epilogue }),
      },
    };
  }
  const family = familyById(suite ?? '');
  if (!family) throw new InputError(`There is no suite ${suite} of shapes.`, 'suite');
  const { shapes, skipped } = shapesToTune({ suite: family.id, dtype, profile }, on);
  const kernels = new Set(shapes.flatMap(({ points }) => points.map(({ kernel }) => kernel)));
  const starts = family.shapes.flatMap((_, at) => (at % SHAPES_PER_CASE === 0 ? [at] : []));
  return {
    tuning: {
      suite: family.id,
      dtype,
      profile,
      seed,
      skipped,
      budgetSeconds: budgetSeconds ?? FAMILY_BUDGET.usual,
    },
    what: `${family.id} ${dtype}`,
    spec: {
      cases: [...kernels].flatMap((kernel) =>
        starts.map((at) => {
          const some = family.shapes.slice(at, at + SHAPES_PER_CASE);
          return { kernel, tunables: {}, shapes: some, dtypes: [dtype] };
        }),
      ),
    },
  };
}

/**
 * Adds to a tuning what it is to run next, and queues it, or decides it. Safe at any time and from
 * several processes at once; without effect on a sweep that is not a tuning, has ended, or has enough to run.
 */
export async function advanceTuning({ store, queue }: SweepServices, id: string): Promise<void> {
  await enqueueWhenUp(queue, await store.tunings.advance(id, nextStep));
}

const nextStep = (
  tuning: GridTuning,
  device: TunableDevice,
  runs: readonly TuningRun[],
  // Where nothing fits a device any more, as its driver now describes it, nothing is found.
): Promise<TuningStep<GridDecision>> =>
  (ifValid(() => searchOf(tuning, device)) ?? nothing(tuning))(runs);

type Replayable = (runs: readonly TuningRun[]) => Promise<TuningStep<GridDecision>>;

/** The search that a tuning asks for on a device. Throws InputError at the field at fault. */
function searchOf(tuning: GridTuning, device: TunableDevice): Replayable {
  if ('suite' in tuning) {
    const { shapes } = shapesToTune(tuning, device);
    return (runs) => familyStep(tuning, shapes, runs);
  }
  checkSpace(tuning);
  const spaces = tuningSpaces(tuning, device);
  return (runs) => tuningStep(tuning, spaces, runs);
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

/** Searches whose shapes are kept: more of them take turns on a grid only if it has many devices. */
const KEPT_FAMILIES = 8;

const familiesToTune = new Map<string, ReturnType<typeof familyToTune>>();

/**
 * The shapes of a family to search, kept from step to step: to list the candidates of seven hundred
 * shapes takes a second, and a step follows each run. Throws InputError at the field at fault.
 */
function shapesToTune(
  tuning: Pick<FamilyRequest, 'suite' | 'dtype' | 'profile'>,
  device: TunableDevice,
): ReturnType<typeof familyToTune> {
  const { suite, dtype, profile } = tuning;
  const { capabilities, class: deviceClass, name } = device;
  const key = JSON.stringify([suite, dtype, profile, name, deviceClass, capabilities]);
  const found = familiesToTune.get(key) ?? familyToTune(tuning, device);
  // Last in line to make room.
  familiesToTune.delete(key);
  familiesToTune.set(key, found);
  const [eldest] = familiesToTune.keys();
  if (eldest !== undefined && familiesToTune.size > KEPT_FAMILIES) familiesToTune.delete(eldest);
  return found;
}

const nothing = (tuning: GridTuning): Replayable =>
  'suite' in tuning
    ? (runs) => familyStep(tuning, [], runs)
    : (runs) => tuningStep(tuning, [], runs);
