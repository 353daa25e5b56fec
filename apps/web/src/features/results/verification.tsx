import type { Measurement, Verification } from '@tilemark/core';
import { formatCount, formatNs, formatPercent } from '@/ui/format';
import { TablePanel } from '@/ui/table';

const METHODS: Readonly<Record<Verification['method'], string>> = {
  whole: 'every element against the f64 reference',
  exact: 'every element, bit for bit',
  freivalds: 'Freivalds’ check with three random vectors',
  identical: 'bit for bit the output that was verified before timing',
};

/** How the output was proved right, before the timing and after it. */
export function VerificationTable({ measurement }: { measurement: Measurement }) {
  const { before, after } = measurement.verification;
  return (
    <TablePanel caption="How the output was verified">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Method</th>
          <th scope="col" className="figure">
            Checked
          </th>
          <th scope="col" className="figure">
            Largest error over its bound
          </th>
          <th scope="col" className="figure">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {[
          { when: 'Before timing', verification: before },
          { when: 'Last timed output', verification: after },
        ].map(({ when, verification }) => (
          <tr key={when}>
            <th scope="row" className="whitespace-nowrap">
              {when}
            </th>
            <td className="min-w-52">{METHODS[verification.method]}</td>
            <td className="figure">
              {formatCount(verification.checked)}{' '}
              <span className="text-muted">
                {verification.method === 'freivalds' ? 'rows' : 'elements'}
              </span>
            </td>
            <td className="figure">
              {verification.worstRatio === 0 ? '0' : formatPercent(verification.worstRatio)}
            </td>
            <td className="figure">{formatNs(verification.ns)}</td>
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}
