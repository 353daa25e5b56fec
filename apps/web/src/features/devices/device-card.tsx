import {
  type Device,
  dataSheetPeak,
  driverText,
  type ReferenceFigure,
  type Worker,
} from '@tilemark/core';
import type { DeviceSummary } from '@tilemark/core/server';
import { idsOf, OPS, opsUnit, shapeText, shortAddress } from '@tilemark/kernels';
import { CompareTick } from '@/features/compare/pick';
import { Address, VariantLink } from '@/features/kernels/address';
import { TextLink } from '@/ui/button';
import { Ago, Facts, Rate } from '@/ui/facts';
import { formatBytes, formatCount, formatRate, formatShape } from '@/ui/format';
import { Panel } from '@/ui/page';
import { DeviceName, deviceHref } from './device-name';

/** A device at a glance: what it is, the most it can do, the best it did, and who serves it. */
export function DeviceCard({
  device,
  summary,
  workers,
  reference,
}: {
  device: Device;
  summary: DeviceSummary | undefined;
  workers: readonly Worker[];
  /** Of the same hardware, measured elsewhere. */
  reference: readonly ReferenceFigure[];
}) {
  const { capabilities, identity, isImportedOnly, key, lastSeenAt, pending, results } = device;
  const { bests = [], roofs = [], version = null } = summary ?? {};
  const href = deviceHref(key);
  const sheetPeak = roofs.length === 0 ? dataSheetPeak(identity, { dtype: 'f32' }) : null;
  return (
    <li>
      <Panel className="pt-3">
        <div className="px-4 pb-2">
          <CompareTick id={key} label={device.name} />
          <DeviceName device={device} />
          <p className="text-xs text-muted">
            {[identity.vendor, identity.architecture, `${identity.backend} (${identity.runtime})`]
              .filter(Boolean)
              .join(', ')}
          </p>
        </div>
        {bests.length === 0 && <p className="px-4 pb-2 text-muted">Nothing measured here yet.</p>}
        {bests.map(({ address, isImported, problem, profile, rate, resultId, unranked }) => (
          <div key={problem.op} className="border-t border-line px-4 py-2">
            <p className="text-xs text-muted">
              {OPS[problem.op].title},{' '}
              {isImported ? 'best imported' : unranked === null ? 'best ranked' : 'best'}:{' '}
              {formatShape(shapeText(problem))} {problem.dtype}, {profile}
            </p>
            <p>
              <Rate of={rate} />
            </p>
            <p className="truncate">
              <VariantLink address={address} resultId={resultId} />
            </p>
            {unranked && <p className="text-xs text-amber">Not ranked: {unranked}</p>}
          </div>
        ))}
        {fastestOfEachOp(reference).map(({ by, problem, profile, rate }) => (
          <div key={problem.op} className="border-t border-line px-4 py-2">
            <p className="text-xs text-muted">
              {OPS[problem.op].title}, reference: {formatShape(shapeText(problem))} {problem.dtype}
              {profile && `, ${profile}`}
            </p>
            <p>
              <Rate of={rate} /> <span className="text-xs text-muted">measured elsewhere</span>
            </p>
            {by.kind === 'kernel' && (
              <p className="truncate">
                <Address of={shortAddress(by.address)} />
              </p>
            )}
          </div>
        ))}
        <div className="border-t border-line">
          <Facts
            facts={[
              ...roofs.map(({ copies, peaks, profile }) => ({
                name: `Peak, ${profile}`,
                value: roofText(copies, peaks),
              })),
              ...(sheetPeak === null
                ? []
                : [
                    {
                      name: 'Peak by data sheet',
                      value: `f32 ${formatRate(sheetPeak)} ${opsUnit('f32')}`,
                    },
                  ]),
              { name: 'Driver', value: version?.driver ? driverText(version.driver) : '–' },
              ...(device.class === 'cpu'
                ? []
                : [
                    {
                      name: 'Storage binding',
                      value: formatBytes(capabilities.maxStorageBufferBindingSize),
                    },
                  ]),
              {
                name: 'Served by',
                value:
                  workers
                    .filter(({ state }) => state !== 'lost')
                    .map(({ name }) => name)
                    .join(', ') || 'no\u00a0worker',
              },
              {
                name: 'Measured results',
                value: (
                  <>
                    <TextLink href={`${href}#history`}>{formatCount(results)}</TextLink>
                    {pending > 0 && `, ${formatCount(pending)} waiting`}
                  </>
                ),
              },
              {
                name: 'Last seen',
                value: isImportedOnly ? 'Imported only' : <Ago date={lastSeenAt} />,
              },
            ]}
          />
        </div>
      </Panel>
    </li>
  );
}

/** In f32, which every device has. */
const fastestOfEachOp = (figures: readonly ReferenceFigure[]): readonly ReferenceFigure[] =>
  idsOf(OPS).flatMap((op) =>
    figures
      .filter(({ problem }) => problem.op === op && problem.dtype === 'f32')
      .toSorted((a, b) => b.rate.value - a.rate.value)
      .slice(0, 1),
  );

type Roof = DeviceSummary['roofs'][number];

const roofText = (copies: Roof['copies'], peaks: Roof['peaks']): string =>
  [
    ...peaks.map(
      ({ dtype, gigaflopsPerSecond }) =>
        `${dtype} ${formatRate(gigaflopsPerSecond)} ${opsUnit(dtype)}`,
    ),
    ...(copies.length > 0
      ? [
          `${formatRate(Math.max(...copies.map(({ gigabytesPerSecond }) => gigabytesPerSecond)))} GB/s copied`,
        ]
      : []),
  ].join(', ') || '–';
