import { type Problem, variantAddress } from '@tilemark/kernels';
import type { DeviceIdentity } from '../../../measure/device';
import type { Outcome } from '../../../measure/outcome';
import type { PlannedRun } from '../../../plan/expansion';
import {
  type BestQuery,
  type BestVariant,
  bestQuerySchema,
  bestVariantSchema,
} from '../../../view/api';
import {
  capabilities,
  identity,
  measured,
  planned,
  recordAll,
  square,
} from '../fixtures.test-helper';
import type { Store } from '../store';

/** Devices that have measured tiles of one kernel, and what is found to run on them, for tests. */

export async function bestOf(store: Store, over: Partial<BestQuery>): Promise<BestVariant | null> {
  const found = await store.best(bestQuerySchema.parse(over));
  return found && bestVariantSchema.parse(found);
}

export const cube = (n: number) => ({ m: n, n, k: n });

const TILES = { small: { TILE: 8 }, middle: { TILE: 16 }, large: { TILE: 32 } } as const;
export type Tile = keyof typeof TILES;

export const tileAddress = (tile: Tile) =>
  variantAddress({ kernel: 'matmul/tiled', tunables: TILES[tile] });

export const tileRun = (deviceKey: string, tile: Tile, problem: Problem): PlannedRun =>
  planned(deviceKey, {
    variant: { kernel: 'matmul/tiled', tunables: TILES[tile] },
    address: tileAddress(tile),
    problem,
  });

/** Attaches a device and records times of tiles on square products, in ms; its key. */
export async function deviceWith(
  store: Store,
  over: Partial<DeviceIdentity> & { device: string },
  entries: readonly (readonly [tile: Tile, n: number, ms: number | Outcome])[],
): Promise<string> {
  const { deviceKey, workerId } = await store.workers.attach({
    name: 'w',
    host: 'h',
    version: '0',
    identity: { ...identity(over.device), ...over },
    capabilities,
  });
  const runs = entries.map(
    ([tile, n, ms]) =>
      [
        tileRun(deviceKey, tile, square(n)),
        typeof ms === 'number' ? measured(ms * 1e6) : ms,
      ] as const,
  );
  await recordAll(store, deviceKey, workerId, runs);
  return deviceKey;
}
