import type { DeviceRef, Published, PublishedFigure } from '@tilemark/core';
import type { Row } from './row';

/** One of our devices, under one profile, beside a report. */
export interface Column {
  readonly device: DeviceRef;
  readonly profile: Row['profile'];
}

/** A time, and how much faster it is than the first line of its column. */
export interface Timing {
  readonly ns: number;
  readonly shape: string;
  readonly overFirst: number | null;
}

export interface Line {
  readonly figure: PublishedFigure;
  readonly published: Timing;
  /** In the order of the columns; null where a device has not measured it. */
  readonly ours: readonly (Timing | null)[];
}

/**
 * The lines of a report with our times of the same variants beside them. Where
 * we ran several shapes the largest stands, since reports use large ones.
 */
export function besideReport(
  report: Published,
  rows: readonly Row[],
  shapeOf: (figure: PublishedFigure) => string,
): { columns: readonly Column[]; lines: readonly Line[] } {
  const measured = rows.filter((row) => row.medianNs !== null);
  const columns = new Map(
    measured.map(({ device, profile }) => [`${device.key} ${profile}`, { device, profile }]),
  );
  const compared = [...columns.values()]
    .map((column) => ({
      column,
      timings: withRatios(report.results.map((figure) => largest(measured, column, figure))),
    }))
    .filter(({ timings }) => timings.some((timing) => timing !== null));
  const published = withRatios(
    report.results.map((figure) => ({ ns: figure.timeMs * 1e6, shape: shapeOf(figure) })),
  );
  return {
    columns: compared.map(({ column }) => column),
    lines: report.results.flatMap((figure, index) => {
      const line = published[index];
      return line
        ? [{ figure, published: line, ours: compared.map(({ timings }) => timings[index] ?? null) }]
        : [];
    }),
  };
}

type Measured = Pick<Timing, 'ns' | 'shape'>;

function largest(
  rows: readonly Row[],
  { device, profile }: Column,
  { address, problem }: PublishedFigure,
): Measured | null {
  const [row] = rows
    .filter(
      (each) =>
        each.address === address &&
        each.dtype === problem.dtype &&
        each.device.key === device.key &&
        each.profile === profile,
    )
    .toSorted((a, b) => b.size - a.size);
  return row?.medianNs ? { ns: row.medianNs, shape: row.shape } : null;
}

/** Ratios to the first line, where that one is of the same shape. */
function withRatios(timings: readonly (Measured | null)[]): (Timing | null)[] {
  const [first] = timings;
  return timings.map(
    (timing) =>
      timing && {
        ...timing,
        overFirst: first && first.shape === timing.shape ? first.ns / timing.ns : null,
      },
  );
}
