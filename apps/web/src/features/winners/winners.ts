/**
 * Which kernel wins where: of each shape that was timed on a device, the fastest variant. Of a device
 * of this grid from its results; of a model whose times ship with Tilemark from those.
 */
import {
  deviceKey,
  driverText,
  type Evidence,
  isOn,
  observationsOf,
  type Profile,
  shippedDevices,
} from '@tilemark/core';
import type { Store, Winner } from '@tilemark/core/server';
import { type Dtype, kernelOf, shapeText } from '@tilemark/kernels';
import { greatest, group, quantileSorted } from 'd3-array';
import { shippedOn } from '@/server/best/shipped';

/** A device that has a map. */
export interface MappedDevice {
  readonly key: string;
  readonly name: string;
}

/** The winners of one dtype on a device, and where they are from. */
export interface WinnerMap {
  readonly dtype: Dtype;
  readonly profile: Profile;
  readonly winners: readonly Winner[];
  /** `driver 580.159, 2026-11-25`; null: results of this grid. */
  readonly shipped: string | null;
}

/** What maps are of. */
const OP = 'matmul';

const DTYPES_SHOWN: readonly Dtype[] = ['f32', 'f16'];

/** Devices with winners: those whose times ship, then others; of each, the grid's GPUs first. */
export async function mappedDevices(store: Store): Promise<MappedDevice[]> {
  const measured = await store.devicesWithWinners(OP);
  const models = shippedDevices().flatMap((identity) => {
    const key = deviceKey(identity);
    const isAttached = measured.some(({ device }) => isOn(identity, { key: device.key }));
    return isAttached || !timesShip(key) ? [] : [{ device: { key, name: identity.device } }];
  });
  const own = measured.filter(({ device }) => device.class === 'gpu');
  return [...new Set([...own, ...models, ...measured])]
    .map(({ device: { key, name } }) => ({ key, name }))
    .toSorted((a, b) => Number(timesShip(b.key)) - Number(timesShip(a.key)));
}

const timesShip = (key: string) => shippedOn(key).some(({ op }) => op === OP);

/** The maps of a device, one per dtype: under the profile with the most shapes. */
export async function winnerMapsOf(store: Store, key: string): Promise<WinnerMap[]> {
  const measured = await store.winners({ key, op: OP });
  const files = shippedOn(key).filter((file) => file.op === OP);
  return DTYPES_SHOWN.flatMap((dtype) => {
    const maps = [
      ...files.filter((file) => file.dtype === dtype).map(shippedMap),
      ...[...group(measured, ({ profile }) => profile)].map(
        ([profile, winners]): WinnerMap => ({
          dtype,
          profile,
          winners: winners.filter(({ problem }) => problem.dtype === dtype),
          shipped: null,
        }),
      ),
    ];
    const most = greatest(maps, ({ winners }) => winners.length);
    return most && most.winners.length > 0 ? [most] : [];
  });
}

/** Kept, since what ships does not change. */
const maps = new Map<Evidence, WinnerMap>();

function shippedMap(file: Evidence): WinnerMap {
  const cached = maps.get(file);
  if (cached) return cached;
  const { dtype, driver, measuredAt, profile } = file;
  const times = group(observationsOf(file), ({ problem }) => shapeText(problem));
  const winners = [...times.values()].flatMap((ofShape) => {
    const first = greatest(ofShape, ({ ns }) => -ns);
    return first
      ? [{ problem: first.problem, profile, address: first.address, medianNs: first.ns }]
      : [];
  });
  const shipped = `${driverText(driver)}, ${measuredAt.slice(0, 10)}`;
  const map = { dtype, profile, winners, shipped };
  maps.set(file, map);
  return map;
}

/** A kernel of maps: its letter, and where it wins. */
export interface Winning {
  readonly kernel: string;
  readonly letter: string;
  readonly dtypes: readonly Dtype[];
  /** M between which four of five of its wins are, and that of the middle one. */
  readonly from: number;
  readonly middle: number;
  readonly to: number;
}

/** The kernels that win somewhere, lettered from those of small M to those of large. */
export function winningKernels(maps: readonly WinnerMap[]): Winning[] {
  const winners = maps.flatMap((map) => map.winners);
  return [...group(winners, ({ address }) => kernelOf(address))]
    .map(([kernel, won]) => {
      const sizes = won.map((winner) => sidesOf(winner).m).toSorted((a, b) => a - b);
      const sizeAt = (part: number) => floorOf(quantileSorted(sizes, part) ?? 1);
      const dtypes = [...new Set(won.map(({ problem }) => problem.dtype))];
      return { kernel, dtypes, from: sizeAt(0.1), middle: sizeAt(0.5), to: sizeAt(0.9) };
    })
    .toSorted((a, b) => a.middle - b.middle || a.from - b.from || a.to - b.to)
    .map((winning, at) => ({ ...winning, letter: String.fromCharCode(65 + at) }));
}

/** The sides of a cell. */
export function sidesOf({ problem }: Pick<Winner, 'problem'>): { m: number; k: number } {
  if (!('m' in problem.shape)) throw new TypeError('a map is of products');
  return problem.shape;
}

/** The power of two at or below a size: where its cell begins. */
export const floorOf = (size: number): number => 2 ** Math.floor(Math.log2(size));
