import { unlessQueueIsDown } from './errors';
import type { CutOff } from './store/workers/end';
import type { SweepServices } from './submit';

/**
 * Revokes a worker, as `Workers.revoke` does; its run is the next worker's at once.
 *
 * @throws ServiceUnavailable
 */
export async function revokeWorker(
  services: SweepServices,
  workerId: string,
): Promise<'revoked' | 'own account' | null> {
  const cutOff = await services.store.workers.revoke(workerId);
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
  // Otherwise the locks end by themselves.
  await unlessQueueIsDown(Promise.all(released.map((run) => queue.putBack(run, workerId))));
}
