import { isContributed, type PortabilityReport } from '@tilemark/core';
import { kernelOf, shapeText, shortAddress } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { Address, VariantLink } from '@/features/kernels/address';
import { UnconfirmedMark } from '@/features/results/confirmation';
import { TextLink } from '@/ui/button';
import { formatNs, formatPercent, formatShape, plural } from '@/ui/format';
import { Badge, Empty } from '@/ui/notice';
import { Section } from '@/ui/page';
import { Bar } from '@/ui/rate-bar';
import { DataTable } from '@/ui/table';
import { type BoardQuery, boardHref, restOf } from './query';
import { ShorterMedian } from './row-parts';

/** Which variant to ship where one has to do for all, and what that costs. */
export function PortabilityTables({
  report,
  query,
}: {
  report: PortabilityReport;
  query: BoardQuery;
}) {
  const { problem, shipping, variants } = report;
  if (!problem || !shipping || report.devices === 1) {
    const one = report.devices === 1;
    return (
      <Empty
        title={`${one ? 'Only one' : 'No'} device shown has ${one ? 'ranked results' : 'a ranked result'} of this problem`}
      >
        <p>
          Portability compares devices by ranked results. Choose another problem or more groups.
        </p>
      </Empty>
    );
  }
  const isCompared = variants.some(({ devices }) => devices > 1);
  const caption = `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}, profile ${query.profile}`;
  return (
    <>
      <Section
        id="variants"
        title="Variants by portability"
        note={
          <>
            {report.unconfirmed && (
              <>
                <UnconfirmedMark />. No result of this problem is confirmed.{' '}
              </>
            )}
            {isCompared
              ? 'Geometric mean of the share of each device’s best rate; higher is better.'
              : 'No variant was measured on more than one device yet: each share is of its one device.'}{' '}
            A share counts a median, or the slow end of its interval where that is wide.{' '}
            <TextLink href="/docs/choose#portability">Formula</TextLink>
          </>
        }
      >
        <DataTable
          caption={`Portability of variants: ${caption}`}
          rows={variants}
          rest={restOf(query, 'variants')}
          keyOf={({ address }) => address}
          columns={[
            {
              head: 'Variant',
              className: 'min-w-56 font-normal',
              cell: ({ address }) => (
                <span title={address}>
                  <Address of={shortAddress(address)} />
                  <ContributedBadge of={address} />
                </span>
              ),
            },
            {
              head: 'Mean share of best',
              className: 'min-w-40',
              cell: ({ isWide, partOfBest }) => (
                <Bar part={partOfBest} text={formatPercent(partOfBest)} isRanked={isWide} />
              ),
            },
            {
              head: 'Devices',
              isFigure: true,
              cell: ({ devices, isWide }) => (
                <>
                  {devices} <span className="text-muted">of {report.devices}</span>
                  {!isWide && <span className="block text-xs text-amber">few</span>}
                </>
              ),
            },
            {
              head: 'Worst on',
              className: 'min-w-40',
              cell: ({ worst }) => (
                <>
                  {formatPercent(worst.partOfBest)}{' '}
                  <span className="text-muted">{shortDeviceName(worst.device.name)}</span>
                </>
              ),
            },
            {
              head: 'Everywhere',
              className: 'whitespace-nowrap',
              cell: ({ address }) =>
                address === shipping.address ? (
                  <span className="text-muted">shown below</span>
                ) : (
                  <TextLink
                    href={boardHref(query, { ship: address })}
                    scroll={false}
                    aria-label={`What ${address} costs everywhere`}
                  >
                    what it costs
                  </TextLink>
                ),
            },
          ]}
        />
      </Section>
      <Section id="shipping" title="One variant everywhere" note={shippingSummary(shipping)}>
        <p className="mb-2">
          <Address of={shipping.address} />
          <ContributedBadge of={shipping.address} />
        </p>
        <DataTable
          caption={`What one variant everywhere costs each device: ${caption}`}
          rows={shipping.devices}
          rest={restOf(query, 'devices')}
          keyOf={({ device }) => device.key}
          columns={[
            { head: 'Device', cell: ({ device: { name } }) => shortDeviceName(name) },
            {
              head: 'Its own best',
              className: 'min-w-56',
              cell: ({ best, shorterMedian }) => (
                <>
                  <VariantLink address={best.address} resultId={best.resultId} />
                  <ContributedBadge of={best.address} />
                  <ShorterMedian of={shorterMedian} />
                </>
              ),
            },
            { head: 'Best median', isFigure: true, cell: ({ best }) => <Counted of={best} /> },
            {
              head: 'This variant’s median',
              isFigure: true,
              cell: ({ shipped }) =>
                shipped ? (
                  <Counted of={shipped} />
                ) : (
                  <span className="text-muted">not measured</span>
                ),
            },
            {
              head: 'Costs (lower is better)',
              isFigure: true,
              className: 'font-medium',
              cell: ({ shipped }) => costText(shipped),
            },
          ]}
        />
      </Section>
    </>
  );
}

/** Marks a variant of a kernel that somebody contributed; nothing for one of ours. */
function ContributedBadge({ of }: { of: string }) {
  if (!isContributed(kernelOf(of))) return null;
  return (
    <>
      {' '}
      <Badge>contributed</Badge>
    </>
  );
}

type Shipping = NonNullable<PortabilityReport['shipping']>;

/** A median, and what it counts as where its interval is wide. */
function Counted({ of: { medianNs, provenNs } }: { of: Shipping['devices'][number]['best'] }) {
  return (
    <>
      {formatNs(medianNs)}
      {provenNs !== medianNs && (
        <span className="block text-xs text-muted">
          counted at its slow end, {formatNs(provenNs)}
        </span>
      )}
    </>
  );
}

function costText(shipped: Shipping['devices'][number]['shipped']): string {
  if (shipped === null) return '–';
  return shipped.partOfBest === 1
    ? 'nothing'
    : `${formatPercent(1 / shipped.partOfBest - 1)} more time`;
}

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
      ? `nothing on the ${costs.length === 1 ? 'only device' : `${costs.length} devices`} that measured it`
      : `the median device ${formatPercent(middle.cost)} more time, ${shortDeviceName(worst.device.name)} the most: ${formatPercent(worst.cost)}`;
  return `Costs ${known}${unknown > 0 ? `; ${plural(unknown, 'device')} ${unknown === 1 ? 'has' : 'have'} not` : ''}.`;
}
