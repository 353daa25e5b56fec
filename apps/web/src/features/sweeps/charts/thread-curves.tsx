'use client';

import type * as PlotModule from '@observablehq/plot';
import { group } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { formatNs, formatSpeedup, plural, unitFor } from '@/ui/format';
import type { LegendItem } from '@/ui/plot/file';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { type LogAxis, logAxis, type SeriesStyles } from '@/ui/plot/scales';
import { usesWorkgroupMemory } from '../../kernels/workgroup';
import { resultHref, shortKernel } from '../runs';
import { type CurvePoint, type Curves, isBestOf, omittedText, speedupCurves } from './curves';

/** What a report says of a variant on a problem. */
export interface PublishedTime {
  readonly address: string;
  readonly shape: string;
  readonly dtype: string;
  readonly ns: number;
}

/** A figure at a number of threads per workgroup, on its line. */
interface Mark {
  readonly line: string;
  readonly color: string;
  readonly kernel: string;
  readonly threads: number;
  readonly value: number;
  readonly href?: string | null;
}

/** With its interval. */
interface Point extends Mark {
  readonly low: number;
  readonly high: number;
}

/** Kernels without workgroup memory are dashed, so that both can be told apart in one plot. */
const DASHED = '5 4';
const isDashed = (kernel: string) => !usesWorkgroupMemory(kernel);

/** Lines at the same number of threads stand this far apart, so that their whiskers can be told apart, px. */
const APART = 4;
const APART_AT_MOST = 24;

/** Lines over threads per workgroup, a power of two, with their intervals as whiskers. */
function threadPlot(
  Plot: typeof PlotModule,
  points: readonly Point[],
  styles: SeriesStyles,
  {
    y,
    label,
    text,
    isDashed = () => false,
  }: {
    y: LogAxis;
    label: string;
    text: (value: number) => string;
    isDashed?: (kernel: string) => boolean;
  },
): PlotModule.PlotOptions & { marks: PlotModule.Markish[] } {
  const kernels = distinct(points, ({ kernel }) => kernel);
  const colors = distinct(points, ({ color }) => color);
  const lines = [...group(points, ({ line }) => line).values()];
  const step = Math.min(APART, APART_AT_MOST / lines.length);
  const aside = (index: number) => step * (index - (lines.length - 1) / 2);
  return {
    marginRight: 12,
    marginBottom: 36,
    x: {
      inset: APART_AT_MOST / 2,
      type: 'log',
      base: 2,
      label: 'threads per workgroup →',
      ticks: distinct(points, ({ threads }) => threads),
      tickFormat: 'd',
    },
    y: { ...y.scale, label },
    color: { domain: colors, range: colors.map(styles.color) },
    symbol: { domain: kernels, range: kernels.map((kernel) => styles.symbol(shortKernel(kernel))) },
    marks: [
      Plot.gridY(y.ticks),
      Plot.axisY(y.ticks, { text: y.format }),
      ...lines.flatMap((line, index) => [
        Plot.ruleX(line, {
          x: 'threads',
          y1: 'low',
          y2: 'high',
          dx: aside(index),
          stroke: 'color',
          strokeOpacity: 0.5,
          marker: 'tick',
        }),
        Plot.line(line, {
          x: 'threads',
          y: 'value',
          dx: aside(index),
          stroke: 'color',
          strokeWidth: 1.5,
          ...(line.some(({ kernel }) => isDashed(kernel)) && { strokeDasharray: DASHED }),
        }),
      ]),
      ...lines.map((line, index) =>
        Plot.dot(line, {
          x: 'threads',
          y: 'value',
          dx: aside(index),
          fill: 'color',
          symbol: 'kernel',
          r: 2.5,
          title: ({ line, threads, value }: Point) =>
            `${line}, ${plural(threads, 'thread')}: ${text(value)}`,
          href: 'href',
        }),
      ),
    ],
  };
}

/** Time by threads per workgroup, what reports say as hollow marks. */
export function TimeCurves({
  curves,
  styles,
  published,
  intervals,
}: {
  curves: Curves;
  styles: SeriesStyles;
  published: readonly PublishedTime[];
  /** What the ends beside medians are. */
  intervals: string;
}) {
  const { isByShape, kernels, points } = curves;
  const hollow = useMemo(() => hollowMarks(points, published), [points, published]);
  const draw = useCallback<DrawPlot>(
    (Plot, _, shows) => {
      const times = [
        ...points.flatMap(({ run: { figures } }) => [figures.lowNs, figures.highNs]),
        ...hollow.map(({ value }) => value),
      ];
      const { scale, unit } = unitFor(Math.sqrt(Math.min(...times) * Math.max(...times)));
      const shown = <T extends Pick<Mark, 'color'>>(of: readonly T[]) =>
        of.filter(({ color }) => shows(color));
      const scaled = shown(points).map(({ run, ...point }) => ({
        ...point,
        value: run.figures.medianNs / scale,
        low: run.figures.lowNs / scale,
        high: run.figures.highNs / scale,
        href: resultHref(run),
      }));
      const plot = threadPlot(Plot, scaled, styles, {
        y: logAxis(times.map((ns) => ns / scale)),
        label: `↑ time (${unit}), lower is faster`,
        text: (value) => formatNs(value * scale),
        isDashed,
      });
      const hollowDots = Plot.dot(shown(hollow), {
        x: 'threads',
        y: ({ value }: Mark) => value / scale,
        symbol: 'kernel',
        r: 3.5,
        stroke: 'color',
        fill: 'var(--surface)',
        title: ({ line, threads, value }: Mark) =>
          `published, ${line}, ${plural(threads, 'thread')}: ${formatNs(value)}`,
      });
      return { ...plot, marginLeft: 60, marks: [...plot.marks, hollowDots] };
    },
    [points, hollow, styles],
  );

  if (points.length === 0) return null;
  const dashed = kernels.filter(isDashed);
  const fastest = [...group(points, ({ line }) => line)].map(([line, of]) => {
    const best = of.reduce((a, b) => (b.run.figures.medianNs < a.run.figures.medianNs ? b : a));
    return `${line}: fastest with ${best.threads} threads, ${formatNs(best.run.figures.medianNs)}`;
  });
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="time-by-threads"
      legend={[...legendOf(points, styles, isDashed), ...publishedKeys(hollow, styles)]}
      caption={
        <>
          Time by threads per workgroup, lower is faster; whiskers are {intervals}
          {isByShape
            ? '; lines are shapes, by the fastest variant of each kernel'
            : isBestOf(points) &&
              '; a mark is the fastest variant of its line with as many threads'}
          {dashed.length > 0 &&
            dashed.length < kernels.length &&
            '. Dashed lines are kernels without workgroup memory'}
          {omittedText(curves, 'lines would be single points')}.
        </>
      }
      summary={`Time by threads per workgroup. ${fastest.join('; ')}.${hollow.length > 0 ? ` ${hollow.length} published times beside them.` : ''}`}
    />
  );
}

