import type { PortabilityReport } from '@tilemark/core';
import { formatPercent } from '@/ui/format';

type Shipping = NonNullable<PortabilityReport['shipping']>;

/** What one variant everywhere costs, in a sentence; costs are extra time over a device's own best. */
export function shippingSummary({ devices }: Shipping): string {
  const costs = devices
    .flatMap(({ device, shipped }) =>
      shipped ? [{ device, cost: 1 / shipped.partOfBest - 1 }] : [],
    )
    .toSorted((a, b) => a.cost - b.cost);
  const worst = costs.at(-1);
  const middle = costs[Math.floor(costs.length / 2)];
  if (!worst || !middle) return 'No device shown has measured it.';
  const unknown = devices.length - costs.length;
  const known =
    worst.cost === 0
      ? 'costs no device anything'
      : `costs the median device ${formatPercent(middle.cost)} more time, ${worst.device.name} the most: ${formatPercent(worst.cost)}`;
  return `It ${known}${unknown > 0 ? `; ${unknown} have not measured it` : ''}.`;
}
