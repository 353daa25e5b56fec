import { setTimeout as sleep } from 'node:timers/promises';
import { reconcileAccess } from './enrol';
import type { SweepServices } from './submit';

/** What was out of step, in runs. */
export interface Reconciled {
  /** Claimed by a worker that was lost: pending again. */
  readonly reclaimed: number;
  /** Left over from cancelled sweeps: deleted. */
  readonly dropped: number;
  /** Pending without a job: queued. */
  readonly enqueued: number;
  /** Jobs of runs that are not pending any more: removed. */
  readonly removed: number;
  /** Workers whose accounts ended. */
  readonly cutOff: number;
}

/**
 * Brings rows and jobs into step after a crash between writing the one and the
 * other. Rows are right: what is pending gets a job, and a job without a pending
 * row goes. Accounts of workers follow their rows too. Several processes may do this at once.
 *
 * @throws ServiceUnavailable
 */
export async function reconcile({ store, queue }: SweepServices): Promise<Reconciled> {
  const cutOff = await reconcileAccess({ store, queue });
  const { reclaimed, dropped } = await store.runs.reclaim();

  // Jobs are read before rows. A row is written before its job, so the row of every
  // job read here is there; a row written meanwhile is queued twice, which is once.
  const jobs = new Map<string, Set<string>>();
  for (const { key } of await store.devices.toPlan()) jobs.set(key, await queue.runIds(key));

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
  return { reclaimed, dropped, enqueued: missing.length, removed: orphans.length, cutOff };
}

export interface ReconcileOptions {
  readonly everyMs?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Told when something was out of step. */
  readonly onReconciled?: (what: Reconciled) => void;
  /** Told when it failed; it is tried again at the next turn. */
  readonly onError: (error: unknown) => void;
}

/** Reconciles at once and then again and again, until the signal aborts. */
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
