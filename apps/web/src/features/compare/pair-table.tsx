import type { HeadToHead, Pair } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { DeviceName } from '@/features/devices/device-name';
import { VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { formatCount, formatRate, formatSpeedup } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { TablePanel } from '@/ui/table';
import { comparePairs } from './comparison';
import { VerdictBadge } from './verdict';

/** Two devices or two variants, problem by problem, with a verdict and an effect for each. */
export function PairTable({ of, pairs }: { of: Pair['of']; pairs: readonly HeadToHead[] }) {
  const { counts, mean, rows } = comparePairs(pairs);
  if (mean === null) {
    return (
      <Empty title="Nothing was measured on both">
        <p>
          {of === 'devices'
            ? 'The two devices share no problem and profile. A sweep on both of them makes them comparable.'
            : 'No device has measured both variants on the same problem.'}
        </p>
      </Empty>
    );
  }
  return (
    <>
      <p className="mb-4 flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="text-2xl font-semibold tracking-tight">{formatSpeedup(mean)}</span>
        <span className="text-muted">
          the speed of A: the geometric mean of {formatCount(rows.length)}{' '}
          {rows.length === 1 ? 'problem' : 'problems'}, of which B is faster on {counts.FAST}, the
          same on {counts.SAME}, slower on {counts.SLOW}
          {counts.UNDECIDED > 0 && `; ${counts.UNDECIDED} undecided`}
        </span>
      </p>
      <TablePanel caption={`Two ${of}, problem by problem`}>
        <thead>
          <tr>
            <th scope="col">Problem</th>
            {of === 'variants' && <th scope="col">Device</th>}
            <th scope="col">B is</th>
            <th scope="col" className="figure">
              Speed of A (higher is better)
            </th>
            <th scope="col" className="figure">
              A
            </th>
            <th scope="col" className="figure">
              B
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ high, low, pair, ratio, verdict }) => (
            <tr key={`${pair.a.resultId} ${pair.b.resultId}`}>
              <th scope="row" className="whitespace-nowrap">
                {pair.problem.op} {shapeText(pair.problem)}{' '}
                <span className="text-muted">
                  {pair.problem.dtype}, {pair.profile}
                </span>
              </th>
              {pair.device && (
                <td className="min-w-36">
                  <DeviceName device={pair.device} />
                </td>
              )}
              <td>
                <TextLink
                  href={`/compare?a=${pair.a.resultId}&b=${pair.b.resultId}`}
                  prefetch={false}
                  aria-label={`${verdict}: compare the two results on ${shapeText(pair.problem)} ${pair.problem.dtype}`}
                >
                  <VerdictBadge of={verdict} />
                </TextLink>
              </td>
              <td className="figure">
                <span className="font-medium">{formatSpeedup(ratio)}</span>
                <span className="block text-xs text-muted">
                  {formatSpeedup(low)} to {formatSpeedup(high)}
                </span>
              </td>
              <SideCell side={pair.a} problem={pair.problem} withVariant={of === 'devices'} />
              <SideCell side={pair.b} problem={pair.problem} withVariant={of === 'devices'} />
            </tr>
          ))}
        </tbody>
      </TablePanel>
    </>
  );
}

function SideCell({
  side,
  problem,
  withVariant,
}: {
  side: HeadToHead['a'];
  problem: HeadToHead['problem'];
  withVariant: boolean;
}) {
  const op = opOf(problem);
  return (
    <td className="figure">
      {formatRate(op.rate(problem, side.medianNs))}{' '}
      <span className="text-xs text-muted">{op.rateUnit}</span>
      {withVariant && (
        <span className="block min-w-40 whitespace-normal">
          <VariantLink address={side.address} resultId={side.resultId} />
        </span>
      )}
      {side.unranked && <span className="block text-xs text-muted">not ranked</span>}
    </td>
  );
}
