import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import type { PortabilityQuery, PortabilityReport } from '../../api';
import { portability } from '../../portability';
import { byDevice, type VariantTimeRow, variantTimes } from './variant-times';

/** How portable each variant is: the contract is at `Store.portability`. */
export async function portabilityOf(
  db: PrismaClient,
  query: PortabilityQuery,
): Promise<PortabilityReport> {
  const { board, times } = await variantTimes(db, query);
  const ranked = times.filter((time) => time.unranked === null);
  const devices = byDevice(ranked);
  const found = portability(ranked);
  const { ship = found[0]?.address } = query;
  if (ship !== undefined && !found.some(({ address }) => address === ship)) {
    throw new InputError(`no device shown has a ranked result of '${ship}'`, 'ship');
  }
  return {
    ...board,
    devices: devices.size,
    variants: found.flatMap(({ worst: { deviceKey, partOfBest }, ...variant }) => {
      const [worst] = devices.get(deviceKey) ?? [];
      return worst ? { ...variant, worst: { device: worst.device, partOfBest } } : [];
    }),
    shipping:
      ship === undefined
        ? null
        : { address: ship, devices: [...devices.values()].map((own) => shippingTo(own, ship)) },
  };
}

/** What one device loses by a variant that is not its own best. */
function shippingTo(
  own: readonly [VariantTimeRow, ...VariantTimeRow[]],
  ship: string,
): NonNullable<PortabilityReport['shipping']>['devices'][number] {
  const [best] = own;
  const same = own.find(({ address }) => address === ship);
  return {
    device: best.device,
    best: measured(best),
    shipped: same ? { ...measured(same), partOfBest: best.medianNs / same.medianNs } : null,
  };
}

const measured = ({ address, medianNs, resultId }: VariantTimeRow) => ({
  address,
  medianNs,
  resultId,
});
