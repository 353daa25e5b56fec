import { InputError, isContributed, refuseIf } from '@tilemark/kernels';
import { shuffle } from 'd3-array';
import type { Counts, NewSweep } from '../api/api';
import type { RunSpec } from '../api/run';
import { KERNEL_LIMITS } from '../contributed/manifest';
import { suiteClass } from '../measure/device';
import { expand } from '../plan/expansion';
import type { SweepSpec } from '../plan/spec';
import { findSuite, requestedSpec, standingSuites, suiteRef } from '../suites/suites';
import { unlessQueueIsDown } from './errors';
import type { Queue } from './queue/queue';
import type { DeviceToPlan } from './store/devices/to-plan';
import type { Store } from './store/store';
import type { Author, SweepInput } from './store/sweeps/insert';

// How sweeps begin: submitted by people, retried, or started by the grid itself on a new device.

/** The services behind operations on sweeps. */
export interface SweepServices {
  readonly store: Store;
  readonly queue: Queue;
}

export interface SubmitOptions {
  /** A second sweep with the same key is not made; the first is returned. */
  readonly idempotencyKey?: string;
  /** Nobody waits for it: what people ask for goes first. */
  readonly background?: boolean;
}

/**
 * Makes a sweep and queues its runs as `drawn` orders them. Without `devices` it runs on every device
 * with a worker attached. Once the rows are written the sweep stands: if the queue is unavailable,
 * `reconcile` adds the runs later.
 *
 * @param newSweep a body that `newSweepSchema` has accepted
 * @throws InputError naming the field at fault; ServiceUnavailable
 */
export async function submitSweep(
  { store, queue }: SweepServices,
  newSweep: NewSweep,
  author: Author,
  { idempotencyKey, background = false }: SubmitOptions = {},
): Promise<{ id: string; counts: Counts }> {
  const spec = requestedSpec(newSweep);
  const devices = await store.devices.toPlan();
  const foreign = spec.cases
    .flatMap(({ kernel, rival }) => [kernel, rival?.kernel ?? kernel])
    .filter(isContributed);
  await store.contributed.admit(foreign, 'cases');
  const able = foreign.length > 0 ? thoseThatRun(spec, devices) : devices;
  const plannable = spec.devices ? able : able.filter((device) => device.workers > 0);
  return startSweep({ store, queue }, author, {
    name: newSweep.name,
    suite: 'suite' in newSweep ? suiteRef(findSuite(newSweep.suite)) : null,
    spec,
    runs: withinLimits(expand(spec, plannable)),
    background,
    idempotencyKey: idempotencyKey ?? null,
  });
}

/** The devices on which contributed kernels run. Throws InputError if one that was named is not. */
function thoseThatRun({ devices: named }: SweepSpec, devices: readonly DeviceToPlan[]) {
  const able = devices.filter(({ contributed }) => contributed > 0);
  const missing = named?.find((key) => !able.some((device) => device.key === key));
  const what = missing ?? (able.length === 0 ? 'this grid' : null);
  if (what !== null) throw new InputError(noWorkerRuns(what), 'devices');
  return able;
}

/** @param what a device's key, or the grid */
export const noWorkerRuns = (what: string): string =>
  `No worker of ${what} runs contributed kernels: start one with --contributed.`;

/** Throws InputError for more variants of contributed kernels than a submission may have. */
function withinLimits(runs: readonly RunSpec[]): readonly RunSpec[] {
  const foreign = runs.filter(({ variant }) => isContributed(variant.kernel));
  const variants = new Set(foreign.map(({ address }) => address)).size;
  refuseIf(
    variants > KERNEL_LIMITS.variants,
    `The sweep has ${variants} variants of contributed kernels; the limit is ${KERNEL_LIMITS.variants}. Choose fewer values.`,
    'cases',
  );
  return runs;
}

/**
 * Writes a sweep of the given runs and queues them, as `submitSweep` does.
 */
export async function startSweep(
  { store, queue }: SweepServices,
  author: Author,
  input: Omit<SweepInput, 'createdBy' | 'createdById'>,
): Promise<{ id: string; counts: Counts }> {
  const { sweep, runs } = await store.sweeps.create({
    ...input,
    createdBy: author.name,
    createdById: author.tokenId ?? null,
  });
  await unlessQueueIsDown(queue.enqueue(drawn(runs), { background: input.background ?? false }));
  return { id: sweep.id, counts: sweep.counts };
}

/**
 * Runs in random order, so that a device that warms up or slows down favours no kernel. On each device
 * one run of each contributed kernel goes first: that it does not compile there is shown before
 * anything is measured.
 */
function drawn<Run extends { readonly deviceKey: string; readonly kernel: string }>(
  runs: readonly Run[],
): Run[] {
  const mixed = shuffle([...runs]);
  const foreign = mixed.filter(({ kernel }) => isContributed(kernel));
  const first = new Map(foreign.map((run) => [`${run.deviceKey} ${run.kernel}`, run]));
  return [...new Set([...first.values(), ...mixed])];
}

/**
 * Puts the failed runs of a sweep back to pending and queues them. Null: no such
 * sweep. Throws InputError when the sweep was cancelled, or where nothing could end otherwise.
 */
export async function retrySweep(
  { store, queue }: SweepServices,
  id: string,
): Promise<{ retried: number } | null> {
  const runs = await store.sweeps.retryFailed(id);
  if (!runs) return null;
  await unlessQueueIsDown(queue.enqueue(shuffle([...runs])));
  return { retried: runs.length };
}

/**
 * Starts the standard suites on a device that has never seen them, so that the board has its
 * numbers without anyone asking. Safe to call on every attach and from several workers at once:
 * each suite is started once per version, even if someone cancels it.
 *
 * @param tokenId an untrusted worker's, whose back-fill is its own: no other untrusted one takes it
 * @returns the ids of the sweeps that were started
 */
export async function backfill(
  services: SweepServices,
  deviceKey: string,
  tokenId?: string,
): Promise<string[]> {
  const device = await services.store.devices.get(deviceKey);
  if (!device) return [];
  const started: string[] = [];
  for (const { suite, params } of standingSuites(suiteClass(device.identity))) {
    const ref = suiteRef(suite);
    const earlier = await services.store.sweeps.ofSuite(ref, deviceKey, tokenId);
    if (earlier.length > 0) continue;
    try {
      const { id } = await submitSweep(
        services,
        {
          name: `${suite.title} on ${device.name}`.slice(0, 120),
          suite: suite.id,
          params,
          devices: [deviceKey],
        },
        { name: 'tilemark', ...(tokenId !== undefined && { tokenId }) },
        { idempotencyKey: [ref, deviceKey, tokenId].filter(Boolean).join(' '), background: true },
      );
      started.push(id);
    } catch (error) {
      // This suite's shapes do not fit the device; the others may.
      if (!(error instanceof InputError)) throw error;
    }
  }
  return started;
}
