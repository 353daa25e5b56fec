import { isMeasured, type MeasuredRun, type RunView } from '@tilemark/core';
import { shapeText, volume } from '@tilemark/kernels';
import { formatShape } from '@/ui/format';
import { sizeTunables, threadsOf } from '../../kernels/workgroup';
import { resultHref, settingsOf, shortKernel, shortLabels, speedupOf } from '../runs';

export interface CurvePoint {
  /** What is equal along the line: the shape where there are several, else the variant. */
  readonly line: string;
  /** The line's colour follows this. */
  readonly color: string;
  readonly kernel: string;
  readonly shape: string;
  readonly threads: number;
  readonly run: MeasuredRun;
  /** Variants of the line with as many threads, of which `run` is the fastest. */
  readonly variants: number;
}

export interface Curves {
  readonly points: readonly CurvePoint[];
  readonly kernels: readonly string[];
  /** Kernels whose lines would be single points. */
  readonly omitted: readonly string[];
  /** Lines stand for shapes, coloured alike for all kernels; else for variants of one shape. */
  readonly isByShape: boolean;
}

/**
 * Time by threads per workgroup, of measured runs of one op, dtype, profile and device.
 * One line per kernel and shape or, where there is one shape only, per variant without what sizes
 * its workgroup; by the fastest at each number of threads. Lines of one point are left out: they
 * show no course.
 */
export function curvesOf(runs: readonly RunView[]): Curves {
  const measured = runs.filter(isMeasured);
  const isByShape = new Set(measured.map(({ problem }) => shapeText(problem))).size > 1;
  const labels = lineLabels(measured);
  const best = new Map<string, CurvePoint>();
  for (const run of measured) {
    const { figures, problem, variant: of } = run;
    const { kernel } = of;
    const shape = shapeText(problem);
    const threads = threadsOf(of, problem.dtype);
    if (threads === null) continue;
    const variant = labels.get(run.runId) ?? kernel;
    const line = isByShape ? `${kernel} ${formatShape(shape)}` : variant;
    const color = isByShape ? formatShape(shape) : variant;
    const key = `${line} ${threads}`;
    const known = best.get(key);
    const isBest = !known || figures.medianNs < known.run.figures.medianNs;
    const variants = (known?.variants ?? 0) + 1;
    best.set(key, {
      line,
      color,
      kernel,
      shape,
      threads,
      variants,
      run: isBest ? run : known.run,
    });
  }
  const all = [...best.values()];
  const lengths = new Map<string, number>();
  for (const { line } of all) lengths.set(line, (lengths.get(line) ?? 0) + 1);
  const points = all
    .filter(({ line }) => (lengths.get(line) ?? 0) > 1)
    .sort((a, b) => volume(a.run.problem) - volume(b.run.problem) || a.threads - b.threads);
  const kernels = [...new Set(points.map(({ kernel }) => kernel))];
  const omitted = [...new Set(measured.map(({ variant }) => variant.kernel))].filter(
    (kernel) => !kernels.includes(kernel),
  );
  return { points, kernels, omitted, isByShape };
}

/** What a caption says of kernels that are not drawn. */
export const omittedText = (
  { omitted }: Pick<Curves, 'omitted'>,
  why: 'lines would be single points' | 'rows would be single cells',
): string =>
  omitted.length === 0
    ? ''
    : `. Kernels whose ${why} are left out: ${omitted.map(shortKernel).join(', ')}`;

/** Whether some point stands for several variants. */
export const isBestOf = (points: readonly CurvePoint[]): boolean =>
  points.some(({ variants }) => variants > 1);

/** A variant's speed over the op's naive kernel with as many threads on the same shape. */
export interface SpeedupPoint {
  readonly line: string;
  /** As of the curve that it belongs to. */
  readonly color: string;
  readonly kernel: string;
  readonly threads: number;
  readonly value: number;
  /** Between the ends of the intervals that are nearest and farthest; one sample has none. */
  readonly low: number;
  readonly high: number;
  readonly href: string | null;
}

/** What a kernel gains over naive at each number of threads, line by line as in `curves`. */
export function speedupCurves({ points, isByShape, kernels }: Curves): SpeedupPoint[] {
  const naive = points.filter(({ kernel }) => kernel.endsWith('/naive'));
  const others = kernels.filter((kernel) => !kernel.endsWith('/naive'));
  return points.flatMap(({ color, kernel, run, shape, threads }) => {
    if (kernel.endsWith('/naive')) return [];
    const base = naive
      .filter((each) => each.threads === threads && each.shape === shape)
      .toSorted((a, b) => a.run.figures.medianNs - b.run.figures.medianNs)[0]?.run.figures;
    if (!base) return [];
    const { high, isOfOne, low, ratio } = speedupOf(base, run.figures);
    const ofKernel = isByShape && others.length > 1 ? `${shortKernel(kernel)} ${color}` : color;
    return [
      {
        line: ofKernel,
        color,
        kernel,
        threads,
        value: ratio,
        low: isOfOne ? ratio : low,
        high: isOfOne ? ratio : high,
        href: resultHref(run),
      },
    ];
  });
}

/** Labels without the tunables that size the workgroup, by run id. */
function lineLabels(runs: readonly MeasuredRun[]): ReadonlyMap<string, string> {
  const kernels = new Set(runs.map(({ variant }) => variant.kernel));
  const sizes = new Map([...kernels].map((kernel) => [kernel, sizeTunables(kernel)]));
  const stripped = runs.map(({ address, runId, variant: { kernel } }) => {
    const rest = settingsOf(address).filter(([name]) => !sizes.get(kernel)?.has(name));
    return {
      runId,
      address: `${kernel}[${rest.map((setting) => setting.join('=')).join()}]`,
      variant: { kernel, tunables: Object.fromEntries(rest) },
    };
  });
  const labels = shortLabels(stripped);
  return new Map(stripped.map(({ address, runId }) => [runId, labels.get(address) ?? address]));
}
