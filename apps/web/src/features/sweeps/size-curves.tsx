'use client';

import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { COLORS, SYMBOLS } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import type { Row } from './row';

interface Point {
  readonly kernel: string;
  readonly edge: number;
  readonly rate: number;
}

/**
 * How the best variant of each kernel fares as square problems grow, from rows of one
 * op, device, dtype and profile. Nothing where there are not two sizes.
 */
export function SizeCurves({ rows }: { rows: readonly Row[] }) {
  const points = useMemo(() => pointsOf(rows), [rows]);
  const unit = rows[0]?.unit ?? '';
  const kernels = useMemo(() => [...new Set(points.map(({ kernel }) => kernel))], [points]);

  const legend = useMemo(
    () =>
      kernels.map((kernel, index) => ({
        text: kernel,
        color: COLORS[index % COLORS.length] ?? 'var(--muted)',
      })),
    [kernels],
  );

  const draw = useCallback<DrawPlot>(
    (Plot) => ({
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
      color: { domain: kernels, range: COLORS },
      symbol: { domain: kernels, range: SYMBOLS },
      marks: [
        Plot.lineY(points, { x: 'edge', y: 'rate', stroke: 'kernel', strokeWidth: 1.5 }),
        Plot.dot(points, { x: 'edge', y: 'rate', stroke: 'kernel', symbol: 'kernel', r: 3 }),
      ],
    }),
    [points, kernels, unit],
  );

  if (new Set(points.map(({ edge }) => edge)).size < 2) return null;
  return (
    <div className="border-t border-line">
      <Figure
        draw={draw}
        height={260}
        caption={`Rate by size in ${unit}, higher is better; the best variant of each kernel.`}
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

/** The fastest rate of each kernel at each square size. */
function pointsOf(rows: readonly Row[]): Point[] {
  const best = new Map<string, Point>();
  for (const row of rows) {
    const edge = Number(row.shape);
    if (row.rate === null || !Number.isInteger(edge)) continue;
    const key = `${row.kernel} ${edge}`;
    if (row.rate > (best.get(key)?.rate ?? 0)) {
      best.set(key, { kernel: row.kernel, edge, rate: row.rate });
    }
  }
  return [...best.values()].sort((a, b) => a.edge - b.edge);
}
