import { driverText, hasInterval } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { Address } from '@/features/kernels/address';
import { ImportedBadge } from '@/features/results/outcome';
import { TextLink } from '@/ui/button';
import { Moment } from '@/ui/facts';
import {
  formatCount,
  formatInterval,
  formatNs,
  formatOfPeak,
  formatPercent,
  formatShape,
  rateText,
} from '@/ui/format';
import { DataTable } from '@/ui/table';
import type { Measured } from './comparison';

const ROWS: readonly (readonly [string, (side: Measured) => ReactNode])[] = [
  [
    'Variant',
    ({ result }) => (
      <>
        <TextLink href={`/results/${result.resultId}`}>
          <Address of={result.address} />
        </TextLink>{' '}
        <ImportedBadge of={result.imported} />
      </>
    ),
  ],
  [
    'Problem',
    ({ result: { problem } }) =>
      `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}`,
  ],
  ['Device', ({ result }) => <DeviceName device={result.device} />],
  ['Measured', ({ result: { endedAt } }) => (endedAt ? <Moment date={endedAt} /> : '–')],
  ['Profile', ({ result }) => result.profile],
  ['Rate, higher is better', ({ result: { rate } }) => (rate ? rateText(rate) : '–')],
  ['Median', ({ measurement: { cold } }) => formatNs(cold.medianNs)],
  [
    '95% interval of the run',
    ({ measurement: { cold } }) =>
      `${hasInterval(cold) ? '' : 'too few independent samples, their range: '}${formatNs(cold.lowNs)} to ${formatNs(cold.highNs)} (${formatInterval(cold.medianNs, cold.lowNs, cold.highNs, cold.n)})`,
  ],
  [
    'First to third quartile',
    ({ measurement: { cold } }) => `${formatNs(cold.q1Ns)} to ${formatNs(cold.q3Ns)}`,
  ],
  ['Coefficient of variation', ({ measurement: { cold } }) => formatPercent(cold.cv)],
  [
    '% of peak',
    ({ measurement: { cold, roof } }) =>
      roof ? `${formatOfPeak(roof.ns / cold.medianNs)}, ${roof.bound}` : '–',
  ],
  ['Samples', ({ measurement: { cold, stop } }) => `${formatCount(cold.n)}, ${stop}`],
  ['Ranked', ({ measurement: { unranked } }) => (unranked === null ? 'yes' : `no: ${unranked}`)],
  ['Policy', ({ result }) => result.policy],
  ['Timer', ({ measurement: { timer } }) => timer.kind],
  ['Driver', ({ result }) => driverText(result.environment.driver) || '–'],
];

/** Two results, fact by fact. */
export function Sides({ a, b }: { a: Measured; b: Measured }) {
  return (
    <DataTable
      caption="The two results side by side"
      rows={ROWS.filter(([, read]) => [a, b].some((side) => read(side) !== '–'))}
      keyOf={([name]) => name}
      columns={[
        { head: 'Fact', className: '!font-normal text-muted sm:min-w-52', cell: ([name]) => name },
        { head: 'A', cell: ([, read]) => read(a) },
        { head: 'B', cell: ([, read]) => read(b) },
      ]}
    />
  );
}
