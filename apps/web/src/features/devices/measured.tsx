import {
  type BestResult,
  contrast,
  type Device,
  driverText,
  runShown,
  type VariantHistory,
  type VersionResult,
} from '@tilemark/core';
import { featureText, rateOf } from '@tilemark/kernels';
import { VariantLink } from '@/features/kernels/address';
import { medianColumn, PROBLEM, rateColumn } from '@/features/results/columns';
import { ImportedBadge } from '@/features/results/outcome';
import { VerdictBadge } from '@/features/results/verdict';
import { BETWEEN_RUNS, Facts, Moment } from '@/ui/facts';
import { formatBytes, formatCount, formatSpeedup } from '@/ui/format';
import { Panel } from '@/ui/page';
import { DataTable } from '@/ui/table';

/** A reason that all rows share, as a sentence of them. */
const noneRanked = (reason: string): string =>
  `${reason.replace(/^not ranked: /, 'None of them is ranked: ')}.`;

const rowOf = (result: BestResult) => ({
  ...runShown(result),
  headline: result.headline,
});
type Row = ReturnType<typeof rowOf>;

/** The power caps under which these were measured: `450 W`; several where machines or settings differ. */
export const powerCapsOf = (results: readonly Pick<BestResult, 'outcome'>[]): string => {
  const caps = results.flatMap(({ outcome }) =>
    outcome?.kind === 'measured' ? (outcome.measurement.clocks?.after.powerCapW ?? []) : [],
  );
  return [...new Set(caps.map(formatCount))].map((watts) => `${watts} W`).join(', ');
};

/** The best measured variant of each problem on a device. */
export function BestResults({
  results,
  device,
}: {
  results: readonly BestResult[];
  device: string;
}) {
  const rows = results.map(rowOf);
  const reasons = new Set(rows.map(({ reason }) => reason));
  const [common = null] = reasons.size === 1 && rows.length > 1 ? reasons : [];
  return (
    <>
      {common && <p className="mb-2 text-[0.8125rem] text-muted">{noneRanked(common)}</p>}
      <DataTable
        caption={`Best results of ${device}`}
        rows={rows}
        keyOf={({ runId }) => runId}
        columns={[
          PROBLEM,
          {
            head: 'Best variant',
            className: 'min-w-52',
            cell: ({ address, imported, reason, resultId }) => (
              <>
                <VariantLink address={address} resultId={resultId} />{' '}
                <ImportedBadge of={imported} />
                {reason && !common && <span className="block text-xs text-muted">{reason}</span>}
              </>
            ),
          },
          medianColumn(({ headline }: Row) => headline, BETWEEN_RUNS),
          rateColumn(({ headline, problem }: Row) => rateOf(problem, headline.medianNs)),
        ]}
      />
    </>
  );
}

const versionText = ({ driver, webgpu }: VersionResult): string =>
  [driverText(driver) || 'driver unknown', webgpu && `webgpu ${webgpu}`].filter(Boolean).join(', ');

/** How drivers and Dawn changed the device's best variants: each by version, oldest first. */
export function History({ variants }: { variants: readonly VariantHistory[] }) {
  const rows = variants.flatMap(({ versions, ...variant }) =>
    versions.map((result, at) => ({ ...variant, result, before: versions[at - 1] })),
  );
  return (
    <DataTable
      caption="Best variants by version of driver and Dawn"
      rows={rows}
      keyOf={(_, at) => at}
      columns={[
        PROBLEM,
        {
          head: 'Variant',
          className: 'min-w-44',
          cell: ({ address, result }) => (
            <VariantLink address={address} resultId={result.resultId} />
          ),
        },
        {
          head: 'Driver and Dawn',
          className: 'min-w-44 font-mono text-xs',
          cell: ({ result }) => versionText(result),
        },
        medianColumn(({ result }: (typeof rows)[number]) => result),
        {
          head: 'Over the one before',
          isFigure: true,
          cell: ({ before, result }) => <Change from={before} to={result} />,
        },
        { head: 'Results', isFigure: true, cell: ({ result }) => formatCount(result.count) },
        {
          head: 'Since',
          isFigure: true,
          className: 'text-muted',
          cell: ({ result }) => <Moment date={result.since} />,
        },
      ]}
    />
  );
}

/** How a version does against the one before it. */
function Change({ from, to }: { from: VersionResult | undefined; to: VersionResult }) {
  if (!from) return '–';
  const { ratio, verdict } = contrast(to, from);
  return (
    <>
      {formatSpeedup(ratio)} <VerdictBadge of={verdict} />
    </>
  );
}

/** What the device allows a kernel: the limits that decide which runs are skipped on it. */
export function Capabilities({ limits }: { limits: Device['capabilities'] }) {
  const size = [
    limits.maxComputeWorkgroupSizeX,
    limits.maxComputeWorkgroupSizeY,
    limits.maxComputeWorkgroupSizeZ,
  ];
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          {
            name: 'Invocations per workgroup',
            value: formatCount(limits.maxComputeInvocationsPerWorkgroup),
          },
          { name: 'Workgroup size', value: size.map(formatCount).join(' × ') },
          { name: 'Workgroup memory', value: formatBytes(limits.maxComputeWorkgroupStorageSize) },
          {
            name: 'Workgroups per dimension',
            value: formatCount(limits.maxComputeWorkgroupsPerDimension),
          },
          {
            name: 'Largest storage binding',
            value: formatBytes(limits.maxStorageBufferBindingSize),
          },
          { name: 'Largest buffer', value: formatBytes(limits.maxBufferSize) },
        ]}
      />
      <div className="border-t border-line px-4 py-2.5 text-[0.8125rem]">
        <h3 className="mb-1 font-normal text-muted">
          Features, as last reported by a worker or an import
        </h3>
        <p className="font-mono text-xs leading-5 break-words">
          {limits.features.toSorted().map(featureText).join('  ') || 'none'}
        </p>
      </div>
    </Panel>
  );
}
