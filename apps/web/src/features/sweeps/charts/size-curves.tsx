'use client';

import type { MeasuredRun } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { seriesStyles } from '@/ui/plot/scales';
import { shortKernel } from '../runs';

interface Point {
  /** What is equal along a line. */
  readonly kernel: string;
  readonly edge: number;
  readonly rate: number;
  readonly address: string;
}

/**
 * How the best variant of each kernel fares as square problems grow, from runs of one op, device, dtype
 * and profile. Nothing where there are not two sizes.
 */
export function SizeCurves({ runs }: { runs: readonly MeasuredRun[] }) {
  const points = useMemo(() => curvePoints(runs), [runs]);
  const [first] = runs;
  const unit = first ? opOf(first.problem).rateUnit(first.problem) : '';
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);
  const styles = useMemo(() => seriesStyles(kernels), [kernels]);

  const legend = kernels.map((text) => ({
    text,
    color: styles.color(text),
    symbol: styles.symbol(text),
  }));

  const draw = useCallback<DrawPlot>(
    (Plot) => {
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
          Plot.lineY(points, {
            x: 'edge',
            y: 'rate',
            z: 'kernel',
            stroke: 'kernel',
            strokeWidth: 1.5,
          }),
          Plot.dot(points, {
            x: 'edge',
            y: 'rate',
            stroke: 'kernel',
            symbol: 'kernel',
            r: 3,
            tip: true,
            title: ({ address, edge, rate }: Point) =>
              `${address} at ${edge}: ${formatRate(rate)} ${unit}`,
          }),
        ],
      };
    },
    [points, kernels, styles, unit],
  );

  if (new Set(points.map(({ edge }) => edge)).size < 2) return null;
  const peaks = kernels.map((kernel) => {
    const peak = fastest(points.filter((point) => point.kernel === kernel));
    return `${kernel} peaks at ${formatRate(peak.rate)} ${unit} for size ${peak.edge}`;
  });
  return (
    <div>
      <Figure
        draw={draw}
        height={280}
        caption={`Rate by size in ${unit}, higher is better; the median of each kernel’s best variant.`}
        fileName="rate-by-size"
        legend={legend}
        summary={`Rate by size: ${peaks.join('; ')}.`}
      />
    </div>
  );
}

const fastest = (points: readonly Point[]): Point =>
  points.reduce((a, b) => (b.rate > a.rate ? b : a));

/** The fastest rate of each kernel at each square size. */
export function curvePoints(runs: readonly MeasuredRun[]): Point[] {
  const points = runs.flatMap(({ address, figures, problem, variant }): Point[] => {
    const edge = Number(shapeText(problem));
    if (!Number.isInteger(edge)) return [];
    return [{ kernel: shortKernel(variant.kernel), edge, rate: figures.rate, address }];
  });
  const alike = group(points, ({ edge, kernel }) => `${kernel} ${edge}`);
  return [...alike.values()].map(fastest).toSorted((a, b) => a.edge - b.edge);
}
