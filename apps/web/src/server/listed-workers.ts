import type { Worker } from '@tilemark/core';
import type { Principal, Store } from '@tilemark/core/server';

/** Attached workers as who asks may know them: the names of tokens are for admins. */
export async function listedWorkers(store: Store, asker: Principal | null): Promise<Worker[]> {
  const workers = await store.workers.list();
  if (asker?.role === 'admin') return workers;
  return workers.map((worker) => ({ ...worker, token: null }));
}
