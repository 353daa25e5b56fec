import type { RunResult } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';

/** The best results of the grid's devices that a variant of this kernel holds. */
export async function winsOf(store: Store, kernel: string): Promise<RunResult[]> {
  const { items } = await store.devices.list();
  const best = await Promise.all(items.map((device) => store.devices.best(device.key)));
  return best.flat().filter(({ variant }) => variant.kernel === kernel);
}
