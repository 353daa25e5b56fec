import { ServiceUnavailable } from './errors';
import type { AuditNote } from './store/audit';
import type { CutOff } from './store/workers';
import type { SweepServices } from './submit';

/**
 * Revokes a worker, as `Workers.revoke` does; its run is the next worker's at once.
 *
 * @throws ServiceUnavailable
 */
export async function revokeWorker(
  services: SweepServices,
  workerId: string,
  note?: AuditNote,
): Promise<'revoked' | 'own account' | null> {
  const cutOff = await services.store.workers.revoke(workerId, note);
  if (cutOff === null || cutOff === 'own account') return cutOff;
  await putBack(services, cutOff);
  return 'revoked';
}

/**
 * Cuts off the workers whose token was revoked or has expired. Returns how many.
 *
 * @throws ServiceUnavailable
 */
export async function endAccess(services: SweepServices): Promise<number> {
  const ended = await services.store.workers.endAccess();
  for (const run of ended) await putBack(services, run);
  return ended.length;
}

async function putBack({ queue }: SweepServices, { workerId, released }: CutOff): Promise<void> {
  try {
    for (const run of released) await queue.putBack(run, workerId);
  } catch (error) {
    // The locks end by themselves.
    if (!(error instanceof ServiceUnavailable)) throw error;
  }
}
