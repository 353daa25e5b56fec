'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import type { SeriesStyles } from '@/ui/plot/scales';
import { resultHref, shortKernel } from '../runs';
import { type LibraryRate, librariesText, libraryItem } from './library-lines';

interface Point {
  /** Or library: what is equal along a line. */
  readonly kernel: string;
  readonly edge: number;
  readonly rate: number;
  readonly address: string;
  readonly href: string | null;
}

/**
 * How the best variant of each kernel fares as square problems grow, from runs of one
 * op, device, dtype and profile. Nothing where there are not two sizes.
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
  const points = useMemo(() => pointsOf(runs), [runs]);
  const others = useMemo(() => libraryPoints(libraries), [libraries]);
  const [first] = runs;
  const unit = first ? opOf(first.problem).rateUnit(first.problem) : '';
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);
  const names = useMemo(() => [...new Set(others.map(({ kernel }) => kernel))], [others]);

  const beside = useMemo(() => {
    const fastest = Math.max(...points.map(({ rate }) => rate));
    return names.map((name) => {
      const rates = others.flatMap(({ kernel, rate }) => (kernel === name ? [rate] : []));
      const item = libraryItem(name, styles.color(name), Math.max(...rates), fastest);
      return { ...item, symbol: styles.symbol(name) };
    });
  }, [points, others, names, styles]);
  const legend = useMemo(
    () => [
      ...kernels.map((text) => ({
        text,
        color: styles.color(text),
        symbol: styles.symbol(text),
      })),
      ...beside,
    ],
    [kernels, beside, styles],
  );

  const draw = useCallback<DrawPlot>(
    (Plot, _, shows) => {
      const shown = points.filter(({ kernel }) => shows(kernel));
      const shownOthers = others.filter(({ kernel }) => shows(kernel));
      const series = [...kernels, ...names];
      return {
        marginLeft: 52,
        marginRight: 12,
        marginBottom: 36,
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
          Plot.lineY(shown, {
            x: 'edge',
            y: 'rate',
            z: 'kernel',
            stroke: 'kernel',
            strokeWidth: 1.5,
          }),
          Plot.lineY(shownOthers, {
            x: 'edge',
            y: 'rate',
            z: 'kernel',
            stroke: 'kernel',
            strokeWidth: 1.5,
            strokeDasharray: '4 3',
          }),
          Plot.dot([...shown, ...shownOthers], {
            x: 'edge',
            y: 'rate',
            stroke: 'kernel',
            symbol: 'kernel',
            r: 3,
            title: ({ address, edge, rate }: Point) =>
              `${address} at ${edge}: ${formatRate(rate)} ${unit}`,
            href: 'href',
          }),
        ],
      };
    },
    [points, others, kernels, names, styles, unit],
  );

  if (new Set(points.map(({ edge }) => edge)).size < 2) return null;
  return (
    <div className="border-t border-line">
      <Figure
        draw={draw}
        height={260}
        caption={`Rate by size in ${unit}, higher is better; the median of each kernel’s best variant, whose spread the table has${librariesText(beside)}.`}
        fileName="rate-by-size"
        legend={legend}
        summary={`Rate by size: ${kernels
          .map((kernel) => {
            const best = points
              .filter((point) => point.kernel === kernel)
              .reduce((a, b) => (b.rate > a.rate ? b : a));
            return `${kernel} peaks at ${formatRate(best.rate)} ${unit} for size ${best.edge}`;
          })
          .join('; ')}.`}
      />
    </div>
  );
}

/** Libraries at square sizes. */
const libraryPoints = (libraries: readonly LibraryRate[]): Point[] =>
  libraries
    .flatMap(({ name, problem, rate }) => {
      const edge = Number(shapeText(problem));
      const address = `${name}, not measured by this grid,`;
      return Number.isInteger(edge) ? [{ kernel: name, edge, rate, address, href: null }] : [];
    })
    .sort((a, b) => a.edge - b.edge);

/** The fastest rate of each kernel at each square size. */
function pointsOf(runs: readonly MeasuredRun[]): Point[] {
  const best = new Map<string, Point>();
  for (const run of runs) {
    const { address, figures, problem, variant } = run;
    const edge = Number(shapeText(problem));
    if (!Number.isInteger(edge)) continue;
    const kernel = shortKernel(variant.kernel);
    const key = `${kernel} ${edge}`;
    if (figures.rate > (best.get(key)?.rate ?? 0)) {
      best.set(key, { kernel, edge, rate: figures.rate, address, href: resultHref(run) });
    }
  }
  return [...best.values()].sort((a, b) => a.edge - b.edge);
}
