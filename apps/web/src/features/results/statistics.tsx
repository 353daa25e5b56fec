import { type Clocks, longDispatch, type Measurement, type Series } from '@tilemark/core';
import { Facts } from '@/ui/facts';
import { formatCount, formatInterval, formatNs, formatPercent } from '@/ui/format';
import { Panel } from '@/ui/page';

const STOPS: Readonly<Record<Measurement['stop'], string>> = {
  converged: 'converged: the interval and the variation are small enough',
  noisy: 'noisy: more samples would not have reduced the noise',
  capped: 'capped: the time allowed was used up',
  throttled: 'throttled: the device slowed down under load',
  quick: 'quick: the policy takes a fixed number of samples',
};

/** The statistics of a measurement and how it was taken. */
export function Statistics({ measurement }: { measurement: Measurement }) {
  const { clocks, cold, discarded, hot, timer, transfer } = measurement;
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          ...seriesFacts(cold),
          ...(hot
            ? [
                {
                  name: 'Median with warm cache',
                  value: formatNs(hot.medianNs),
                  about: 'The same buffers again and again',
                },
              ]
            : []),
          { name: 'Stopped', value: STOPS[measurement.stop] },
          {
            name: 'Discarded samples',
            value:
              discarded.map(({ count, why }) => `${formatCount(count)}: ${why}`).join('; ') ||
              'none',
          },
          {
            name: 'Dispatches a sample',
            value: [formatCount(measurement.dispatchesPerSample), longDispatch(measurement)]
              .filter((each) => each !== null)
              .join(': '),
          },
          {
            name: 'Buffer sets',
            value: formatCount(measurement.bufferSets),
            about: 'Rotated, so that the last-level cache starts cold',
          },
          {
            name: 'Timer',
            value:
              timer.kind === 'timestamp'
                ? `GPU timestamps, tick ${formatNs(timer.tickNs)}`
                : `wall clock, tick ${formatNs(timer.tickNs)}`,
          },
          { name: 'Compile', value: formatIfTimed(measurement.compileNs) },
          { name: 'Host to device', value: formatIfTimed(transfer.hostToDeviceNs) },
          { name: 'Device to host', value: formatNs(transfer.deviceToHostNs) },
          ...clocksFacts(clocks),
          { name: 'Policy', value: measurement.policy },
          { name: 'Method', value: `version ${measurement.methodologyVersion}` },
        ]}
      />
    </Panel>
  );
}

function formatIfTimed(ns: number | null): string {
  return ns === null ? 'not timed' : formatNs(ns);
}

/** What the driver's own tool said around the cold series. */
function clocksFacts(clocks: Measurement['clocks']) {
  if (!clocks) return [{ name: 'Clocks', value: 'this driver does not tell them' }];
  const { after, before } = clocks;
  const fact = (name: string, read: (of: Clocks) => number, unit: string) => ({
    name,
    value:
      read(before) === read(after)
        ? `${formatCount(read(before))} ${unit}`
        : `${formatCount(read(before))} before, ${formatCount(read(after))} ${unit} after`,
  });
  const limits = [...new Set([...before.limitedBy, ...after.limitedBy])];
  return [
    fact('Core clock', ({ smMHz }) => smMHz, 'MHz'),
    fact('Memory clock', ({ memoryMHz }) => memoryMHz, 'MHz'),
    fact('Temperature', ({ temperatureC }) => temperatureC, '°C'),
    fact('Power', ({ powerW }) => powerW, 'W'),
    { name: 'Clocks limited by', value: limits.join('; ') || 'nothing' },
  ];
}

/** Below six samples no pair of them holds the median with 95 %: the interval is their range. */
const FEWEST_OF_INTERVAL = 6;

const seriesFacts = (series: Series) => [
  { name: 'Median', value: formatNs(series.medianNs) },
  {
    name: series.n < FEWEST_OF_INTERVAL ? 'Range (too few for an interval)' : '95 % interval',
    value: `${formatNs(series.lowNs)} to ${formatNs(series.highNs)} (${formatInterval(series.medianNs, series.lowNs, series.highNs)})`,
  },
  { name: 'Minimum', value: formatNs(series.minNs) },
  { name: 'Quartiles', value: `${formatNs(series.q1Ns)}, ${formatNs(series.q3Ns)}` },
  {
    name: 'Coefficient of variation',
    value: formatPercent(series.cv),
    about: 'Standard deviation over mean',
  },
  { name: 'Samples', value: formatCount(series.n) },
];
