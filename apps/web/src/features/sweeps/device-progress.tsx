'use client';

import type { Counts } from '@tilemark/core';
import { useMemo } from 'react';
import { formatCount, formatEstimate } from '@/ui/format';
import { shortDeviceName } from '../devices/device-name';
import { remainingSeconds } from './eta';
import { ProgressBar } from './progress';
import type { Row } from './row';

/** How far each device is, and how long it may take still, by its own pace in this sweep. */
export function DeviceProgress({ rows, isOver }: { rows: readonly Row[]; isOver: boolean }) {
  const devices = useMemo(() => byDevice(rows), [rows]);
  if (isOver || devices.length === 0) return null;
  return (
    <ul aria-label="Progress by device" className="space-y-2 border-t border-line pt-3">
      {devices.map(({ counts, device, seconds }) => (
        <li key={device.key} className="text-[0.8125rem]">
          <p className="mb-1 flex flex-wrap justify-between gap-x-4">
            <span className="min-w-0 break-words" title={device.name}>
              {shortDeviceName(device.name)}
            </span>
            <span className="text-muted">
              {formatCount(counts.total - counts.pending)} of {formatCount(counts.total)}
              {counts.pending > 0 &&
                (seconds === null ? ', no pace yet' : `, ${formatEstimate(seconds)} left`)}
            </span>
          </p>
          <ProgressBar counts={counts} label={`Progress on ${device.name}`} />
        </li>
      ))}
    </ul>
  );
}

function byDevice(rows: readonly Row[]) {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.device.key);
    if (group) group.push(row);
    else groups.set(row.device.key, [row]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ device: first.device, ...progressOf(group) }] : [];
  });
}

function progressOf(rows: readonly Row[]): { counts: Counts; seconds: number | null } {
  const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length;
  const pending = count('pending');
  return {
    counts: {
      total: rows.length,
      pending,
      measured: count('measured'),
      skipped: count('skipped'),
      incorrect: count('incorrect'),
      failed: count('failed'),
    },
    seconds: remainingSeconds(
      rows.flatMap(({ endedAt }) => endedAt ?? []),
      pending,
    ),
  };
}
