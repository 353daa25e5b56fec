'use client';

import type { RectYOptions } from '@observablehq/plot';
import { hasInterval, type Series } from '@tilemark/core';
import { useCallback } from 'react';
import { formatCount, formatNs, plural, unitFor } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { isWide, logAxis } from '@/ui/plot/scales';

const span = ({ minNs, samplesNs }: Series) =>
  `${formatNs(minNs)} to ${formatNs(Math.max(...samplesNs))}`;

/** Counts have no ticks between whole numbers. */
const wholeOnly = (value: number) => (Number.isInteger(value) ? formatCount(value) : '');

/** Every sample in the order taken, with the median and its interval. */
export function SampleStrip({ series }: { series: Series }) {
  const draw = useCallback<DrawPlot>(
    (Plot) => {
      const { scale, unit } = unitFor(series.medianNs);
      const samples = series.samplesNs.map((ns, index) => ({ index: index + 1, time: ns / scale }));
      const times = samples.map(({ time }) => time);
      const log = isWide(times) ? logAxis(times) : null;
      return {
        marginLeft: 56,
        marginRight: 8,
        x: { label: 'sample', tickFormat: wholeOnly, nice: false },
        y: log
          ? { ...log.scale, label: null }
          : {
              label: `time (${unit}), lower is better`,
              grid: true,
              nice: true,
              zero: false,
              ticks: 5,
            },
        marks: [
          ...(log
            ? [
                Plot.gridY(log.ticks),
                Plot.axisY(log.ticks, {
                  text: log.format,
                  label: `↑ time (${unit}), lower is better`,
                }),
              ]
            : []),
          Plot.dot(samples, {
            x: 'index',
            y: 'time',
            r: 2,
            fill: 'var(--ink)',
            fillOpacity: 0.7,
            title: ({ index, time }: (typeof samples)[number]) =>
              `sample ${index}: ${formatNs(time * scale)}`,
          }),
          // Above the samples, which would hide them, yet below the pointer.
          Plot.rectY([series], {
            y1: () => series.lowNs / scale,
            y2: () => series.highNs / scale,
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
  return (
    <Figure
      draw={draw}
      height={190}
      fileName="samples"
      caption={`Samples in the order taken, lower is better. Line: median. Band: ${hasInterval(series) ? 'its 95% interval' : 'their range, as too few are independent for an interval'}.`}
      summary={`${series.n} samples from ${span(series)}, median ${formatNs(series.medianNs)}.`}
    />
  );
}

/** Between ticks of a time axis, px; d3 may draw twice as many. */
const TICK_EVERY = 130;

/** Fewer samples are drawn one by one: a bin of one or two does not show a distribution. */
const FEWEST_OF_BINS = 24;

const BINS = 24;

/** Ticks whose labels have room, px each. */
const LABEL_WIDTH = 52;

function spaced(ticks: readonly number[], width: number): number[] {
  const every = Math.max(1, Math.ceil((ticks.length * LABEL_WIDTH) / width));
  return ticks.filter((_, at) => at % every === 0);
}

/** Ends of bins between the ends of a log axis, each as many times the one before. */
function geometric([low = 1, high = low]: readonly number[], bins: number): number[] {
  return Array.from({ length: bins - 1 }, (_, at) => low * (high / low) ** ((at + 1) / bins));
}

/** How the samples are distributed. */
export function SampleHistogram({ series }: { series: Series }) {
  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      const { scale, unit } = unitFor(series.medianNs);
      const times = series.samplesNs.map((ns) => ns / scale);
      const median = Plot.ruleX([series.medianNs / scale], {
        stroke: 'var(--accent)',
        strokeWidth: 1.5,
      });
      if (times.length < FEWEST_OF_BINS) {
        return {
          marginLeft: 12,
          marginRight: 12,
          marginBottom: 36,
          x: {
            label: `time (${unit}), lower is better`,
            ticks: width / TICK_EVERY,
            grid: true,
            inset: 12,
          },
          marks: [
            median,
            Plot.dot(
              times,
              Plot.dodgeY('middle', {
                x: (time: number) => time,
                r: 4,
                fill: 'var(--ink)',
                fillOpacity: 0.7,
                title: (time: number) => `sample: ${formatNs(time * scale)}`,
              }),
            ),
          ],
        };
      }
      const log = isWide(times) ? logAxis(times) : null;
      const label = `time (${unit}), lower is better`;
      return {
        marginLeft: 40,
        marginRight: 8,
        marginBottom: 36,
        x: log ? { ...log.scale, label: null } : { label, ticks: width / TICK_EVERY, nice: true },
        y: { label: 'samples', grid: true, ticks: 4, tickFormat: wholeOnly },
        marks: [
          ...(log
            ? [Plot.axisX(spaced(log.ticks, width), { text: log.format, label: `${label} →` })]
            : []),
          Plot.rectY(
            times,
            Plot.binX<RectYOptions>(
              {
                y: 'count',
                title: (bin: number[]) =>
                  `${formatNs(Math.min(...bin) * scale)} to ${formatNs(Math.max(...bin) * scale)}: ${plural(bin.length, 'sample')}`,
              },
              {
                x: (time: number) => time,
                // Equally wide as they are drawn.
                thresholds: log ? geometric(log.scale.domain, BINS) : BINS,
                // Bars may be narrower than the default gap.
                inset: 0,
                fill: 'var(--line-strong)',
              },
            ),
          ),
          median,
          Plot.ruleY([0], { stroke: 'var(--line-strong)' }),
        ],
      };
    },
    [series],
  );
  return (
    <Figure
      draw={draw}
      height={190}
      fileName="distribution"
      caption="Distribution of the samples. Line: median."
      summary={`Half of the samples lie between ${formatNs(series.q1Ns)} and ${formatNs(series.q3Ns)}; coefficient of variation ${(series.cv * 100).toFixed(2)}%.`}
    />
  );
}
