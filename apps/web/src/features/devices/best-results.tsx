import type { RunResult } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { ImportedBadge } from '@/features/results/imported-badge';
import { VariantLink } from '@/features/results/variant-link';
import { formatInterval, formatNs, formatRate } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { TablePanel } from '@/ui/table';

/** The best measured variant of each problem on a device. */
export function BestResults({
  results,
  device,
}: {
  results: readonly RunResult[];
  device: string;
}) {
  if (results.length === 0) {
    return (
      <Empty title="Nothing measured yet">
        <p>The best variant of each problem appears here with the device’s first results.</p>
      </Empty>
    );
  }
  return (
    <TablePanel caption={`Best results of ${device}`}>
      <thead>
        <tr>
          <th scope="col">Problem</th>
          <th scope="col">Profile</th>
          <th scope="col">Best variant</th>
          <th scope="col" className="figure">
            Median
          </th>
          <th scope="col" className="figure">
            Rate
          </th>
        </tr>
      </thead>
      <tbody>
        {results.map((result) => (
          <BestRow key={result.runId} result={result} />
        ))}
      </tbody>
    </TablePanel>
  );
}

function BestRow({ result }: { result: RunResult }) {
  const { address, outcome, problem, profile, rate, resultId } = result;
  const measurement = outcome?.kind === 'measured' ? outcome.measurement : null;
  const cold = measurement?.cold;
  return (
    <tr>
      <th scope="row" className="whitespace-nowrap">
        {problem.op} {shapeText(problem)} <span className="text-muted">{problem.dtype}</span>
      </th>
      <td>{profile}</td>
      <td className="min-w-52">
        <VariantLink address={address} resultId={resultId} /> <ImportedBadge of={result.imported} />
        {measurement?.unranked && (
          <span className="block text-xs text-muted">Not ranked: {measurement.unranked}</span>
        )}
      </td>
      <td className="figure">
        {cold && (
          <>
            {formatNs(cold.medianNs)}{' '}
            <span className="text-xs text-muted">
              {formatInterval(cold.medianNs, cold.lowNs, cold.highNs)}
            </span>
          </>
        )}
      </td>
      <td className="figure">
        {rate && (
          <>
            <span className="font-medium">{formatRate(rate.value)}</span>{' '}
            <span className="text-xs text-muted">{rate.unit}</span>
          </>
        )}
      </td>
    </tr>
  );
}
