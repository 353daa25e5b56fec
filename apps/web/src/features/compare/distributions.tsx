'use client';

import type { Series } from '@tilemark/core';
import { useCallback } from 'react';
import { formatNs, unitFor } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { isWide, logAxis } from '@/ui/plot/scales';

/** Of the label of a tick, with the space around it, px. */
const LABEL_WIDTH = 48;

/** The samples of both results on one axis of time. */
export function Distributions({ a, b }: { a: Series; b: Series }) {
  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      const { scale, unit } = unitFor(Math.max(a.medianNs, b.medianNs));
      const sides = [
        { side: 'A', series: a },
        { side: 'B', series: b },
      ];
      const samples = sides.flatMap(({ side, series }) =>
        series.samplesNs.map((ns) => ({ side, time: ns / scale })),
      );
      const times = samples.map(({ time }) => time);
      const isLog = isWide(times);
      // Thousands of marks would hide the band and the median.
      const strokeOpacity = Math.max(0.03, Math.min(0.35, 50 / Math.max(a.n, b.n)));
      const log = logAxis(times);
      // On a phone the labels of all ticks would touch.
      const isCrowded = log.ticks.length * LABEL_WIDTH > width;
      const text = (tick: number) =>
        isCrowded && !Number.isInteger(Math.log10(tick)) ? '' : log.format(tick);
      const label = `time (${unit}), lower is faster →`;
      return {
        marginLeft: 32,
        marginRight: 24,
        marginBottom: 40,
        x: isLog
          ? { ...log.scale, label }
          : { label, grid: true, nice: true, ticks: Math.floor(width / 90) },
        y: { label: null, domain: ['A', 'B'], tickSize: 0, padding: 0.3 },
        marks: [
          ...(isLog ? [Plot.gridX(log.ticks), Plot.axisX(log.ticks, { text, label })] : []),
          Plot.rect(sides, {
            y: 'side',
            x1: ({ series }: (typeof sides)[number]) => series.q1Ns / scale,
            x2: ({ series }: (typeof sides)[number]) => series.q3Ns / scale,
            fill: 'var(--accent)',
            fillOpacity: 0.22,
          }),
          Plot.tickX(samples, { x: 'time', y: 'side', stroke: 'var(--ink)', strokeOpacity }),
          Plot.tickX(sides, {
            x: ({ series }: (typeof sides)[number]) => series.medianNs / scale,
            y: 'side',
            stroke: 'var(--accent)',
            strokeWidth: 2.5,
            title: ({ series, side }: (typeof sides)[number]) =>
              `${side}, median: ${formatNs(series.medianNs)}`,
          }),
        ],
      };
    },
    [a, b],
  );
  return (
    <Figure
      draw={draw}
      height={150}
      fileName="comparison"
      caption="Every sample; the thick line is the median, the band contains the middle half"
      summary={`A: median ${formatNs(a.medianNs)}, its middle half from ${formatNs(a.q1Ns)} to ${formatNs(a.q3Ns)}. B: median ${formatNs(b.medianNs)}, its middle half from ${formatNs(b.q1Ns)} to ${formatNs(b.q3Ns)}.`}
    />
  );
}
