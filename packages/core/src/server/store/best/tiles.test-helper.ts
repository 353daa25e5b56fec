import { type Problem, variantAddress } from '@tilemark/kernels';
import { type BestVariant, bestVariantSchema, questionSchema } from '../../../api/api';
import type { RunSpec } from '../../../api/run';
import type { DeviceIdentity } from '../../../measure/device';
import type { Outcome } from '../../../measure/outcome';
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

/** A question as it is asked, with sizes as numbers. */
export type Asked = Readonly<Record<string, string | number | undefined>>;

export const textsOf = (asked: Asked) =>
  Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  );

export const questionOf = (asked: Asked) => questionSchema.parse(textsOf(asked));

export async function bestOf(store: Store, asked: Asked): Promise<BestVariant | null> {
  const [row] = await store.best(questionOf(asked));
  return row?.best ? bestVariantSchema.parse(row.best) : null;
}

export const cube = (n: number) => ({ m: n, n, k: n });

const TILES = { small: { TILE: 8 }, middle: { TILE: 16 }, large: { TILE: 32 } } as const;
export type Tile = keyof typeof TILES;

export const tileAddress = (tile: Tile) =>
  variantAddress({ kernel: 'matmul/tiled', tunables: TILES[tile] });

export const tileRun = (deviceKey: string, tile: Tile, problem: Problem): RunSpec =>
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
