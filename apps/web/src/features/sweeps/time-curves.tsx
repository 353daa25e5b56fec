'use client';

import type * as PlotModule from '@observablehq/plot';
import { useCallback, useMemo } from 'react';
import { formatNs } from '@/ui/format';
import { logAxis } from '@/ui/log-axis';
import type { SeriesStyles } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import { usesWorkgroupMemory } from '../kernels/workgroup';
import { unitFor } from '../results/samples';
import type { CurvePoint, Curves } from './curves';
import { shortKernel } from './row';

/** What a report says of a variant on a problem. */
export interface PublishedTime {
  readonly address: string;
  readonly shape: string;
  readonly dtype: string;
  readonly ns: number;
}

/** Kernels without workgroup memory are dashed, so that both can be told apart in one plot. */
const DASHED = '5 4';

/** Time by threads per workgroup, intervals as bands, what reports say as hollow marks. */
export function TimeCurves({
  curves: { isByShape, kernels, points },
  styles,
  published,
}: {
  curves: Curves;
  styles: SeriesStyles;
  published: readonly PublishedTime[];
}) {
  const colors = useMemo(() => [...new Set(points.map(({ color }) => color))], [points]);
  const hollow = useMemo(() => hollowMarks(points, published), [points, published]);
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const times = [
        ...points.flatMap(({ row }) => [row.lowNs, row.highNs]),
        ...hollow.map(({ ns }) => ns),
      ];
      const { scale, unit } = unitFor(Math.sqrt(Math.min(...times) * Math.max(...times)));
      const y = logAxis(times.map((ns) => ns / scale));
      return {
        ...threadsAxis(points),
        marginLeft: 60,
        y: { ...y.scale, label: `↑ time (${unit}), lower is faster` },
        color: { domain: colors, range: colors.map(styles.color) },
        symbol: {
          domain: kernels,
          range: kernels.map((kernel) => styles.symbol(shortKernel(kernel))),
        },
        marks: [
          Plot.gridY(y.ticks),
          Plot.axisY(y.ticks, { text: y.format }),
          Plot.areaY(points, {
            x: 'threads',
            y1: ({ row }: CurvePoint) => row.lowNs / scale,
            y2: ({ row }: CurvePoint) => row.highNs / scale,
            z: 'line',
            fill: 'color',
            fillOpacity: 0.2,
          }),
          ...kernels.map((kernel) =>
            Plot.line(
              points.filter((point) => point.kernel === kernel),
              {
                x: 'threads',
                y: ({ row }: CurvePoint) => row.medianNs / scale,
                z: 'line',
                stroke: 'color',
                strokeWidth: 1.5,
                ...(usesWorkgroupMemory(kernel) ? {} : { strokeDasharray: DASHED }),
              },
            ),
          ),
          Plot.dot(points, {
            x: 'threads',
            y: ({ row }: CurvePoint) => row.medianNs / scale,
            fill: 'color',
            symbol: 'kernel',
            r: 2.5,
            title: ({ line, row, threads }: CurvePoint) =>
              `${line}, ${threads} threads: ${formatNs(row.medianNs)}`,
          }),
          Plot.dot(hollow, {
            x: 'threads',
            y: ({ ns }: HollowMark) => ns / scale,
            stroke: 'color',
            fill: 'var(--surface)',
            r: 3.5,
            symbol: 'kernel',
            title: ({ line, ns, threads }: HollowMark) =>
              `published, ${line}, ${threads} threads: ${formatNs(ns)}`,
          }),
        ],
      };
    },
    [points, hollow, kernels, colors, styles],
  );

  if (points.length === 0) return null;
  const dashed = kernels.filter((kernel) => !usesWorkgroupMemory(kernel));
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="time-by-threads"
      legend={colors.map((text) => ({ text, color: styles.color(text) }))}
      caption={
        <>
          Time by threads per workgroup, lower is faster; bands are 95 % intervals
          {isByShape && ', lines are shapes, by the fastest variant of each kernel'}
          {dashed.length > 0 &&
            dashed.length < kernels.length &&
            `. Dashed: without workgroup memory (${dashed.join(', ')})`}
          {hollow.length > 0 && '. Hollow: published, on other hardware'}.
          {isByShape && marksText(kernels, styles)}
        </>
      }
      summary={`Time by threads per workgroup. ${linesOf(points)
        .map(([line, of]) => {
          const best = of.reduce((a, b) => (b.row.medianNs < a.row.medianNs ? b : a));
          return `${line}: fastest with ${best.threads} threads, ${formatNs(best.row.medianNs)}`;
        })
        .join('; ')}.${hollow.length > 0 ? ` ${hollow.length} published times beside them.` : ''}`}
    />
  );
}

/** The x axis that curves over threads share: powers of two, as many as were measured. */
export function threadsAxis(
  points: readonly { readonly threads: number }[],
): PlotModule.PlotOptions {
  return {
    marginRight: 12,
    marginBottom: 36,
    x: {
      type: 'log',
      base: 2,
      label: 'threads per workgroup →',
      ticks: [...new Set(points.map(({ threads }) => threads))],
      tickFormat: 'd',
    },
  };
}

/** Which mark stands for which kernel, where lines of several share a colour. */
export const marksText = (kernels: readonly string[], { symbol }: SeriesStyles): string =>
  kernels.length > 1
    ? ` Marks: ${kernels.map((kernel) => `${symbol(shortKernel(kernel))} ${shortKernel(kernel)}`).join(', ')}.`
    : '';

interface HollowMark {
  readonly line: string;
  readonly color: string;
  readonly kernel: string;
  readonly threads: number;
  readonly ns: number;
}

const hollowMarks = (
  points: readonly CurvePoint[],
  published: readonly PublishedTime[],
): HollowMark[] =>
  points.flatMap(({ color, kernel, line, row, threads }) =>
    published
      .filter(
        ({ address, dtype, shape }) =>
          address === row.address && dtype === row.dtype && shape === row.shape,
      )
      .map(({ ns }) => ({ color, kernel, line, threads, ns })),
  );

/** Points by line, in the order of their first point. */
function linesOf(points: readonly CurvePoint[]): readonly (readonly [string, CurvePoint[]])[] {
  const lines = new Map<string, CurvePoint[]>();
  for (const point of points) lines.set(point.line, [...(lines.get(point.line) ?? []), point]);
  return [...lines];
}
