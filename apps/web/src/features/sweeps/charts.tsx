'use client';

import { useMemo } from 'react';
import { Field, Select } from '@/ui/field';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { type SeriesStyles, seriesStyles } from '@/ui/palette';
import { useQuery } from '@/ui/use-query';
import { RooflinePlot } from '../devices/roofline-plot';
import { curvesOf } from './curves';
import { HeatMap } from './heat-map';
import type { DeviceFacts } from './load';
import { groupRows, type Row, shortKernel, shortLabels } from './row';
import { SizeCurves } from './size-curves';
import { SpeedupCurves } from './speedup-curves';
import { type PublishedTime, TimeCurves } from './time-curves';
import { VariantBars } from './variant-bars';

/** Charts of a sweep: what the reports drew by hand, of the problem and device that is chosen. */
export function Charts({
  rows,
  isOver,
  devices,
  published,
}: {
  rows: readonly Row[];
  isOver: boolean;
  devices: readonly DeviceFacts[];
  published: readonly PublishedTime[];
}) {
  const [query, setQuery] = useQuery();
  const groups = useMemo(() => groupRows(rows.filter((row) => row.kind === 'measured')), [rows]);
  const keys = [...groups.keys()];
  const key = keys.find((each) => each === query.get('group')) ?? keys[0];
  const group = key === undefined ? undefined : groups.get(key);

  if (!group) {
    return (
      <Empty title={isOver ? 'No run was measured' : 'No run has been measured yet'}>
        <p>
          {isOver
            ? 'The table below says how each run ended.'
            : 'The charts draw themselves as results come in.'}
        </p>
      </Empty>
    );
  }
  return (
    <Panel>
      {keys.length > 1 && (
        <div className="max-w-xl px-4 pt-3">
          <Field id="group" label="Problem, profile and device">
            <Select
              id="group"
              value={key}
              onChange={(event) => setQuery({ group: event.target.value })}
            >
              {[...groups].map(([each, [row]]) => (
                <option key={each} value={each}>
                  {row && `${row.op} ${row.shape} ${row.dtype}, ${row.profile}, ${row.device.name}`}
                </option>
              ))}
            </Select>
          </Field>
        </div>
      )}
      <VariantBars rows={group} />
      <Courses rows={rows} of={group} devices={devices} published={published} />
    </Panel>
  );
}

/** How times follow the threads of a workgroup and the size, on the device, dtype and profile of `of`. */
function Courses({
  rows,
  of,
  devices,
  published,
}: {
  rows: readonly Row[];
  of: readonly Row[];
  devices: readonly DeviceFacts[];
  published: readonly PublishedTime[];
}) {
  const [like] = of;
  const alike = useMemo(
    () =>
      rows.filter(
        (row) =>
          like &&
          row.op === like.op &&
          row.dtype === like.dtype &&
          row.profile === like.profile &&
          row.device.key === like.device.key,
      ),
    [rows, like],
  );
  const curves = useMemo(() => curvesOf(alike), [alike]);
  const styles = useMemo(
    () =>
      seriesStyles([
        ...rows.map(({ kernel }) => shortKernel(kernel)),
        ...curves.points.map(({ color }) => color),
      ]),
    [rows, curves],
  );
  return (
    <>
      {curves.points.length > 0 && (
        <div className={BESIDE}>
          <TimeCurves curves={curves} styles={styles} published={published} />
          {curves.isByShape ? (
            <SpeedupCurves curves={curves} styles={styles} />
          ) : (
            <HeatMap curves={curves} />
          )}
        </div>
      )}
      {!curves.isByShape && (
        <div className="border-t border-line empty:hidden">
          <SpeedupCurves curves={curves} styles={styles} />
        </div>
      )}
      <SizeCurves rows={alike} styles={styles} />
      <Roofline rows={alike} styles={styles} devices={devices} />
    </>
  );
}

/** Two charts beside each other where there is room, else one above the other. */
const BESIDE =
  'grid grid-cols-[minmax(0,1fr)] border-t border-line has-[>:nth-child(2)]:lg:grid-cols-2 [&>*+*]:border-line max-lg:[&>*+*]:border-t lg:[&>*+*]:border-l';

function Roofline({
  rows,
  styles,
  devices,
}: {
  rows: readonly Row[];
  styles: SeriesStyles;
  devices: readonly DeviceFacts[];
}) {
  const [like] = rows;
  const facts = devices.find(({ key }) => key === like?.device.key);
  const whole = facts?.roofs.find(({ profile }) => profile === like?.profile);
  const labels = useMemo(() => shortLabels(rows), [rows]);
  const points = useMemo(
    () =>
      rows.flatMap(({ address, flopPerByte, kernel, rate, shape }) =>
        rate === null || flopPerByte === 0
          ? []
          : [
              {
                label: `${labels.get(address) ?? address}, ${shape}`,
                series: shortKernel(kernel),
                flopPerByte,
                rate,
              },
            ],
      ),
    [rows, labels],
  );
  const roof = useMemo(
    () => whole && { ...whole, peaks: whole.peaks.filter(({ dtype }) => dtype === like?.dtype) },
    [whole, like?.dtype],
  );
  if (!roof || roof.peaks.length === 0 || points.length === 0) return null;
  return (
    <div className="border-t border-line">
      <RooflinePlot roof={roof} points={points} device={like?.device.name ?? ''} styles={styles} />
    </div>
  );
}
