'use client';

import type { MeasuredRun, Published } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { group, least } from 'd3-array';
import { useCallback, useMemo } from 'react';
import { OVER_NAIVE } from '@/features/results/columns';
import { SelectField } from '@/ui/field';
import { formatNs, formatRate, formatShape, formatSpeedup } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { isWide, logAxis, seriesStyles } from '@/ui/plot/scales';
import { useQuery } from '@/ui/use-query';
import { axesOf, curvePoints, linesOf, NAMES, type Point, timedOf } from './curve-points';

const SHOWN = {
  rate: { title: 'Rate', format: formatRate },
  time: { title: 'Time', format: formatNs },
  speedup: { title: `Speed-up ${OVER_NAIVE.toLowerCase()}`, format: formatSpeedup },
} as const;

const MARGINS = { marginLeft: 72, marginRight: 16, marginTop: 30, marginBottom: 44 };

/** Ticks of times need no four digits. */
const shortNs = (ns: number): string => formatNs(ns).replace(/\.0+(?=\D)/, '');

interface Props {
  runs: readonly MeasuredRun[];
  /** The chosen problem. */
  of: MeasuredRun['problem'];
  report: Published | null;
}

/**
 * Times, rates or speed-ups over block side or size, from runs of one op, dtype, profile, policy and
 * device, with the published curve dashed in the same axes. Nothing where runs differ in neither.
 */
export function Curves({ runs, of, report }: Props) {
  const [query, setQuery] = useQuery();
  const all = useMemo(() => timedOf(runs, report), [runs, report]);
  const chosen = <T extends string>(name: string, known: readonly T[], usual: T): T =>
    known.find((each) => each === query.get(name)) ?? known[0] ?? usual;
  const hasNaive = all.some(({ isNaive, isPublished }) => isNaive && !isPublished);
  const measures = hasNaive ? (['rate', 'time', 'speedup'] as const) : (['rate', 'time'] as const);
  const shown = chosen('show', measures, 'rate');
  const axes = axesOf(all);
  const axis = chosen('axis', axes, 'size');
  const lines = linesOf(all, axis);
  const line = chosen('line', lines, 'kernel');
  const shape = shapeText(of);
  const points = useMemo(
    () => curvePoints(all, { axis, line, shown }, shape),
    [all, axis, line, shown, shape],
  );
  const hues = useMemo(() => seriesStyles(points.map(({ hue }) => hue)), [points]);
  const marks = useMemo(() => seriesStyles(points.map(({ mark }) => mark)), [points]);
  const { format, title } = SHOWN[shown];
  const better = `${shown === 'time' ? 'lower' : 'higher'} is better`;
  const measure = shown === 'rate' ? opOf(of).rateUnit(of) : title.toLowerCase();

  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const values = points.map(({ y }) => y);
      const time = shown === 'time' ? shortNs : undefined;
      const log = isWide(values) ? logAxis(values, time) : null;
      const stroke = ({ hue }: Point) => hues.color(hue);
      return {
        ...MARGINS,
        x: {
          type: 'log',
          base: 2,
          label: `${axis === 'size' ? 'side of the square problem' : NAMES[axis]} (log) →`,
          tickFormat: 'd',
          ticks: [...new Set(points.map(({ x }) => x))],
        },
        y: {
          label: `↑ ${measure}, ${better}${log ? ' (log)' : ''}`,
          ...(log
            ? log.scale
            : { zero: true, ticks: 5, grid: true, ...(time && { tickFormat: time }) }),
        },
        marks: [
          ...(log ? [Plot.gridY(log.ticks), Plot.axisY(log.ticks, { text: log.format })] : []),
          ...[false, true].map((isDashed) =>
            Plot.line(
              points.filter(({ isPublished }) => isPublished === isDashed),
              {
                ...{ x: 'x', y: 'y', z: 'line', stroke, strokeWidth: 2 },
                ...(isDashed && { strokeDasharray: '6 4' }),
              },
            ),
          ),
          Plot.dot(points, {
            ...{ x: 'x', y: 'y', stroke, r: 3.5, tip: true },
            symbol: ({ mark }: Point) => marks.symbol(mark),
            title: ({ address, isPublished, line, shape, x, y }: Point) =>
              `${isPublished ? 'published, ' : ''}${line}, ${NAMES[axis]} ${x}: ${format(y)} (${address} on ${formatShape(shape)})`,
          }),
        ],
      };
    },
    [points, hues, marks, axis, shown, measure, better, format],
  );
  if (axes.length === 0) return null;

  const published = points.find(({ isPublished }) => isPublished);
  const source =
    report && published && `${report.source.title}, ${report.hardware.gpu ?? 'GPU not named'}`;
  const isOneShape = axis === 'block' && line !== 'size';
  const at = (shape: string) => (isOneShape ? ` at ${formatShape(shape)}` : '');
  const series = [...group(points, (point) => point.line)].flatMap(([text, both]) => {
    const isDashed = both.every(({ isPublished }) => isPublished);
    const own = both.filter(({ isPublished }) => isPublished === isDashed);
    const best = least(own, ({ ns, y }) => (shown === 'time' ? ns : -y));
    if (!best) return [];
    const told = `${text} is best at ${NAMES[axis]} ${best.x} with ${format(best.y)}`;
    return [{ text, color: hues.color(best.hue), symbol: marks.symbol(best.mark), isDashed, told }];
  });
  const choices = [
    ['show', 'Show', shown, measures.map((each) => [each, SHOWN[each].title] as const)],
    ['axis', 'Over', axis, axes.map((each) => [each, NAMES[each]] as const)],
    ['line', 'A line per', line, lines.map((each) => [each, NAMES[each]] as const)],
  ] as const;
  return (
    <div className="col-span-full">
      <div className="flex flex-wrap gap-3 px-4 pt-3">
        {choices.map(([id, label, value, options]) => (
          <SelectField
            key={id}
            {...{ id, label, value, options }}
            onChange={({ target }) => setQuery({ [id]: target.value })}
          />
        ))}
      </div>
      <Figure
        draw={draw}
        height={340}
        caption={`${title} by ${NAMES[axis]}${at(shape)}, ${better}; each point is the fastest variant of its line${published ? `; dashed is the report${at(published.shape)}` : ''}.`}
        fileName={`${shown}-by-${axis}`}
        legend={
          source ? [...series, { text: source, color: 'var(--muted)', isDashed: true }] : series
        }
        summary={`${title} by ${NAMES[axis]}: ${series.map(({ told }) => told).join('; ')}.`}
      />
    </div>
  );
}
