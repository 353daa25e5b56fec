/** One result: its measurement or why there is none, its samples, and how to reproduce it. */
import {
  type Clocks,
  driverText,
  type EnergySource,
  type Environment,
  hasInterval,
  MAX_BUFFER_SETS,
  type Measurement,
  type MetricId,
  metricsOf,
  type Verification,
  workingSetOf,
} from '@tilemark/core';
import type { Problem } from '@tilemark/kernels';
import { Facts } from '@/ui/facts';
import {
  formatBytes,
  formatCount,
  formatInterval,
  formatMetric,
  formatNs,
  formatPercent,
} from '@/ui/format';
import { Panel } from '@/ui/page';
import { DataTable } from '@/ui/table';

const STOPS: Readonly<Record<Measurement['stop'], string>> = {
  converged: 'converged: the interval is small enough',
  noisy: 'noisy: more samples would not have helped',
  capped: 'capped: the time limit was reached',
  unsettled: 'not settled: samples depend on those before',
  throttled: 'throttled: the device slowed down',
  quick: 'quick: the policy takes few samples',
};

/** The list in metrics.ts, without what is said in words of its own. */
const FIGURES = metricsOf('export', ['medianNs', 'lowNs', 'highNs', 'stop', 'rate']);

const ABOUT: Partial<Record<MetricId, string>> = {
  cv: 'Coefficient of variation: standard deviation over mean',
  hotMedianNs: 'The same buffers, reused',
  rmsError: 'In u: one u is the most that rounding once changes a value',
};

const ENERGY_SOURCES: Readonly<Record<EnergySource, string>> = {
  nvml: 'the card’s counter',
  'nvidia-smi': 'instant power of nvidia-smi, summed up',
};

export function Statistics({
  problem,
  measurement,
}: {
  problem: Problem;
  measurement: Measurement;
}) {
  const { bufferSets, clocks, cold, discarded, energy, timer } = measurement;
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          { name: 'Median', value: formatNs(cold.medianNs) },
          {
            name: hasInterval(cold)
              ? '95% interval of this run'
              : 'Range (too few independent samples for an interval)',
            value: `${formatNs(cold.lowNs)} to ${formatNs(cold.highNs)} (${formatInterval(cold.medianNs, cold.lowNs, cold.highNs, cold.n)})`,
          },
          ...FIGURES.flatMap(({ digits, id, name, read, unit }) => {
            const value = read(measurement, problem);
            const about = ABOUT[id];
            return value === null
              ? []
              : { name, value: formatMetric(unit, digits, value), ...(about && { about }) };
          }),
          { name: 'Stopped', value: STOPS[measurement.stop] },
          {
            name: 'Discarded samples',
            value:
              discarded.map(({ count, why }) => `${formatCount(count)}: ${why}`).join('; ') ||
              'none',
          },
          {
            name: 'Dispatches per sample',
            value: formatCount(measurement.dispatchesPerSample),
          },
          {
            name: 'Buffer sets',
            value: `${formatCount(bufferSets)}, together ${formatBytes(workingSetOf(bufferSets, problem))}`,
          },
          {
            name: 'Timer',
            value: `${timer.kind === 'timestamp' ? 'GPU timestamps' : 'wall clock'}, tick ${formatNs(timer.tickNs)}`,
          },
          ...(energy ? [{ name: 'Energy from', value: ENERGY_SOURCES[energy.source] }] : []),
          ...(clocks ? clocksFacts(clocks) : []),
          { name: 'Methodology', value: `version ${measurement.methodologyVersion}` },
        ]}
      />
    </Panel>
  );
}

/** What is known of the caches at the start of a sample: too few small sets may still be in them. */
export const cacheText = (bufferSets: number): string =>
  bufferSets === MAX_BUFFER_SETS ? `rotating ${MAX_BUFFER_SETS} buffer sets` : 'caches cold';

/** What the driver's own tool reported before and after the cold series. */
function clocksFacts({ after, before }: NonNullable<Measurement['clocks']>) {
  const fact = (name: string, read: (of: Clocks) => number, unit: string) => ({
    name,
    value:
      read(before) === read(after)
        ? `${formatCount(read(before))} ${unit}`
        : `${formatCount(read(before))} ${unit} before, ${formatCount(read(after))} ${unit} after`,
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

const METHODS: Readonly<Record<Verification['method'], string>> = {
  device: 'every element on the device, each with its own bound',
  whole: 'every element against the f64 reference',
  exact: 'every element, bit for bit',
  freivalds: 'Freivalds’ check: C·x against A·(B·x) for secret random x',
};

/** How the output was verified, before timing and after. */
export function VerificationTable({ measurement }: { measurement: Measurement }) {
  const { before, after } = measurement.verification;
  return (
    <DataTable
      caption="How the output was verified"
      rows={[
        { when: 'Before timing', ...before },
        { when: 'After timing', ...after },
      ]}
      keyOf={({ when }) => when}
      columns={[
        { head: 'When', className: 'whitespace-nowrap', cell: ({ when }) => when },
        { head: 'Method', className: 'min-w-52', cell: ({ method }) => METHODS[method] },
        {
          head: 'Checked',
          isFigure: true,
          cell: ({ checked, method }) => (
            <>
              {formatCount(checked)}{' '}
              <span className="text-muted">{method === 'freivalds' ? 'rows' : 'elements'}</span>
            </>
          ),
        },
        {
          head: 'Largest error, % of its bound',
          isFigure: true,
          cell: ({ worstRatio }) => (worstRatio === 0 ? '0' : formatPercent(worstRatio)),
        },
        { head: 'Time', isFigure: true, cell: ({ ns }) => formatNs(ns) },
      ]}
    />
  );
}

/** Everything that could affect the number. */
export function EnvironmentFacts({ environment }: { environment: Environment }) {
  const { cpu, device, driver, memoryBytes, os, profile, runtimeVersions, toggles } = environment;
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          { name: 'Vendor', value: device.vendor },
          { name: 'Architecture', value: device.architecture || '–' },
          { name: 'Driver', value: driverText(driver) || '–' },
          { name: 'Backend', value: `${device.backend} (${device.runtime})` },
          { name: 'Operating system', value: os },
          { name: 'Processor', value: `${cpu.model}, ${cpu.cores} cores` },
          {
            name: 'Host memory',
            value: memoryBytes === null ? 'unknown' : formatBytes(memoryBytes),
          },
          { name: 'Tilemark', value: environment.tilemarkVersion },
          ...Object.entries(runtimeVersions).map(([name, value]) => ({ name, value })),
        ]}
      />
      <div className="border-t border-line px-4 py-2.5 text-[0.8125rem]">
        <h3 className="mb-1 font-normal text-muted">Toggles of profile {profile}</h3>
        <p className="font-mono text-xs leading-5 break-words">
          {[
            ...toggles.enabled.map((toggle) => `+${toggle}`),
            ...toggles.disabled.map((toggle) => `−${toggle}`),
          ].join('  ') || 'none'}
        </p>
      </div>
    </Panel>
  );
}
