'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { formatRate, plural } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import type { SeriesStyles } from '@/ui/plot/scales';
import { threadsOf } from '../../kernels/workgroup';
import { resultHref, shortKernel } from '../runs';
import { type LibraryRate, librariesText, near } from './library-lines';

interface Point {
  /** Or library: what is equal along a line. */
  readonly kernel: string;
  readonly edge: number;
  readonly rate: number;
  /** Per workgroup: its facet; null: of a library, which stands in all of them. */
  readonly threads: number | null;
  readonly address: string;
  readonly href: string | null;
}

/** Narrower facets are not read, px: all are one then. */
const FACET_WIDTH = 170;

/**
 * How the best variant of each kernel fares as square problems grow, from runs of one op, device, dtype
 * and profile; a facet for each number of threads per workgroup where lines of several can be drawn.
 * Nothing where there are not two sizes.
 */
export function SizeCurves({
  runs,
  libraries,
  styles,
}: {
  runs: readonly MeasuredRun[];
  /** On the problems of the runs and their device. */
  libraries: readonly LibraryRate[];
  styles: SeriesStyles;
}) {
  const points = useMemo(() => curvePoints(runs), [runs]);
  const best = useMemo(
    () => fastestOf(points, ({ kernel, edge }) => `${kernel} ${edge}`),
    [points],
  );
  const facets = useMemo(() => facetsOf(points), [points]);
  const drawnLibraries = useMemo(
    () => near(libraries, Math.max(...points.map(({ rate }) => rate))),
    [libraries, points],
  );
  const others = useMemo(() => libraryPoints(drawnLibraries), [drawnLibraries]);
  const [first] = runs;
  const unit = first ? opOf(first.problem).rateUnit(first.problem) : '';
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);

  const legend = useMemo(() => {
    const item = (text: string, isDashed: boolean) => ({
      text,
      color: styles.color(text),
      symbol: styles.symbol(text),
      isDashed,
    });
    const names = [...new Set(others.map(({ kernel }) => kernel))];
    return [...kernels.map((name) => item(name, false)), ...names.map((name) => item(name, true))];
  }, [others, kernels, styles]);
  const series = useMemo(() => legend.map(({ text }) => text), [legend]);

  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      const isFaceted = facets.length * FACET_WIDTH <= width;
      const facet = isFaceted && facets.length > 1 ? { fx: 'threads' } : {};
      const shown = facet.fx
        ? points.filter(({ threads }) => threads !== null && facets.includes(threads))
        : best;
      const line = { x: 'edge', y: 'rate', z: 'kernel', stroke: 'kernel', strokeWidth: 1.5 };
      const dot = {
        x: 'edge',
        y: 'rate',
        stroke: 'kernel',
        symbol: 'kernel',
        r: 3,
        title: ({ address, edge, rate }: Point) =>
          `${address} at ${edge}: ${formatRate(rate)} ${unit}`,
        href: 'href',
      };
      return {
        marginLeft: 52,
        marginRight: 12,
        marginBottom: 36,
        ...(facet.fx && {
          marginTop: 32,
          fx: { label: null, tickFormat: (threads: number) => plural(threads, 'thread') },
        }),
        x: {
          type: 'log',
          base: 2,
          label: 'edge of the square problem →',
          tickFormat: 'd',
          ticks: [...new Set(points.map(({ edge }) => edge))],
        },
        y: { label: `↑ ${unit}, higher is better`, grid: true, zero: true, ticks: 5 },
        color: { domain: series, range: series.map(styles.color) },
        symbol: { domain: series, range: series.map(styles.symbol) },
        marks: [
          Plot.lineY(shown, { ...line, ...facet }),
          Plot.lineY(others, { ...line, strokeDasharray: '4 3' }),
          Plot.dot(shown, { ...dot, ...facet }),
          Plot.dot(others, dot),
        ],
      };
    },
    [points, best, facets, others, series, styles, unit],
  );

  if (new Set(points.map(({ edge }) => edge)).size < 2) return null;
  const peaks = kernels.map((kernel) => {
    const peak = fastest(best.filter((point) => point.kernel === kernel));
    return `${kernel} peaks at ${formatRate(peak.rate)} ${unit} for size ${peak.edge}`;
  });
  return (
    <div>
      <Figure
        draw={draw}
        height={280}
        caption={`Rate by size in ${unit}, higher is better; the median of each kernel’s best variant${facets.length > 1 ? ', for each number of threads per workgroup' : ''}${librariesText(libraries, drawnLibraries)}.`}
        fileName="rate-by-size"
        legend={legend}
        summary={`Rate by size: ${peaks.join('; ')}.`}
      />
    </div>
  );
}

const fastest = (points: readonly Point[]): Point =>
  points.reduce((a, b) => (b.rate > a.rate ? b : a));

const fastestOf = (points: readonly Point[], keyOf: (point: Point) => string): Point[] =>
  [...group(points, keyOf).values()].map(fastest);

/** Libraries at square sizes. */
const libraryPoints = (libraries: readonly LibraryRate[]): Point[] =>
  libraries
    .flatMap(({ name, problem, rate }) => {
      const edge = Number(shapeText(problem));
      const address = `${name}, not measured by this grid,`;
      const point = { kernel: name, edge, rate, threads: null, address, href: null };
      return Number.isInteger(edge) ? [point] : [];
    })
    .sort((a, b) => a.edge - b.edge);

/** The fastest rate of each kernel at each square size and number of threads. */
export function curvePoints(runs: readonly MeasuredRun[]): Point[] {
  const points = runs.flatMap((run): Point[] => {
    const { address, figures, problem, variant } = run;
    const edge = Number(shapeText(problem));
    if (!Number.isInteger(edge)) return [];
    const kernel = shortKernel(variant.kernel);
    const threads = threadsOf(variant, problem.dtype);
    return [{ kernel, edge, rate: figures.rate, threads, address, href: resultHref(run) }];
  });
  const keyOf = ({ edge, kernel, threads }: Point) => `${kernel} ${edge} ${threads}`;
  return fastestOf(points, keyOf).toSorted((a, b) => a.edge - b.edge);
}

/** Numbers of threads with which a kernel ran at several sizes, where it ran with several of them. */
export function facetsOf(points: readonly Point[]): number[] {
  const lines = [...group(points, ({ kernel, threads }) => `${kernel} ${threads}`).values()]
    .filter((line) => line.length > 1)
    .flatMap(([first]) => (first && first.threads !== null ? [first] : []));
  const counts = [...group(lines, ({ kernel }) => kernel).values()].map((line) => line.length);
  if (!(Math.max(0, ...counts) > 1)) return [];
  return [...new Set(lines.flatMap(({ threads }) => threads ?? []))].toSorted((a, b) => a - b);
}
