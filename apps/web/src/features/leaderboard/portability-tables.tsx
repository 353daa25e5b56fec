import type { PortabilityReport } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { shortAddress } from '@/features/kernels/short-address';
import { VariantLink } from '@/features/results/variant-link';
import { Address } from '@/ui/address';
import { TextLink } from '@/ui/button';
import { formatNs, formatPercent } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Section } from '@/ui/page';
import { TablePanel } from '@/ui/table';
import { MoreRows, shownRows } from './more-rows';
import { type BoardQuery, boardHref } from './query';
import { RateBar } from './rate-bar';
import { shippingSummary } from './shipping';

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
        <p>Portability is said by ranked results only. Choose another problem or more groups.</p>
      </Empty>
    );
  }
  const caption = `${problem.op} ${shapeText(problem)} ${problem.dtype}, profile ${query.profile}`;
  return (
    <>
      <Section
        id="variants"
        title="Variants by portability"
        note={
          <>
            Geometric mean of the part of each device’s best rate; higher is better.{' '}
            <TextLink href="/docs/ranking#portability">Formula</TextLink>
          </>
        }
      >
        <TablePanel caption={`Portability of variants: ${caption}`}>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" className="min-w-40">
                Mean part of best
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
                <td>
                  <RateBar
                    value={variant.partOfBest}
                    max={1}
                    text={formatPercent(variant.partOfBest)}
                    isRanked={variant.isWide}
                  />
                </td>
                <td className="figure">
                  {variant.devices} <span className="text-muted">of {report.devices}</span>
                  {!variant.isWide && <span className="block text-xs text-amber">few</span>}
                </td>
                <td className="min-w-40">
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
        <TablePanel caption={`What one variant everywhere costs each device: ${caption}`}>
          <thead>
            <tr>
              <th scope="col">Device</th>
              <th scope="col">Its own best</th>
              <th scope="col" className="figure">
                Its best’s median
              </th>
              <th scope="col" className="figure">
                This variant’s
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
                <td className="min-w-56">
                  <VariantLink address={best.address} resultId={best.resultId} />
                </td>
                <td className="figure">{formatNs(best.medianNs)}</td>
                <td className="figure">
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
                <td className="figure font-medium">
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
