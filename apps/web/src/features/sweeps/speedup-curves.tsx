'use client';

import { useCallback, useMemo } from 'react';
import { formatSpeedup } from '@/ui/format';
import { logAxis } from '@/ui/log-axis';
import type { SeriesStyles } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import { type Curves, type SpeedupPoint, speedupCurves } from './curves';
import { shortKernel } from './row';
import { marksText, threadsAxis } from './time-curves';

/** What each kernel gains over naive with as many threads: where workgroup memory pays. */
export function SpeedupCurves({ curves, styles }: { curves: Curves; styles: SeriesStyles }) {
  const points = useMemo(() => speedupCurves(curves), [curves]);
  const colors = useMemo(() => [...new Set(points.map(({ color }) => color))], [points]);
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const y = logAxis(
        [1, ...points.flatMap(({ high, low }) => [low, high])],
        (value) => `${value}×`,
      );
      return {
        ...threadsAxis(points),
        marginLeft: 44,
        y: { ...y.scale, label: '↑ speed-up over naive, higher is better' },
        color: { domain: colors, range: colors.map(styles.color) },
        symbol: {
          domain: kernels,
          range: kernels.map((kernel) => styles.symbol(shortKernel(kernel))),
        },
        marks: [
          Plot.gridY(y.ticks),
          Plot.axisY(y.ticks, { text: y.format }),
          Plot.ruleY([1], { stroke: 'var(--line-strong)', strokeDasharray: '4 3' }),
          Plot.areaY(points, {
            x: 'threads',
            y1: 'low',
            y2: 'high',
            z: 'line',
            fill: 'color',
            fillOpacity: 0.2,
          }),
          Plot.line(points, {
            x: 'threads',
            y: 'speedup',
            z: 'line',
            stroke: 'color',
            strokeWidth: 1.5,
          }),
          Plot.dot(points, {
            x: 'threads',
            y: 'speedup',
            fill: 'color',
            symbol: 'kernel',
            r: 2.5,
            title: ({ line, speedup, threads }: SpeedupPoint) =>
              `${line}, ${threads} threads: ${formatSpeedup(speedup)}`,
          }),
        ],
      };
    },
    [points, colors, kernels, styles],
  );

  if (points.length < 2) return null;
  const best = points.reduce((a, b) => (b.speedup > a.speedup ? b : a));
  const worst = points.reduce((a, b) => (b.speedup < a.speedup ? b : a));
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="speedup-by-threads"
      legend={colors.map((text) => ({ text, color: styles.color(text) }))}
      caption={`Speed-up over naive with as many threads on the same shape, higher is better; below the dashed line naive is faster. Bands follow both 95 % intervals.${marksText(kernels, styles)}`}
      summary={`Speed-up over naive by threads per workgroup: at most ${formatSpeedup(best.speedup)} (${best.line}, ${best.threads} threads), at least ${formatSpeedup(worst.speedup)} (${worst.line}, ${worst.threads} threads).`}
    />
  );
}
