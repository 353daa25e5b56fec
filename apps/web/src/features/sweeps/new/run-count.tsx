import type { CountOnDevice, Device } from '@tilemark/core';
import { useWatch } from 'react-hook-form';
import { formatCount, formatEstimate, plural } from '@/ui/format';
import { shortDeviceName } from '../../devices/short-device-name';
import { counted } from './counted';
import type { SweepControl, SweepForm } from './form';

/** The runs of the form by device: how many, which are skipped and why, and how long they may take. */
export function RunCount({
  control,
  devices,
  runSeconds,
}: {
  control: SweepControl;
  devices: readonly Device[];
  runSeconds: Readonly<Record<string, number>>;
}) {
  const form = useWatch({ control }) as SweepForm;
  const result = counted(form, devices, runSeconds);

  return (
    <div aria-live="polite" className="min-h-10 text-[0.8125rem] empty:min-h-0">
      {result.ok ? (
        <>
          <p>
            <span className="text-lg font-semibold tracking-tight">
              {formatCount(result.count.runs)}
            </span>{' '}
            {result.count.runs === 1 ? 'run' : 'runs'}
          </p>
          <ul className="mt-2 space-y-2">
            {result.count.devices.map((count) => (
              <DeviceCount
                key={count.key}
                count={count}
                device={devices.find(({ key }) => key === count.key)}
              />
            ))}
          </ul>
        </>
      ) : (
        <p className="text-amber">
          {result.control && result.control !== 'devices'
            ? 'Correct the field that is marked to count the runs.'
            : result.message}
        </p>
      )}
    </div>
  );
}

function DeviceCount({
  count: { key, runs, seconds, skipped },
  device,
}: {
  count: CountOnDevice;
  device: Device | undefined;
}) {
  const inAll = skipped.reduce((total, each) => total + each.runs, 0);
  return (
    <li className="border-t border-line pt-2">
      <p className="flex flex-wrap justify-between gap-x-3">
        <span className="min-w-0 break-words" title={device?.name}>
          {shortDeviceName(device?.name ?? key)}
        </span>
        <span className="text-muted">{estimateText(seconds, runs - inAll)}</span>
      </p>
      <p className="text-xs text-muted">
        {plural(runs, 'run')}
        {inAll > 0 && `, ${formatCount(inAll)} of them skipped`}
        {device?.workers === 0 && '; waiting for a worker'}
      </p>
      {skipped.length > 0 && (
        <details className="mt-0.5 text-xs text-muted">
          <summary>Why skipped</summary>
          <ul className="mt-1 space-y-0.5">
            {skipped.map(({ runs: each, why }) => (
              <li key={why}>
                <span className="font-medium text-ink">{formatCount(each)}</span> {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function estimateText(seconds: number | null, runs: number): string {
  if (runs === 0) return 'nothing to measure';
  return seconds === null ? 'no estimate before its first results' : formatEstimate(seconds);
}
