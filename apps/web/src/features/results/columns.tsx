/** Columns that tables of results have in common: what was solved, where, and how fast. */
import type { DeviceRef, Profile } from '@tilemark/core';
import { type Problem, shapeText } from '@tilemark/kernels';
import type { ComponentProps } from 'react';
import { DeviceName } from '@/features/devices/device-name';
import { Rate, Timing } from '@/ui/facts';
import { formatShape } from '@/ui/format';
import type { Column } from '@/ui/table';

/** `matmul 512 f32, fast` */
export const problemColumn = <Row,>(
  read: (row: Row) => { readonly problem: Problem; readonly profile?: Profile | null },
): Column<Row> => ({
  head: 'Problem',
  className: 'whitespace-nowrap',
  cell: (row) => {
    const { problem, profile } = read(row);
    return (
      <>
        {problem.op} {formatShape(shapeText(problem))}{' '}
        <span className="text-muted">
          {problem.dtype}
          {profile && `, ${profile}`}
        </span>
      </>
    );
  },
});

export const deviceColumn = <Row,>(read: (row: Row) => DeviceRef | null): Column<Row> => ({
  head: 'Device',
  className: 'min-w-36',
  cell: (row) => {
    const device = read(row);
    return device ? <DeviceName device={device} /> : '–';
  },
});

export const rateColumn = <Row,>(
  read: (row: Row) => ComponentProps<typeof Rate>['of'] | null | undefined,
): Column<Row> => ({
  head: 'Rate (higher is better)',
  isFigure: true,
  cell: (row) => {
    const rate = read(row);
    return rate ? <Rate of={rate} /> : '–';
  },
});

/** Of the naive kernel's variants, on boards those of any sweep, the one that every ratio is over. */
export const OVER_NAIVE = 'Over the fastest naive';

/** Of rows that have them as fields. */
export const PROBLEM = problemColumn(
  (row: { readonly problem: Problem; readonly profile?: Profile | null }) => row,
);
export const DEVICE = deviceColumn(({ device }: { readonly device: DeviceRef }) => device);

/** Medians with their intervals, which between runs are wider than within one. */
export const MEDIAN_BETWEEN = 'Median, ± between runs';
export const MEDIAN_WITHIN = 'Median, ± within the run';

/** @param about what the intervals are; absent: each of one run */
export const medianColumn = <Row,>(
  read: (row: Row) => ComponentProps<typeof Timing>['of'] | null | undefined,
  about?: string,
): Column<Row> => ({
  head: about ? MEDIAN_BETWEEN : MEDIAN_WITHIN,
  isFigure: true,
  cell: (row) => {
    const times = read(row);
    return times ? <Timing of={times} {...(about && { about })} /> : '–';
  },
});
