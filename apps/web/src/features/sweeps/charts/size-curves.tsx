'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import type { SeriesStyles } from '@/ui/plot/scales';
import { resultHref, shortKernel } from '../runs';

interface Point {
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
  styles,
}: {
  runs: readonly MeasuredRun[];
  styles: SeriesStyles;
}) {
  const points = useMemo(() => pointsOf(runs), [runs]);
  const [first] = runs;
  const unit = first ? opOf(first.problem).rateUnit(first.problem) : '';
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);

  const legend = useMemo(
    () =>
      kernels.map((text) => ({
        text,
        color: styles.color(text),
        symbol: styles.symbol(text),
      })),
    [kernels, styles],
  );

  const draw = useCallback<DrawPlot>(
    (Plot, _, shows) => {
      const shown = points.filter(({ kernel }) => shows(kernel));
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
        color: { domain: kernels, range: kernels.map(styles.color) },
        symbol: { domain: kernels, range: kernels.map(styles.symbol) },
        marks: [
          Plot.lineY(shown, {
            ...{ x: 'edge', y: 'rate', z: 'kernel', stroke: 'kernel', strokeWidth: 1.5 },
          }),
          Plot.dot(shown, {
            ...{ x: 'edge', y: 'rate', stroke: 'kernel', symbol: 'kernel', r: 3 },
            title: ({ address, edge, rate }: Point) =>
              `${address} at ${edge}: ${formatRate(rate)} ${unit}`,
            href: 'href',
          }),
        ],
      };
    },
    [points, kernels, styles, unit],
  );

  if (new Set(points.map(({ edge }) => edge)).size < 2) return null;
  return (
    <div className="border-t border-line">
      <Figure
        draw={draw}
        height={260}
        caption={`Rate by size in ${unit}, higher is better; the best variant of each kernel.`}
        fileName="rate-by-size"
        zooms
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
