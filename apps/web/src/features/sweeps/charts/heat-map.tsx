'use client';

import type * as PlotModule from '@observablehq/plot';
import type { MeasuredRun } from '@tilemark/core';
import { opOf, rateOf, shortAddress } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate, plural, rateText } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { resultHref } from '../runs';
import { strengthOf, textOn } from './cell-colors';
import { type Curves, isBestOf, omittedText } from './curves';

const ROW_HEIGHT = 40;

/** Cells with their rates, coloured by their part of the best; each leads to its result. */
export function rateCells<Cell extends { readonly run: MeasuredRun }>(
  Plot: typeof PlotModule,
  cells: readonly Cell[],
  {
    nameOf,
    markOf = () => '',
    dy = 0,
    ...place
  }: Pick<PlotModule.CellOptions, 'insetTop' | 'insetBottom'> & {
    x: keyof Cell & string;
    y: keyof Cell & string;
    nameOf: (cell: Cell) => string;
    /** Behind the rate. */
    markOf?: (cell: Cell) => string;
    dy?: number;
  },
): PlotModule.Markish[] {
  const best = Math.max(...cells.map(({ run }) => run.figures.rate));
  return [
    Plot.cell(cells, {
      ...place,
      fill: 'var(--accent)',
      fillOpacity: ({ run }: Cell) => strengthOf(run.figures.rate / best),
      stroke: 'var(--line)',
      title: (cell: Cell) => {
        const { figures, problem } = cell.run;
        return `${nameOf(cell)}: ${rateText(rateOf(problem, figures.medianNs))}`;
      },
      href: ({ run }: Cell) => resultHref(run),
    }),
    Plot.text(cells, {
      x: place.x,
      y: place.y,
      dy,
      pointerEvents: 'none',
      text: (cell: Cell) => `${formatRate(cell.run.figures.rate)}${markOf(cell)}`,
      fill: ({ run }: Cell) => textOn(strengthOf(run.figures.rate / best)),
    }),
  ];
}

/** Rates by variant and threads per workgroup: which tile goes with which layout. One shape only. */
export function HeatMap({ curves }: { curves: Curves }) {
  const { isByShape, points } = curves;
  const lines = useMemo(() => [...new Set(points.map(({ line }) => line))], [points]);
  const [first] = points;
  const unit = first ? opOf(first.run.problem).rateUnit(first.run.problem) : '';
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
        tickFormat: String,
        tickSize: 0,
        padding: 0.04,
      },
      y: { type: 'band', domain: lines, axis: null, padding: 0 },
      marks: [
        ...rateCells(Plot, points, {
          x: 'threads',
          y: 'line',
          insetTop: 15,
          insetBottom: 2,
          dy: 7,
          nameOf: ({ run, threads, variants }) =>
            `${shortAddress(run.address)}, ${plural(threads, 'thread')}${variants > 1 ? `, the best of ${variants}` : ''}`,
          markOf: ({ variants }) => (variants > 1 ? '*' : ''),
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
    [points, lines],
  );

  if (isByShape || lines.length < 2) return null;
  const fastest = points.reduce((a, b) => (b.run.figures.rate > a.run.figures.rate ? b : a));
  return (
    <Figure
      draw={draw}
      height={lines.length * ROW_HEIGHT + 40}
      fileName="rate-by-tile-and-layout"
      caption={`${unit} by variant and threads per workgroup, higher (stronger colour) is better${isBestOf(points) ? '; * is the best of several variants with as many threads' : ''}${omittedText(curves, 'rows would be single cells')}.`}
      summary={`Rate by variant and threads per workgroup: the best is ${fastest.line} with ${fastest.threads} threads, ${formatRate(fastest.run.figures.rate)} ${unit}. The table below has every figure.`}
    />
  );
}
