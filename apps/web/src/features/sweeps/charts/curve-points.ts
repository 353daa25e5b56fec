import {
  type MeasuredRun,
  type Published,
  type PublishedFigure,
  workgroupOf,
} from '@tilemark/core';
import { KERNELS, shapeText } from '@tilemark/kernels';
import { group, least, rollup } from 'd3-array';
import { formatShape } from '@/ui/format';
import { nameOf } from '../runs';
import { reportNames } from '../tables/report';

/** What stands along an axis, and what a line stands for. */
export const NAMES = {
  size: 'size',
  block: 'block side',
  kernel: 'kernel',
  memory: 'workgroup memory',
} as const;
export type Axis = 'size' | 'block';
export type Line = 'size' | 'kernel' | 'memory';
export type Shown = 'rate' | 'time' | 'speedup';

/** A run, or a figure of the report that its suite reproduces. */
type Placed = Pick<MeasuredRun | PublishedFigure, 'address' | 'problem' | 'variant'>;

/** Threads per side of its workgroup, or the side of its tile; null: it has no such tunable. */
export const blockOf = ({ variant: { tunables } }: Placed): number | null =>
  wholeOrNull(tunables.BLOCK ?? tunables.TILE);

const wholeOrNull = (value: unknown) => (Number.isInteger(Number(value)) ? Number(value) : null);

function memoryOf({ problem, variant }: Placed): string {
  if (!KERNELS.some(({ id }) => id === variant.kernel)) return 'not in the catalogue';
  const workgroup = workgroupOf(variant, problem.dtype);
  if (!workgroup) return 'on the host';
  return `${workgroup.workgroupBytes > 0 ? 'with' : 'without'} workgroup memory`;
}

function timed(of: Placed, ns: number, rate: number, names: ReadonlyMap<string, string>) {
  const shape = shapeText(of.problem);
  return {
    isPublished: 'timeMs' in of,
    address: of.address,
    kernel: nameOf(of, names),
    isNaive: of.variant.kernel === `${of.problem.op}/naive`,
    memory: memoryOf(of),
    block: blockOf(of),
    shape,
    /** Null: it is not square. */
    size: wholeOrNull(shape),
    ns,
    rate,
  };
}
export type Timed = ReturnType<typeof timed>;

/**
 * Runs of one op, dtype, profile, policy and device, and what a report has to stand beside them: figures
 * of such hardware on the shapes of the runs or, in a report of one shape, on that.
 */
export function timedOf(runs: readonly MeasuredRun[], report: Published | null): Timed[] {
  const names = reportNames(report);
  const key = ({ dtype, op }: MeasuredRun['problem'], isHost: boolean) =>
    `${op} ${dtype} ${isHost}`;
  const keys = new Set(runs.map(({ device, problem }) => key(problem, device.class === 'cpu')));
  const shapes = new Set(runs.map(({ problem }) => shapeText(problem)));
  const figures = (report?.results ?? []).filter(({ problem, runtime }) =>
    keys.has(key(problem, runtime === 'cpu')),
  );
  const isOfOneShape = new Set(figures.map(({ problem }) => shapeText(problem))).size === 1;
  return [
    ...runs.map((run) => timed(run, run.figures.medianNs, run.figures.rate, names)),
    ...figures
      .filter(({ problem }) => isOfOneShape || shapes.has(shapeText(problem)))
      .map((figure) => timed(figure, figure.timeMs * 1e6, figure.rate.value, names)),
  ];
}

/** The axes along which runs differ, the one with more values first. */
export function axesOf(all: readonly Timed[]): Axis[] {
  const count = (axis: Axis) => countOf(all, (each) => each[axis]);
  const axes = (['size', 'block'] as const).filter((axis) => count(axis) > 1);
  return count('block') > count('size') ? axes.toReversed() : axes;
}

/** What lines may stand for along an axis, the usual choice first. */
export const linesOf = (all: readonly Timed[], axis: Axis): Line[] => [
  ...(axis === 'block' && countOf(all, ({ shape }) => shape) > 1 ? (['size'] as const) : []),
  'kernel',
  ...(countOf(all, ({ memory }) => memory) > 1 ? (['memory'] as const) : []),
];

const countOf = (all: readonly Timed[], read: (of: Timed) => string | number | null): number =>
  new Set(all.flatMap((each) => (each.isPublished ? [] : (read(each) ?? [])))).size;

/**
 * The fastest of each line at each place of an axis. Speed-ups are over the fastest naive kernel on the
 * same shape, of a report over its own.
 *
 * @param shape of ours along an axis of block sides, unless lines stand for sizes
 */
export function curvePoints(
  all: readonly Timed[],
  { axis, line, shown }: { readonly axis: Axis; readonly line: Line; readonly shown: Shown },
  shape: string,
) {
  const place = ({ isPublished, shape }: Timed) => `${isPublished} ${shape}`;
  const naive = all.filter(({ isNaive }) => isNaive);
  const bases = rollup(naive, (each) => Math.min(...each.map(({ ns }) => ns)), place);
  // A report of another shape alone is shown on that.
  const isOfShape = all.some((each) => each.isPublished && each.shape === shape);
  const drawn = all.filter(
    (each) =>
      axis === 'size' ||
      line === 'size' ||
      each.shape === shape ||
      (each.isPublished && !isOfShape),
  );
  const points = drawn.flatMap((each) => {
    const { kernel, memory, ns, rate } = each;
    const x = each[axis];
    const base = bases.get(place(each));
    const y = { rate, time: ns, speedup: base && base / ns }[shown];
    if (x === null || y === undefined) return [];
    const hue = { size: formatShape(each.shape), kernel, memory }[line];
    const isBySize = line === 'size';
    const text = isBySize ? `${hue}, ${memory}` : hue;
    return [{ ...each, x, y, hue, mark: isBySize ? memory : hue, line: text }];
  });
  const alike = group(points, ({ isPublished, line, x }) => JSON.stringify([isPublished, line, x]));
  return [...alike.values()]
    .flatMap((each) => least(each, ({ ns }) => ns) ?? [])
    .toSorted((a, b) => a.x - b.x);
}
export type Point = ReturnType<typeof curvePoints>[number];
