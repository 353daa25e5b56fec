import type { RunResult } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { VariantLink } from '@/features/results/variant-link';
import { formatNs, formatRate } from '@/ui/format';
import { Panel } from '@/ui/page';
import { TablePanel } from '@/ui/table';

/** Best results that a kernel holds, by device and problem. */
export function Wins({ wins, kernel }: { wins: readonly RunResult[]; kernel: string }) {
  if (wins.length === 0) {
    return (
      <Panel className="px-4 py-3 text-[0.8125rem] text-muted">
        On no device yet: another kernel is faster, or this one has not been measured.
      </Panel>
    );
  }
  return (
    <TablePanel caption={`Best results of ${kernel}`}>
      <thead>
        <tr>
          <th scope="col">Device</th>
          <th scope="col">Problem</th>
          <th scope="col">Profile</th>
          <th scope="col" className="figure">
            Rate (higher is better)
          </th>
          <th scope="col" className="figure">
            Median
          </th>
          <th scope="col">Variant</th>
        </tr>
      </thead>
      <tbody>
        {wins.map(({ address, device, outcome, problem, profile, rate, resultId, runId }) => (
          <tr key={runId}>
            <th scope="row" className="min-w-36">
              <DeviceName device={device} />
            </th>
            <td className="whitespace-nowrap">
              {shapeText(problem)} <span className="text-muted">{problem.dtype}</span>
            </td>
            <td>{profile}</td>
            <td className="figure">
              {rate && (
                <>
                  <span className="font-medium">{formatRate(rate.value)}</span>{' '}
                  <span className="text-xs text-muted">{rate.unit}</span>
                </>
              )}
            </td>
            <td className="figure">
              {outcome?.kind === 'measured' && formatNs(outcome.measurement.cold.medianNs)}
            </td>
            <td className="min-w-56">
              <VariantLink address={address} resultId={resultId} />
            </td>
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}
