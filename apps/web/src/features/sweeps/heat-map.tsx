'use client';

import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot';
import type { CurvePoint, Curves } from './curves';

const ROW_HEIGHT = 40;
/** The share of the best rate from which a cell is dark enough for light text. */
const DARK_FROM = 0.55;

/** Rates by variant and threads per workgroup: which tile goes with which layout. One shape only. */
export function HeatMap({ curves: { isByShape, points } }: { curves: Curves }) {
  const lines = useMemo(() => [...new Set(points.map(({ line }) => line))], [points]);
  const best = points.reduce((most, { row }) => Math.max(most, row.rate ?? 0), 0);
  const unit = points[0]?.row.unit ?? '';
  const draw = useCallback<DrawPlot>(
    (Plot) => ({
      marginLeft: 4,
      marginRight: 4,
      marginTop: 4,
      marginBottom: 36,
      x: {
        type: 'band',
        domain: [...new Set(points.map(({ threads }) => threads))].sort((a, b) => a - b),
        label: 'threads per workgroup',
        tickSize: 0,
        padding: 0.04,
      },
      y: { type: 'band', domain: lines, axis: null, padding: 0 },
      marks: [
        Plot.cell(points, {
          x: 'threads',
          y: 'line',
          insetTop: 15,
          insetBottom: 2,
          fill: 'var(--accent)',
          fillOpacity: ({ row }: CurvePoint) => 0.06 + (0.94 * (row.rate ?? 0)) / best,
          stroke: 'var(--line)',
          title: ({ line, row, threads }: CurvePoint) =>
            `${line}, ${threads} threads: ${formatRate(row.rate ?? 0)} ${unit}`,
        }),
        Plot.text(points, {
          x: 'threads',
          y: 'line',
          dy: 7,
          text: ({ row }: CurvePoint) => formatRate(row.rate ?? 0),
          fill: ({ row }: CurvePoint) =>
            (row.rate ?? 0) / best > DARK_FROM ? 'var(--on-accent)' : 'var(--ink)',
        }),
        // Labels stand above their cells, where the whole width is theirs.
        Plot.text(lines, {
          y: (line: string) => line,
          frameAnchor: 'left',
          text: (line: string) => line,
          textAnchor: 'start',
          dx: 2,
          dy: -13,
          fill: 'var(--ink)',
        }),
      ],
    }),
    [points, lines, best, unit],
  );

  if (isByShape || lines.length < 2) return null;
  const fastest = points.reduce((a, b) => ((b.row.rate ?? 0) > (a.row.rate ?? 0) ? b : a));
  return (
    <Figure
      draw={draw}
      height={lines.length * ROW_HEIGHT + 40}
      fileName="rate-by-tile-and-layout"
      caption={`${unit} by variant and threads per workgroup, higher (darker) is better.`}
      summary={`Rate by variant and threads per workgroup: the best is ${fastest.line} with ${fastest.threads} threads, ${formatRate(fastest.row.rate ?? 0)} ${unit}. The table below has every figure.`}
    />
  );
}