/** What each kernel gains over naive with as many threads: where workgroup memory pays. */
export function SpeedupCurves({
  curves,
  styles,
  intervals,
}: {
  curves: Curves;
  styles: SeriesStyles;
  /** What the ends beside medians are. */
  intervals: string;
}) {
  const points = useMemo(() => speedupCurves(curves), [curves]);
  const draw = useCallback<DrawPlot>(
    (Plot, _, shows) => {
      const ratios = [1, ...points.flatMap(({ high, low }) => [low, high])];
      const shown = points.filter(({ color }) => shows(color));
      const plot = threadPlot(Plot, shown, styles, {
        y: logAxis(ratios, (value) => `${value}×`),
        label: '↑ speed-up over naive, higher is better',
        text: formatSpeedup,
      });
      const naive = Plot.ruleY([1], { stroke: 'var(--line-strong)', strokeDasharray: '4 3' });
      return { ...plot, marginLeft: 44, marks: [naive, ...plot.marks] };
    },
    [points, styles],
  );

  if (points.length < 2) return null;
  const best = points.reduce((a, b) => (b.value > a.value ? b : a));
  const worst = points.reduce((a, b) => (b.value < a.value ? b : a));
  const at = ({ line, threads, value }: Point) =>
    `${formatSpeedup(value)} (${line}, ${threads} threads)`;
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="speedup-by-threads"
      legend={legendOf(points, styles)}
      caption={`Speed-up over naive with as many threads on the same shape, higher is better; below the dashed line naive is faster. Whiskers combine the spreads of both times: ${intervals}.`}
      summary={`Speed-up over naive by threads per workgroup: at most ${at(best)}, at least ${at(worst)}.`}
    />
  );
}

const distinct = <T, V>(items: readonly T[], of: (item: T) => V): V[] => [
  ...new Set(items.map(of)),
];

/**
 * A mark stands beside its colour where all points of the colour have it; otherwise below all
 * colours, with its kernel.
 */
function legendOf(
  points: readonly Pick<Mark, 'color' | 'kernel'>[],
  styles: SeriesStyles,
  isDashed: (kernel: string) => boolean = () => false,
): LegendItem[] {
  const colors = [...group(points, ({ color }) => color)].map(([text, of]) => ({
    text,
    kernels: distinct(of, ({ kernel }) => kernel),
  }));
  const markOf = (kernel: string) => ({
    symbol: styles.symbol(shortKernel(kernel)),
    isDashed: isDashed(kernel),
    isFilled: true,
  });
  const isShared = colors.some(({ kernels }) => kernels.length > 1);
  return [
    ...colors.map(({ kernels: [kernel, other], text }) => ({
      text,
      color: styles.color(text),
      ...(kernel !== undefined && other === undefined && !isShared && markOf(kernel)),
    })),
    ...(isShared
      ? distinct(points, ({ kernel }) => kernel).map((kernel) => ({
          ...{
            text: `marks of ${shortKernel(kernel)}`,
            color: 'var(--muted)',
            isKey: true,
            ...markOf(kernel),
          },
        }))
      : []),
  ];
}

/** Marks of figures that others have published, named apart where kernels have different ones. */
export function publishedKeys(
  marks: readonly Pick<Mark, 'kernel'>[],
  styles: Pick<SeriesStyles, 'symbol'>,
): LegendItem[] {
  const kernels = distinct(marks, ({ kernel }) => shortKernel(kernel));
  return kernels.map((kernel) => ({
    text: `published${kernels.length > 1 ? ` ${kernel}` : ''}, on other hardware`,
    color: 'var(--muted)',
    isKey: true,
    isLoose: true,
    symbol: styles.symbol(kernel),
  }));
}

const hollowMarks = (points: readonly CurvePoint[], published: readonly PublishedTime[]): Mark[] =>
  points.flatMap(({ color, kernel, line, run, shape: of, threads }) =>
    published
      .filter(
        ({ address, dtype, shape }) =>
          address === run.address && dtype === run.problem.dtype && shape === of,
      )
      .map(({ ns }) => ({ color, kernel, line, threads, value: ns })),
  );
