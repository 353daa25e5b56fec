import { driverText, hasInterval, peakShare } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import type { ReactNode } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { Address } from '@/features/kernels/address';
import { ImportedBadge } from '@/features/results/outcome';
import { boundText } from '@/features/results/scale';
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
import { TablePanel } from '@/ui/table';
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
    ({ measurement: { cold, roof }, result }) => {
      const peak = peakShare({ ...result, medianNs: cold.medianNs, roof });
      return peak ? `${formatOfPeak(peak.share)}, ${boundText(peak)}` : '–';
    },
  ],
  ['Samples', ({ measurement: { cold, stop } }) => `${formatCount(cold.n)}, ${stop}`],
  ['Ranked', ({ measurement: { unranked } }) => (unranked === null ? 'yes' : `no: ${unranked}`)],
  ['Policy', ({ result }) => result.policy],
  ['Timer', ({ measurement: { timer } }) => timer.kind],
  ['Methodology', ({ measurement }) => `version ${measurement.methodologyVersion}`],
  ['Driver', ({ result }) => driverText(result.environment.driver) || '–'],
];

/** On a phone a fact's name stands above its two values, which then fit beside each other. */
const TWO_COLUMNS = 'max-sm:grid max-sm:grid-cols-2';

/** Two results, fact by fact. */
export function Sides({ a, b }: { a: Measured; b: Measured }) {
  return (
    <TablePanel caption="The two results side by side">
      <thead>
        <tr className={TWO_COLUMNS}>
          <td className="max-sm:!hidden" />
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([name, read]) => (
          <tr key={name} className={TWO_COLUMNS}>
            <th
              scope="row"
              className="!font-normal text-muted max-sm:col-span-2 max-sm:!pb-0 sm:whitespace-nowrap"
            >
              {name}
            </th>
            <td className="min-w-0 break-words max-sm:!border-t-0 max-sm:!pl-4">{read(a)}</td>
            <td className="min-w-0 break-words max-sm:!border-t-0">{read(b)}</td>
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}
