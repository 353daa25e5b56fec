'use client';

import { hasInterval, type Series } from '@tilemark/core';
import { useCallback } from 'react';
import { formatCount, formatNs, unitFor } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { isWide, logAxis } from '@/ui/plot/scales';

/** The samples of one run, or of one side of a comparison. */
interface Side {
  /** Empty where there is one. */
  readonly name: string;
  readonly series: Series;
}

/** Counts have no ticks between whole numbers. */
const wholeOnly = (value: number) => (Number.isInteger(value) ? formatCount(value) : '');

/** Every sample in the order taken, with the median and its interval; sides stand beside each other. */
export function Samples({ sides }: { sides: readonly Side[] }) {
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const { scale, unit } = unitFor(Math.max(...sides.map(({ series }) => series.medianNs)));
      const samples = sides.flatMap(({ name, series }) =>
        series.samplesNs.map((ns, at) => ({ name, index: at + 1, time: ns / scale })),
      );
      const times = samples.map(({ time }) => time);
      const log = isWide(times) ? logAxis(times) : null;
      const facet = sides.length > 1 ? { fx: 'name' } : {};
      const label = `time (${unit}), lower is better`;
      return {
        marginLeft: 56,
        marginRight: 8,
        ...(sides.length > 1 && { marginTop: 28, fx: { label: null } }),
        x: { label: 'sample', tickFormat: wholeOnly, nice: false },
        y: log
          ? { ...log.scale, label: null }
          : { label, grid: true, nice: true, zero: false, ticks: 5 },
        marks: [
          ...(log
            ? [
                Plot.gridY(log.ticks),
                Plot.axisY(log.ticks, { text: log.format, label: `↑ ${label}` }),
              ]
            : []),
          Plot.dot(samples, {
            ...facet,
            x: 'index',
            y: 'time',
            r: 2,
            fill: 'var(--ink)',
            fillOpacity: 0.7,
            tip: true,
            title: ({ index, name, time }: (typeof samples)[number]) =>
              `${name && `${name}, `}sample ${index}: ${formatNs(time * scale)}`,
          }),
          // Above the samples, which would hide them, yet below the pointer.
          Plot.rectY(sides, {
            ...facet,
            y1: ({ series }: Side) => series.lowNs / scale,
            y2: ({ series }: Side) => series.highNs / scale,
            fill: 'var(--accent)',
            fillOpacity: 0.3,
            pointerEvents: 'none',
          }),
          Plot.ruleY(sides, {
            ...facet,
            y: ({ series }: Side) => series.medianNs / scale,
            stroke: 'var(--accent)',
            strokeWidth: 1.5,
            pointerEvents: 'none',
          }),
        ],
      };
    },
    [sides],
  );
  const isInterval = sides.every(({ series }) => hasInterval(series));
  const summaries = sides.map(
    ({ name, series: { medianNs, minNs, n, q1Ns, q3Ns, samplesNs } }) =>
      `${name && `${name}: `}${n} from ${formatNs(minNs)} to ${formatNs(Math.max(...samplesNs))}, half of them between ${formatNs(q1Ns)} and ${formatNs(q3Ns)}, median ${formatNs(medianNs)}`,
  );
  return (
    <Figure
      draw={draw}
      height={210}
      fileName="samples"
      caption={`Samples in the order taken, lower is better. Line: median. Band: ${isInterval ? 'its 95% interval' : 'the range, as too few samples are independent for an interval'}.`}
      summary={`Samples: ${summaries.join('. ')}.`}
    />
  );
}
