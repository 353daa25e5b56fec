'use client';

import { hasInterval, type Series } from '@tilemark/core';
import { useCallback } from 'react';
import { formatCount, formatNs, unitFor } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { isWide, logAxis } from '@/ui/plot/scales';

/** Counts have no ticks between whole numbers. */
const wholeOnly = (value: number) => (Number.isInteger(value) ? formatCount(value) : '');

/** Every sample in the order taken, with the median and its interval. */
export function Samples({ of: series }: { of: Series }) {
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const { scale, unit } = unitFor(series.medianNs);
      const samples = series.samplesNs.map((ns, at) => ({ index: at + 1, time: ns / scale }));
      const times = samples.map(({ time }) => time);
      const log = isWide(times) ? logAxis(times) : null;
      const label = `time (${unit}), lower is better`;
      return {
        marginLeft: 56,
        marginRight: 8,
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
            x: 'index',
            y: 'time',
            r: 2,
            fill: 'var(--ink)',
            fillOpacity: 0.7,
            tip: true,
            title: ({ index, time }: (typeof samples)[number]) =>
              `sample ${index}: ${formatNs(time * scale)}`,
          }),
          // Above the samples, which would hide them, yet below the pointer.
          Plot.rectY([series], {
            y1: series.lowNs / scale,
            y2: series.highNs / scale,
            fill: 'var(--accent)',
            fillOpacity: 0.3,
            pointerEvents: 'none',
          }),
          Plot.ruleY([series.medianNs / scale], {
            stroke: 'var(--accent)',
            strokeWidth: 1.5,
            pointerEvents: 'none',
          }),
        ],
      };
    },
    [series],
  );
  const { medianNs, minNs, n, q1Ns, q3Ns, samplesNs } = series;
  return (
    <Figure
      draw={draw}
      height={210}
      fileName="samples"
      caption={`Samples in the order taken, lower is better. Line: median. Band: ${hasInterval(series) ? 'its 95% interval' : 'the range, as too few samples are independent for an interval'}.`}
      summary={`Samples: ${n} from ${formatNs(minNs)} to ${formatNs(Math.max(...samplesNs))}, half of them between ${formatNs(q1Ns)} and ${formatNs(q3Ns)}, median ${formatNs(medianNs)}.`}
    />
  );
}
