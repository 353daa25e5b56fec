'use client';

import { KERNELS } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { Field, Select } from '@/ui/field';
import { formatRate } from '@/ui/format';
import { Empty } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { type SeriesStyles, seriesStyles } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import { useQuery } from '@/ui/use-query';
import { RooflinePlot } from '../devices/roofline-plot';
import { curvesOf } from './curves';
import { HeatMap } from './heat-map';
import type { DeviceFacts } from './load';
import { groupRows, type Row, shortKernel, shortLabels } from './row';
import { SizeCurves } from './size-curves';
import { SpeedupCurves } from './speedup-curves';
import { type PublishedTime, TimeCurves } from './time-curves';

/** Longer labels stand above their bars, where the whole width is theirs. */
const BESIDE_CHARACTERS = 20;

/** More bars than this are not read as a picture; the table has them all. */
const MAX_BARS = 40;

interface Bar {
  readonly label: string;
  /** Other work than the problem's (copy): shown as a bound, never as the best. */
  readonly isCeiling: boolean;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

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

function VariantBars({ rows }: { rows: readonly Row[] }) {
  const bars = useMemo(() => barsOf(rows), [rows]);
  const best = bars.find(({ isCeiling }) => !isCeiling);
  const unit = rows[0]?.unit ?? '';

  const longest = Math.max(...bars.map(({ label }) => label.length));
  const isBeside = longest <= BESIDE_CHARACTERS;
  const rowHeight = isBeside ? 22 : 36;

  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      return {
        marginLeft: isBeside ? longest * 6.4 + 16 : 4,
        marginRight: 52,
        marginTop: 4,
        marginBottom: 34,
        x: {
          label: `${unit}, higher is better →`,
          grid: true,
          ticks: Math.max(2, Math.floor(width / 160)),
          zero: true,
          insetRight: 4,
        },
        y: {
          label: null,
          domain: bars.map(({ label }) => label),
          tickSize: 0,
          axis: isBeside ? 'left' : null,
          padding: 0.28,
        },
        marks: [
          ...(isBeside
            ? []
            : [
                Plot.text(bars, {
                  y: 'label',
                  x: 0,
                  text: 'label',
                  textAnchor: 'start',
                  dx: 2,
                  dy: -10,
                  fill: 'var(--ink)',
                }),
              ]),
          Plot.barX(bars, {
            y: 'label',
            x: 'rate',
            insetTop: isBeside ? 0 : 14,
            fill: (bar: Bar) => (bar === best ? 'var(--accent)' : 'var(--line-strong)'),
          }),
          Plot.ruleY(bars, {
            y: 'label',
            x1: 'low',
            x2: 'high',
            stroke: 'var(--ink)',
            marker: 'tick',
            dy: isBeside ? 0 : 7,
          }),
          Plot.text(bars, {
            y: 'label',
            x: 'high',
            text: (bar: Bar) => formatRate(bar.rate),
            textAnchor: 'start',
            dx: 6,
            dy: isBeside ? 0 : 7,
            fill: 'var(--ink)',
          }),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        ],
      };
    },
    [bars, best, unit, isBeside, longest],
  );

  if (bars.length === 0) return null;
  return (
    <Figure
      draw={draw}
      height={bars.length * rowHeight + 42}
      fileName="rate-by-variant"
      caption={
        <>
          Rate by variant in {unit}, higher is better; the line at a bar’s end is the 95 % interval
          {rows.length > bars.length && `. The fastest ${bars.length} of ${rows.length} are drawn`}
        </>
      }
      summary={`Rate by variant, fastest first: ${bars
        .slice(0, 5)
        .map(({ label, rate }) => `${label} ${formatRate(rate)} ${unit}`)
        .join(
          '; ',
        )}${bars.length > 5 ? `; and ${bars.length - 5} more` : ''}. The table below has every figure.`}
    />
  );
}

/** Fastest first; labels are made unique by the address where the short ones collide. */
function barsOf(rows: readonly Row[]): Bar[] {
  const labels = shortLabels(rows);
  return rows
    .flatMap(({ address, highNs, kernel, lowNs, medianNs, rate }) =>
      rate === null || medianNs === null || lowNs === null || highNs === null
        ? []
        : [
            {
              label: labels.get(address) ?? address,
              isCeiling: KERNELS.some(({ id, computes }) => id === kernel && computes === 'copy'),
              rate,
              low: (rate * medianNs) / highNs,
              high: (rate * medianNs) / lowNs,
            },
          ],
    )
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, MAX_BARS);
}
