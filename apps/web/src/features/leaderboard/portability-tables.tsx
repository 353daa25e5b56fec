import type { PortabilityReport } from '@tilemark/core';
import { isContributed, kernelOf, shapeText, shortAddress } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/short-device-name';
import { Address } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatPercent, formatShape } from '@/ui/format';
import { Badge, Empty } from '@/ui/notice';
import { Section } from '@/ui/page';
import { Bar } from '@/ui/rate-bar';
import { DataTable } from '@/ui/table';
import { type BoardQuery, restOf } from './query';

/** Which variant to ship where one has to do for all. */
export function PortabilityTables({
  report,
  query,
}: {
  report: PortabilityReport;
  query: BoardQuery;
}) {
  const { problem, variants } = report;
  if (!problem || report.devices < 2) {
    const one = report.devices === 1;
    return (
      <Empty
        title={`${one ? 'Only one' : 'No'} device shown has ${one ? 'ranked results' : 'a ranked result'} of this problem`}
      >
        <p>Portability compares devices by ranked results. Choose another problem.</p>
      </Empty>
    );
  }
  const isCompared = variants.some(({ devices }) => devices > 1);
  const caption = `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}, profile ${query.profile}`;
  return (
    <Section
      id="variants"
      title="Variants by portability"
      note={
        <>
          {isCompared
            ? 'Geometric mean of the share of each device’s best rate; higher is better.'
            : 'No variant was measured on more than one device yet.'}{' '}
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
        ]}
      />
    </Section>
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
