import type { Counts, NewSweep } from '../api';
import { expand } from '../expand';
import type { SweepSpec } from '../spec';
import { findSuite, suiteRef, suiteSpec } from '../suites/registry';
import { ServiceUnavailable } from './errors';
import type { Queue } from './queue';
import type { AuditNote, Author, Store } from './store';

/** What operations on sweeps work with. */
export interface SweepServices {
  readonly store: Store;
  readonly queue: Queue;
}

export interface SubmitOptions {
  /** A second sweep with the same key is not made; the first is returned. */
  readonly idempotencyKey?: string;
  /** Nobody waits for it: what people ask for goes first. */
  readonly background?: boolean;
  readonly note?: AuditNote | undefined;
}

/**
 * Makes a sweep and queues its runs, in random order so that a device's warming
 * up or slowing down does not favour one kernel. Without `devices` it runs on
 * every device that has a worker attached. Once the rows are written the sweep
 * stands: a queue that is away gets the runs from `reconcile` when it is back.
 *
 * @param newSweep a body that `newSweepSchema` has accepted
 * @throws InputError naming the field at fault; DatabaseUnavailable
 */
export async function submitSweep(
  { store, queue }: SweepServices,
  newSweep: NewSweep,
  author: Author,
  { idempotencyKey, background = false, note }: SubmitOptions = {},
): Promise<{ id: string; counts: Counts }> {
  const { suite, spec } = resolveSpec(newSweep);
  const devices = await store.devices.toPlan();
  const plannable = spec.devices ? devices : devices.filter((device) => device.workers > 0);
  return startSweep({ store, queue }, author, {
    name: newSweep.name,
    suite,
    spec,
    runs: expand(spec, plannable),
    background,
    note,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  });
}

type SweepInput = Parameters<Store['sweeps']['create']>[0];

/** Writes a sweep of runs that are known and queues them; the rest is as in `submitSweep`. */
export async function startSweep(
  { store, queue }: SweepServices,
  author: Author,
  input: Omit<SweepInput, 'createdBy' | 'createdById'>,
): Promise<{ id: string; counts: Counts }> {
  const { sweep, runs } = await store.sweeps.create({
    ...input,
    createdBy: author.name,
    ...(author.tokenId !== undefined && { createdById: author.tokenId }),
  });
  await enqueueWhenUp(queue, shuffled(runs), input.background);
  return { id: sweep.id, counts: sweep.counts };
}

/**
 * Puts the failed runs of a sweep back to pending and queues them. Null: no such
 * sweep. Throws InputError when the sweep was cancelled.
 */
export async function retrySweep(
  { store, queue }: SweepServices,
  id: string,
  note?: AuditNote,
): Promise<{ retried: number } | null> {
  const runs = await store.sweeps.retryFailed(id, note);
  if (!runs) return null;
  await enqueueWhenUp(queue, shuffled(runs));
  return { retried: runs.length };
}

function resolveSpec(newSweep: NewSweep): { suite: string | null; spec: SweepSpec } {
  if ('spec' in newSweep) return { suite: null, spec: newSweep.spec };
  const { suite, params, profiles, policy, devices } = newSweep;
  return {
    suite: suiteRef(findSuite(suite)),
    spec: {
      ...suiteSpec(suite, params),
      ...(profiles && { profiles }),
      ...(policy && { policy }),
      ...(devices && { devices }),
    },
  };
}

type QueuedRun = Parameters<Queue['enqueue']>[0][number];

async function enqueueWhenUp(
  queue: Queue,
  runs: readonly QueuedRun[],
  background = false,
): Promise<void> {
  try {
    await queue.enqueue(runs, { background });
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error;
  }
}

/** A copy in random order (Fisher and Yates). */
function shuffled<T>(items: readonly T[]): T[] {
  const copy = [...items];
  for (let end = copy.length - 1; end > 0; end--) {
    const pick = Math.floor(Math.random() * (end + 1));
    [copy[end], copy[pick]] = [copy[pick] as T, copy[end] as T];
  }
  return copy;
}
