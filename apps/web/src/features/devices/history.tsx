import type { DeviceHistory, SoftwareVersion, VersionResult } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { Badge } from '@/ui/badge';
import { formatInterval, formatNs, formatSpeedup } from '@/ui/format';
import { Moment } from '@/ui/moment';
import { Empty } from '@/ui/notice';
import { TablePanel } from '@/ui/table';
import { VariantLink } from '../results/variant-link';

const versionText = ({ driver, webgpu }: SoftwareVersion): string =>
  [driver || 'driver unknown', webgpu && `webgpu ${webgpu}`].filter(Boolean).join(', ');

/** What drivers and Dawn did to the device's best variants. */
export function History({ history: { variants, versions } }: { history: DeviceHistory }) {
  const [only] = versions;
  if (variants.length === 0) {
    return (
      <Empty title={only ? 'One version so far' : 'Nothing measured yet'}>
        {versions.length === 1 && only ? (
          <p>
            Everything was measured with <span className="font-mono">{versionText(only)}</span>.
            Once a variant has been measured again with another driver or Dawn, both stand here side
            by side.
          </p>
        ) : (
          <p>
            {versions.length > 1
              ? `It was measured with ${versions.length} versions, but no best variant with two of them.`
              : 'Results under each version of driver and Dawn appear here.'}
          </p>
        )}
      </Empty>
    );
  }
  return (
    <TablePanel caption="Best variants by version of driver and Dawn">
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Driver and Dawn, oldest first</th>
          <th scope="col" className="figure">
            Best median (lower is faster)
          </th>
          <th scope="col" className="figure">
            Against the one before
          </th>
          <th scope="col" className="figure">
            Results
          </th>
          <th scope="col" className="figure">
            Since
          </th>
        </tr>
      </thead>
      {variants.map(({ address, problem, profile, versions: results }) => (
        <tbody key={`${address} ${problem.op} ${shapeText(problem)} ${problem.dtype} ${profile}`}>
          {results.map((result, index) => (
            <tr key={versionText(result)}>
              {index === 0 && (
                <th scope="rowgroup" rowSpan={results.length} className="min-w-44">
                  {problem.op} {shapeText(problem)}{' '}
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
                {formatNs(result.medianNs)}{' '}
                <span className="text-xs text-muted">
                  {formatInterval(result.medianNs, result.lowNs, result.highNs)}
                </span>
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

/** Faster or slower only where the intervals do not overlap. */
function Change({ from, to }: { from: VersionResult | undefined; to: VersionResult }) {
  if (!from) return '–';
  const isFaster = to.highNs < from.lowNs;
  const isSlower = to.lowNs > from.highNs;
  return (
    <>
      {formatSpeedup(from.medianNs / to.medianNs)}{' '}
      <Badge tone={isFaster ? 'accent' : isSlower ? 'amber' : 'neutral'}>
        {isFaster ? 'faster' : isSlower ? 'slower' : 'same'}
      </Badge>
    </>
  );
}
