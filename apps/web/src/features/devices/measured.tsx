import {
  type BestResult,
  contrast,
  type Device,
  type DeviceHistory,
  driverText,
  runView,
  type SoftwareVersion,
  type VersionResult,
} from '@tilemark/core';
import { rateOf, shapeText } from '@tilemark/kernels';
import { VerdictBadge } from '@/features/compare/verdict';
import { ComparableVariant, VariantLink } from '@/features/kernels/address';
import { featureText } from '@/features/kernels/needs';
import { ShorterMedian, WideInterval } from '@/features/leaderboard/row-parts';
import { medianColumn, PROBLEM, rateColumn } from '@/features/results/columns';
import { ImportedBadge } from '@/features/results/outcome';
import { BETWEEN_RUNS, Facts, Moment, Timing } from '@/ui/facts';
import { formatBytes, formatCount, formatShape, formatSpeedup } from '@/ui/format';
import { Panel } from '@/ui/page';
import { DataTable, TablePanel } from '@/ui/table';

/** A reason that all rows share, as a sentence of them. */
const noneRanked = (reason: string): string =>
  `${reason.replace(/^not ranked: /, 'None of them is ranked: ')}.`;

const rowOf = (result: BestResult) => ({
  ...runView(result),
  headline: result.headline,
  shorterMedian: result.shorterMedian,
});
type Row = ReturnType<typeof rowOf>;

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
            cell: ({ address, headline, imported, problem, reason, resultId, shorterMedian }) => (
              <>
                {resultId !== null && (
                  <ComparableVariant
                    address={address}
                    resultId={resultId}
                    on={`${device}, ${formatShape(shapeText(problem))} ${problem.dtype}`}
                  />
                )}{' '}
                <ImportedBadge of={imported} />
                {reason && !common && <span className="block text-xs text-muted">{reason}</span>}
                <WideInterval of={headline} />
                <ShorterMedian of={shorterMedian} />
              </>
            ),
          },
          medianColumn(({ headline }: Row) => headline, BETWEEN_RUNS),
          rateColumn(({ figures, problem }: Row) => figures && rateOf(problem, figures.medianNs)),
        ]}
      />
    </>
  );
}

const versionText = ({ driver, webgpu }: SoftwareVersion): string =>
  [driverText(driver) || 'driver unknown', webgpu && `webgpu ${webgpu}`].filter(Boolean).join(', ');

/** How drivers and Dawn changed the device's best variants. */
export function History({ history: { variants } }: { history: DeviceHistory }) {
  return (
    <TablePanel caption="Best variants by version of driver and Dawn">
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Driver and Dawn, oldest first</th>
          {['Best median (lower is better)', 'Vs. previous', 'Results', 'Since'].map((head) => (
            <th key={head} scope="col" className="figure">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      {variants.map(({ address, problem, profile, versions: results }) => (
        <tbody key={`${address} ${problem.op} ${shapeText(problem)} ${problem.dtype} ${profile}`}>
          {results.map((result, index) => (
            <tr key={versionText(result)}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={results.length} className="min-w-44">
                  {problem.op} {formatShape(shapeText(problem))}{' '}
                  <span className="text-muted">
                    {problem.dtype}, {profile}
                  </span>
                  <span className="block font-normal">
                    <VariantLink address={address} resultId={result.resultId} />
                  </span>
                </th>
              )}
              <td className="min-w-44 font-mono text-xs">{versionText(result)}</td>
              <td className="figure">
                <Timing of={result} />
              </td>
              <td className="figure">
                <Change from={results[index - 1]} to={result} />
              </td>
              <td className="figure">{result.count}</td>
              <td className="figure text-muted">
                <Moment date={result.since} />
              </td>
            </tr>
          ))}
        </tbody>
      ))}
    </TablePanel>
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
export function Capabilities({ device: { capabilities: limits, class: of } }: { device: Device }) {
  if (of === 'cpu') {
    return (
      <Panel className="px-4 py-3 text-[0.8125rem] text-muted">
        The host CPU runs the baselines written in TypeScript; GPU limits do not apply.
      </Panel>
    );
  }
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
