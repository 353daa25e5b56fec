import {
  type DeviceRef,
  isMeasured,
  type MeasuredRun,
  type Published,
  type PublishedFigure,
  type RunView,
} from '@tilemark/core';
import { shapeText, shortAddress, volume } from '@tilemark/kernels';
import { group } from 'd3-array';
import { formatShape } from '@/ui/format';
import { sizeTunables } from '../../kernels/workgroup';

/** One of our devices, under one profile, beside a report. */
export interface Column {
  readonly device: DeviceRef;
  readonly profile: RunView['profile'];
}

/** A time, and how much faster it is than that of the report's first line of its shape. */
export interface Timing {
  readonly ns: number;
  readonly shape: string;
  readonly overFirst: number | null;
}

export interface Line {
  readonly figure: PublishedFigure;
  readonly published: Timing;
  /** What is said against the time that the report's ratio to its first line rests on. */
  readonly firstNote: string | null;
  /** In the order of the columns; null where a device has not measured it. */
  readonly ours: readonly (Timing | null)[];
}

/**
 * The lines of a report with our times of the same variants beside them: on the shape of the
 * report or, where it has a single one and that was not run, on the largest that was, since
 * reports use large ones. In a report of several shapes each has a column, and ours its own.
 */
export function besideReport(
  report: Published,
  runs: readonly RunView[],
  shapeOf: (figure: PublishedFigure) => string,
): { columns: readonly Column[]; lines: readonly Line[] } {
  const measured = runs.filter(isMeasured);
  const columns = new Map(
    measured.map(({ device, profile }) => [`${device.key} ${profile}`, { device, profile }]),
  );
  const shapes = report.results.map(shapeOf);
  const mayDiffer = new Set(shapes).size === 1;
  const compared = [...columns.values()]
    .map((column) => ({
      column,
      timings: withRatios(
        report.results.map((figure) =>
          oursOf(measured, column, figure, shapeOf(figure), mayDiffer),
        ),
        shapes,
      ),
    }))
    .filter(({ timings }) => timings.some((timing) => timing !== null));
  const published = withRatios(
    report.results.map((figure) => ({ ns: figure.timeMs * 1e6, shape: shapeOf(figure) })),
    shapes,
  );
  return {
    columns: compared.map(({ column }) => column),
    lines: report.results.flatMap((figure, index) => {
      const line = published[index];
      if (!line) return [];
      const first = shapes.indexOf(line.shape);
      return [
        {
          figure,
          published: line,
          firstNote: first === index ? null : (report.results[first]?.note ?? null),
          ours: compared.map(({ timings }) => timings[index] ?? null),
        },
      ];
    }),
  };
}

/** A report's lines as a table: its sizes across, or its tiles where it has one size. */
export interface Pivot {
  readonly heads: readonly string[];
  readonly rows: readonly {
    readonly label: string;
    readonly address: string;
    readonly cells: readonly (Line | undefined)[];
  }[];
}

export function pivotOf(lines: readonly Line[]): Pivot {
  const isBySize = new Set(lines.map(({ published }) => published.shape)).size > 1;
  const placed = lines.map((line) => {
    const { address, label, variant } = line.figure;
    const sizes = sizeTunables(variant.kernel);
    const tile = Object.entries(variant.tunables)
      .filter(([name]) => sizes.has(name))
      .map(([, value]) => value)
      .join('×');
    const rest = shortAddress(address).replaceAll(/\b(\w+)=[^,\]]*,?/g, (text, name) =>
      sizes.has(name) ? '' : text,
    );
    return isBySize
      ? { line, head: formatShape(line.published.shape), row: `${label} ${address}`, address }
      : { line, head: tile ? `tile ${tile}` : 'no tile', row: `${label} ${rest}`, address: rest };
  });
  const heads = [...new Set(placed.map(({ head }) => head))];
  return {
    heads,
    rows: [...group(placed, ({ row }) => row).values()].map((cells) => ({
      label: cells[0]?.line.figure.label ?? '',
      address: (cells[0]?.address ?? '').replace(/,?\]$/, ']').replace('[]', ''),
      cells: heads.map((head) => cells.find((each) => each.head === head)?.line),
    })),
  };
}

/** A line of the report, as published or as one of our devices ran it. */
export interface Row {
  readonly of: Pivot['rows'][number];
  /** Null: the report. */
  readonly by: Column | null;
  /** In the order of the heads. */
  readonly timings: readonly (Timing | null)[];
}

/** Each line of a report with those of our devices below it that have a figure for it. */
export const rowsOf = ({ rows }: Pivot, columns: readonly Column[]): Row[] =>
  rows.flatMap((of) =>
    [null, ...columns]
      .map((by, at) => ({
        of,
        by,
        timings: of.cells.map((line) => (by ? line?.ours[at - 1] : line?.published) ?? null),
      }))
      .filter(({ timings }) => timings.some((timing) => timing !== null)),
  );

type Measured = Pick<Timing, 'ns' | 'shape'>;

function oursOf(
  runs: readonly MeasuredRun[],
  { device, profile }: Column,
  { address, problem }: PublishedFigure,
  shape: string,
  mayDiffer: boolean,
): Measured | null {
  const same = runs
    .filter(
      (each) =>
        each.address === address &&
        each.problem.dtype === problem.dtype &&
        each.device.key === device.key &&
        each.profile === profile,
    )
    .toSorted((a, b) => volume(b.problem) - volume(a.problem));
  const run =
    same.find((each) => shapeText(each.problem) === shape) ?? (mayDiffer ? same[0] : undefined);
  return run ? { ns: run.figures.medianNs, shape: shapeText(run.problem) } : null;
}

/**
 * Ratios to the report's first line of the same shape, where that was measured too and both
 * are of one shape.
 *
 * @param shapes of the report's lines
 */
function withRatios(
  timings: readonly (Measured | null)[],
  shapes: readonly string[],
): (Timing | null)[] {
  return timings.map((timing, index) => {
    const base = timings[shapes.indexOf(shapes[index] ?? '')];
    return (
      timing && { ...timing, overFirst: base?.shape === timing.shape ? base.ns / timing.ns : null }
    );
  });
}
