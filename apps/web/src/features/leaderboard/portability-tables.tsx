import type { PortabilityReport } from '@tilemark/core';
import { shapeText, shortAddress } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { Address, VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatNs, formatPercent, plural } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Section } from '@/ui/page';
import { TablePanel } from '@/ui/table';
import { MoreRows, shownRows } from './more-rows';
import { type BoardQuery, boardHref } from './query';
import { RateBar } from './rate-bar';

/** Which variant to ship where one has to do for all, and what that costs. */
export function PortabilityTables({
  report,
  query,
}: {
  report: PortabilityReport;
  query: BoardQuery;
}) {
  const { problem, shipping, variants } = report;
  if (!problem || !shipping) {
    return (
      <Empty title="No device shown has a ranked result of this problem">
        <p>Portability follows from ranked results only. Choose another problem or more groups.</p>
      </Empty>
    );
  }
  if (report.devices === 1) {
    return (
      <Empty title="Only one device shown has ranked results of this problem">
        <p>
          Portability compares what a variant costs on several devices. Choose a problem that more
          of them have measured, or{' '}
          <TextLink href={boardHref(query, { view: 'heatmap' })}>
            see the kernels of this one
          </TextLink>
          .
        </p>
      </Empty>
    );
  }
  const isCompared = variants.some(({ devices }) => devices > 1);
  const caption = `${problem.op} ${shapeText(problem)} ${problem.dtype}, profile ${query.profile}`;
  return (
    <>
      <Section
        id="variants"
        title="Variants by portability"
        note={
          <>
            {isCompared
              ? 'Geometric mean of the share of each device’s best rate; higher is better.'
              : 'No variant was measured on more than one device, so this says nothing about portability yet: each row is the share of the best rate on its one device.'}{' '}
            <TextLink href="/docs/ranking#portability">Formula</TextLink>
          </>
        }
      >
        <TablePanel caption={`Portability of variants: ${caption}`} stacks>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" className="min-w-40">
                Mean share of best
              </th>
              <th scope="col" className="figure">
                Devices
              </th>
              <th scope="col">Worst on</th>
              <th scope="col">Everywhere</th>
            </tr>
          </thead>
          <tbody>
            {shownRows(variants, query).map((variant) => (
              <tr key={variant.address}>
                <th scope="row" className="min-w-56 font-normal" title={variant.address}>
                  <Address of={shortAddress(variant.address)} />
                </th>
                <td data-head="Mean share of best">
                  <RateBar
                    value={variant.partOfBest}
                    max={1}
                    text={formatPercent(variant.partOfBest)}
                    isRanked={variant.isWide}
                  />
                </td>
                <td className="figure" data-head="Devices">
                  {variant.devices} <span className="text-muted">of {report.devices}</span>
                  {!variant.isWide && <span className="block text-xs text-amber">few</span>}
                </td>
                <td className="min-w-40" data-head="Worst on">
                  {formatPercent(variant.worst.partOfBest)}{' '}
                  <span className="text-muted">{variant.worst.device.name}</span>
                </td>
                <td className="whitespace-nowrap">
                  {variant.address === shipping.address ? (
                    <span className="text-muted">shown below</span>
                  ) : (
                    <TextLink
                      href={boardHref(query, { ship: variant.address })}
                      prefetch={false}
                      scroll={false}
                      aria-label={`What ${variant.address} costs everywhere`}
                    >
                      what it costs
                    </TextLink>
                  )}
                </td>
              </tr>
            ))}
            <MoreRows of={variants.length} noun="variants" query={query} columns={5} />
          </tbody>
        </TablePanel>
      </Section>
      <Section id="shipping" title="One variant everywhere" note={shippingSummary(shipping)}>
        <p className="mb-2">
          <Address of={shipping.address} />
        </p>
        <TablePanel caption={`What one variant everywhere costs each device: ${caption}`} stacks>
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Its own best</th>
              <th scope="col" className="figure">
                Best median
              </th>
              <th scope="col" className="figure">
                This variant’s median
              </th>
              <th scope="col" className="figure">
                Costs (lower is better)
              </th>
            </tr>
          </thead>
          <tbody>
            {shownRows(shipping.devices, query).map(({ device, best, shipped }) => (
              <tr key={device.key}>
                <th scope="row" className="min-w-36">
                  <DeviceName device={device} />
                </th>
                <td className="min-w-56" data-head="Its own best">
                  <VariantLink address={best.address} resultId={best.resultId} />
                </td>
                <td className="figure" data-head="Best median">
                  {formatNs(best.medianNs)}
                </td>
                <td className="figure" data-head="This variant’s median">
                  {shipped ? (
                    <a
                      className="underline decoration-line-strong underline-offset-3 hover:text-accent"
                      href={`/results/${shipped.resultId}`}
                    >
                      {formatNs(shipped.medianNs)}
                    </a>
                  ) : (
                    <span className="text-muted">not measured</span>
                  )}
                </td>
                <td className="figure font-medium" data-head="Costs">
                  {shipped === null
                    ? '–'
                    : shipped.partOfBest === 1
                      ? 'nothing'
                      : `${formatPercent(1 / shipped.partOfBest - 1)} more time`}
                </td>
              </tr>
            ))}
            <MoreRows of={shipping.devices.length} noun="devices" query={query} columns={5} />
          </tbody>
        </TablePanel>
      </Section>
    </>
  );
}

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
      ? `nothing on the ${plural(costs.length, 'device')} measured`
      : `the median device ${formatPercent(middle.cost)} more time, ${worst.device.name} the most: ${formatPercent(worst.cost)}`;
  return `Costs ${known}${unknown > 0 ? `; ${plural(unknown, 'device')} not measured` : ''}.`;
}
