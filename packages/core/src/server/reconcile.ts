import { setTimeout as sleep } from 'node:timers/promises';
import { endAccess } from './access';
import { visitDevices } from './sentinel';
import type { SweepServices } from './submit';

/** The runs that were out of step. */
export interface Reconciled {
  /** Claimed by a worker that was lost: pending again. */
  readonly reclaimed: number;
  /** Leftovers of cancelled sweeps: deleted. */
  readonly dropped: number;
  /** Pending without a job: queued. */
  readonly enqueued: number;
  /** Jobs of runs no longer pending: removed. */
  readonly removed: number;
  /** Workers whose token has ended. */
  readonly cutOff: number;
  /** Devices that the sentinel was due on: it started. */
  readonly visited: number;
}

/**
 * Brings rows and jobs back into step after a crash between writing one and the other. Rows are
 * right: a pending run gets a job, and a job without a pending row is removed. The
 * sentinel starts where it is due. Workers whose token has ended are taken off the list. Several processes may do this at once.
 *
 * @throws ServiceUnavailable
 */
export async function reconcile({ store, queue }: SweepServices): Promise<Reconciled> {
  const cutOff = await endAccess({ store, queue });
  const { reclaimed, dropped } = await store.runs.reclaim();

  // Jobs are read before rows. A row is written before its job, so every job read here has its
  // row; a run written meanwhile may be queued twice, which has no effect.
  const jobs = new Map<string, Set<string>>();
  const devices = await store.devices.toPlan();
  for (const { key } of devices) jobs.set(key, await queue.runIds(key));
  const idle = devices.filter(({ key, trusted }) => trusted > 0 && jobs.get(key)?.size === 0);

  const missing: { id: string; deviceKey: string; background: boolean }[] = [];
  for await (const run of store.runs.pending()) {
    if (!jobs.get(run.deviceKey)?.delete(run.id)) missing.push(run);
  }
  for (const background of [false, true]) {
    const runs = missing.filter((run) => run.background === background);
    await queue.enqueue(runs, { background });
  }

  const orphans = [...jobs].flatMap(([deviceKey, ids]) =>
    [...ids].map((id) => ({ id, deviceKey })),
  );
  await queue.remove(orphans);
  const visited = await visitDevices(
    { store, queue },
    idle.map(({ key }) => key),
  );
  return {
    reclaimed,
    dropped,
    enqueued: missing.length,
    removed: orphans.length,
    cutOff,
    visited: visited.length,
  };
}

interface ReconcileOptions {
  readonly everyMs?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Called when something was out of step. */
  readonly onReconciled?: (what: Reconciled) => void;
  /** Called when it failed; the next turn tries again. */
  readonly onError: (error: unknown) => void;
}

/** Reconciles now and then every `everyMs` until the signal aborts. */
export async function keepReconciled(
  services: SweepServices,
  { everyMs = 30_000, signal, onReconciled, onError }: ReconcileOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const what = await reconcile(services);
      if (Object.values(what).some((runs) => runs > 0)) onReconciled?.(what);
    } catch (error) {
      onError(error);
    }
    await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
