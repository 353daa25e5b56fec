'use client';

import { useCallback, useMemo } from 'react';
import { formatSpeedup } from '@/ui/format';
import { COLORS, colorOf } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import { type Curves, type SpeedupPoint, speedupCurves } from './curves';
import { threadsAxis } from './time-curves';

/** What each kernel gains over naive with as many threads: where workgroup memory pays. */
export function SpeedupCurves({ curves }: { curves: Curves }) {
  const points = useMemo(() => speedupCurves(curves), [curves]);
  const lines = useMemo(() => [...new Set(points.map(({ line }) => line))], [points]);
  const draw = useCallback<DrawPlot>(
    (Plot) => ({
      ...threadsAxis(points),
      marginLeft: 44,
      y: {
        type: 'log',
        label: '↑ speed-up over naive, higher is better',
        grid: true,
        ticks: 5,
        tickFormat: (value: number) => `${Number(value.toPrecision(2))}×`,
      },
      color: { domain: lines, range: COLORS },
      marks: [
        Plot.ruleY([1], { stroke: 'var(--line-strong)', strokeDasharray: '4 3' }),
        Plot.areaY(points, {
          x: 'threads',
          y1: 'low',
          y2: 'high',
          z: 'line',
          fill: 'line',
          fillOpacity: 0.2,
        }),
        Plot.line(points, { x: 'threads', y: 'speedup', stroke: 'line', strokeWidth: 1.5 }),
        Plot.dot(points, {
          x: 'threads',
          y: 'speedup',
          fill: 'line',
          r: 2.5,
          title: ({ line, speedup, threads }: SpeedupPoint) =>
            `${line}, ${threads} threads: ${formatSpeedup(speedup)}`,
        }),
      ],
    }),
    [points, lines],
  );

  if (points.length < 2) return null;
  const best = points.reduce((a, b) => (b.speedup > a.speedup ? b : a));
  const worst = points.reduce((a, b) => (b.speedup < a.speedup ? b : a));
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="speedup-by-threads"
      legend={lines.map((text, index) => ({ text, color: colorOf(index) }))}
      caption="Speed-up over naive with as many threads on the same shape, higher is better; below the dashed line naive is faster. Bands follow both 95 % intervals."
      summary={`Speed-up over naive by threads per workgroup: at most ${formatSpeedup(best.speedup)} (${best.line}, ${best.threads} threads), at least ${formatSpeedup(worst.speedup)} (${worst.line}, ${worst.threads} threads).`}
    />
  );
}
