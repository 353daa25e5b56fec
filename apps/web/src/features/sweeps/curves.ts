import { sizeTunables } from '../kernels/workgroup';
import { type Row, shortKernel, shortLabels } from './row';

/** A variant at a number of threads, on its line. */
export interface CurvePoint {
  /** What is equal along the line: the shape where there are several, else the variant. */
  readonly line: string;
  /** The line's colour follows this. */
  readonly color: string;
  readonly kernel: string;
  readonly shape: string;
  readonly threads: number;
  readonly row: Row & {
    readonly medianNs: number;
    readonly lowNs: number;
    readonly highNs: number;
  };
}

export interface Curves {
  readonly points: readonly CurvePoint[];
  readonly kernels: readonly string[];
  /** Lines stand for shapes, coloured alike for all kernels; else for variants of one shape. */
  readonly isByShape: boolean;
}

/**
 * Time by threads per workgroup, of measured rows of one op, dtype, profile and device.
 * One line a kernel and shape, by its fastest variant at each number of threads; where
 * there is one shape only, one line a variant. Lines of one point are left out: they
 * show no course.
 */
export function curvesOf(rows: readonly Row[]): Curves {
  const measured = rows.filter(isMeasured);
  const isByShape = new Set(measured.map(({ shape }) => shape)).size > 1;
  const labels = lineLabels(measured);
  const best = new Map<string, CurvePoint>();
  for (const row of measured) {
    const { kernel, shape, threads } = row;
    if (threads === null) continue;
    const variant = labels.get(row.runId) ?? kernel;
    const line = isByShape ? `${kernel} ${shape}` : variant;
    const color = isByShape ? shape : variant;
    const key = `${line} ${threads}`;
    if (row.medianNs < (best.get(key)?.row.medianNs ?? Number.POSITIVE_INFINITY)) {
      best.set(key, { line, color, kernel, shape, threads, row });
    }
  }
  const all = [...best.values()];
  const lengths = new Map<string, number>();
  for (const { line } of all) lengths.set(line, (lengths.get(line) ?? 0) + 1);
  const points = all
    .filter(({ line }) => (lengths.get(line) ?? 0) > 1)
    .sort((a, b) => a.row.size - b.row.size || a.threads - b.threads);
  return { points, kernels: [...new Set(points.map(({ kernel }) => kernel))], isByShape };
}

/** A variant's speed over the op's naive kernel with as many threads on the same shape. */
export interface SpeedupPoint {
  readonly line: string;
  /** As of the curve that it belongs to. */
  readonly color: string;
  readonly kernel: string;
  readonly threads: number;
  readonly speedup: number;
  /** Between the ends of the intervals that are nearest and farthest. */
  readonly low: number;
  readonly high: number;
}

/** What a kernel gains over naive at each number of threads, line by line as in `curves`. */
export function speedupCurves({ points, isByShape, kernels }: Curves): SpeedupPoint[] {
  const naive = points.filter(({ kernel }) => kernel.endsWith('/naive'));
  const others = kernels.filter((kernel) => !kernel.endsWith('/naive'));
  return points.flatMap(({ color, kernel, row, shape, threads }) => {
    if (kernel.endsWith('/naive')) return [];
    const base = naive
      .filter((each) => each.threads === threads && each.shape === shape)
      .toSorted((a, b) => a.row.medianNs - b.row.medianNs)[0]?.row;
    if (!base) return [];
    const ofKernel = isByShape && others.length > 1 ? `${shortKernel(kernel)} ${color}` : color;
    return [
      {
        line: ofKernel,
        color,
        kernel,
        threads,
        speedup: base.medianNs / row.medianNs,
        low: base.lowNs / row.highNs,
        high: base.highNs / row.lowNs,
      },
    ];
  });
}

/** Labels without the tunables that size the workgroup, by run id. */
function lineLabels(rows: readonly Row[]): ReadonlyMap<string, string> {
  const kernels = new Set(rows.map(({ kernel }) => kernel));
  const sizes = new Map([...kernels].map((kernel) => [kernel, sizeTunables(kernel)]));
  const stripped = rows.map((row) => {
    const rest = Object.entries(row.tunables).filter(([name]) => !sizes.get(row.kernel)?.has(name));
    const tunables = Object.fromEntries(rest);
    return { ...row, tunables, address: `${row.kernel} ${JSON.stringify(rest)}` };
  });
  const labels = shortLabels(stripped);
  return new Map(stripped.map(({ address, runId }) => [runId, labels.get(address) ?? address]));
}

const isMeasured = (row: Row): row is CurvePoint['row'] =>
  row.medianNs !== null && row.lowNs !== null && row.highNs !== null;
