'use client';

import type { DeviceRef, Profile } from '@tilemark/core';
import { opOf } from '@tilemark/kernels';
import { useMemo } from 'react';
import { formatDays, formatRate } from '@/ui/format';
import { barsHeight, drawBars } from '@/ui/plot/bars';
import { Figure, FigureSubject } from '@/ui/plot/plot';
import { problemText } from '../sweeps/runs';
import type { ChartPanel } from './panels';
import { nameInFigure } from './query';

/** A bar per device that is asked for, in the order of the first panel: the fastest comes first. */
export function barsOf(devices: readonly DeviceRef[], panels: readonly ChartPanel[]) {
  const placeOf = ({ key }: DeviceRef) => {
    const place = panels[0]?.rows.findIndex(({ device }) => device.key === key) ?? -1;
    return place < 0 ? devices.length : place;
  };
  const ordered = devices.toSorted((a, b) => placeOf(a) - placeOf(b));
  return panels.flatMap(({ problem, rows }) =>
    ordered.map((device) => {
      const row = rows.find((row) => row.device.key === device.key);
      const note = row ? row.isRange && 'range' : 'not measured';
      const name = nameInFigure(device);
      return {
        key: device.key,
        label: note ? `${name} (${note})` : name,
        rate: row?.rate.value ?? null,
        isLit: row?.rank != null,
        ...(panels.length > 1 && { panel: problemText(problem) }),
        ...(row && {
          ends: [row.highNs, row.lowNs].map((ns) => (row.rate.value * row.medianNs) / ns) as [
            number,
            number,
          ],
        }),
      };
    }),
  );
}

/** What a file says of each device: its driver, and when it was measured. */
export const factsOf = (devices: readonly DeviceRef[], panels: readonly ChartPanel[]): string[] =>
  devices.flatMap((device) => {
    const rows = panels.flatMap(({ rows }) => rows.filter((row) => row.device.key === device.key));
    if (rows.length === 0) return [];
    const drivers = [...new Set(rows.map(({ driver }) => driver || 'driver unknown'))];
    const days = formatDays(rows.map(({ measuredAt }) => measuredAt));
    return [`${nameInFigure(device)}: ${drivers.join(', ')}, measured ${days}`];
  });

/** The best variant of each device as bars from zero, a panel per problem, all on one axis. */
export function DeviceBars({
  devices,
  panels,
  profile,
}: {
  devices: readonly DeviceRef[];
  panels: readonly ChartPanel[];
  profile: Profile;
}) {
  const bars = useMemo(() => barsOf(devices, panels), [devices, panels]);
  const [first] = panels;
  const unit = first ? opOf(first.problem).rateUnit(first.problem) : '';
  const draw = useMemo(() => drawBars(bars, unit), [bars, unit]);
  const rows = panels.flatMap((panel) => panel.rows);
  const about = [
    `${unit}, higher is better; lines at the ends of bars are 95% intervals between runs`,
    rows.some(({ isRange }) => isRange) && ', or ranges of too few samples where it says so',
    rows.some(({ rank }) => rank === null) && '; in grey what is not ranked',
  ];
  const caption = `${about.filter(Boolean).join('')}.`;
  const problems = panels.map(({ problem }) => problemText(problem)).join(', ');
  const told = bars.flatMap(({ label, panel, rate }) =>
    rate === null
      ? []
      : [`${[label, panel].filter(Boolean).join(', ')} ${formatRate(rate)} ${unit}`],
  );
  const subject = {
    title: `${problems}, profile ${profile}`,
    facts: factsOf(devices, panels),
  };
  return (
    <FigureSubject value={subject}>
      <Figure
        draw={draw}
        height={barsHeight(bars)}
        fileName="tilemark-devices"
        caption={caption}
        summary={`Best rate by device: ${told.join('; ')}.`}
      />
    </FigureSubject>
  );
}
