'use client';

import type { RooflineRecord } from '@tilemark/core';
import { opsUnit } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatBytes, formatIntensity, formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { logAxis, type SeriesStyles, seriesStyles } from '@/ui/plot/scales';
import { showsCacheEnd } from './cache-end';
import { aboveRoof, type DeviceRoof, type RooflinePlace } from './roof';
import { peakLabels, peakText } from './roof-labels';

/** A result under the roof. */
export interface RooflinePoint extends RooflinePlace {
  readonly label: string;
  /** Points of one series share colour and symbol. */
  readonly series: string;
  readonly href: string | null;
}

const HEIGHT = 300;

const MARGIN = { marginTop: 20, marginRight: 16, marginBottom: 36, marginLeft: 56 } as const;

/** Margin around the outermost points, as a factor on the log axes. */
const ROOM = 4;

/**
 * Rates over arithmetic intensity, under the limits set by the device's memory and its
 * multiply-adds. Nothing without points: a transpose does no arithmetic.
 */
export function RooflinePlot({
  roof,
  points,
  device,
  styles: given,
}: {
  roof: DeviceRoof;
  points: readonly RooflinePoint[];
  device: string;
  /** The page's styles by series; by default the chart has its own. */
  styles?: SeriesStyles;
}) {
  const series = useMemo(() => [...new Set(points.map((point) => point.series))], [points]);
  const styles = useMemo(() => given ?? seriesStyles(series), [given, series]);
  const bandwidth = roof.gigabytesPerSecond;
  // Integers have operations, not floating-point ones.
  const units = [...new Set(roof.peaks.map(({ dtype }) => opsUnit(dtype)))].join(' or ');
  const draw = useCallback<DrawPlot>(
    (Plot, width, shows) => {
      const intensities = points.map(({ flopPerByte }) => flopPerByte);
      const rates = points.map(({ rate }) => rate);
      const knees = roof.peaks.map((peak) => peak.gigaflopsPerSecond / (bandwidth ?? Infinity));
      const x = logAxis([
        Math.min(...intensities, ...knees.filter((knee) => knee > 0)) / ROOM,
        Math.max(...intensities, ...knees) * ROOM,
      ]);
      const [left = 0, right = 0] = x.scale.domain;
      const lines = roof.peaks.flatMap((peak) => roofLine(peak, bandwidth, left, right));
      const y = logAxis([...rates, ...lines.map(({ rate }) => rate)]);
      const frame = {
        x: endsOf(x.scale.domain),
        y: endsOf(y.scale.domain),
        width: width - MARGIN.marginLeft - MARGIN.marginRight,
        height: HEIGHT - MARGIN.marginTop - MARGIN.marginBottom,
      };
      const labels = peakLabels(roof.peaks, points, frame, Math.max(left, ...knees));
      return {
        ...MARGIN,
        x: { ...x.scale, label: 'arithmetic intensity (FLOP/byte) →' },
        y: { ...y.scale, label: `↑ ${units}, higher is better` },
        color: { domain: series, range: series.map(styles.color) },
        symbol: { domain: series, range: series.map(styles.symbol) },
        marks: [
          Plot.gridY(y.ticks),
          Plot.axisX(x.ticks, { text: x.format }),
          Plot.axisY(y.ticks, { text: y.format }),
          Plot.line(lines, {
            x: 'intensity',
            y: 'rate',
            z: 'dtype',
            stroke: 'var(--ink)',
            strokeWidth: 1.5,
          }),
          // Under the points: a label that found no free place hides none.
          Plot.text(labels, {
            x: 'at',
            y: 'rate',
            text: 'text',
            textAnchor: 'end',
            dy: -8,
            fill: 'var(--ink)',
            // Legible over lines.
            stroke: 'var(--surface)',
            strokeWidth: 4,
          }),
          Plot.dot(
            points.filter(({ series }) => shows(series)),
            {
              x: 'flopPerByte',
              y: 'rate',
              stroke: 'series',
              symbol: 'series',
              r: 3.5,
              strokeWidth: 1.75,
              title: ({ label, rate }: RooflinePoint) => `${label}: ${formatRate(rate)} ${units}`,
              href: 'href',
            },
          ),
        ],
      };
    },
    [points, roof, bandwidth, series, styles, units],
  );

  const best = points.toSorted((a, b) => b.rate - a.rate)[0];
  if (!best || roof.peaks.length === 0) return null;
  const peaksText = roof.peaks.map(peakText).join(', ');
  const copyText = bandwidth === null ? '' : ` and a copy at ${formatRate(bandwidth)} GB/s`;
  return (
    <Figure
      draw={draw}
      height={HEIGHT}
      fileName="roofline"
      legend={
        series.length > 1
          ? series.map((text) => ({
              text,
              color: styles.color(text),
              symbol: styles.symbol(text),
              isLoose: true,
            }))
          : []
      }
      caption={`Roofline of ${device} under profile ${roof.profile}: ${
        bandwidth === null
          ? 'peak multiply-adds; the memory slope is missing because no copy was measured'
          : `fastest copy, ${formatRate(bandwidth)} GB/s, and peak multiply-adds`
      }${roof.from === 'results' ? ', from results' : ''}. Higher is better; points near the line leave little to gain. A result's % of peak is of copies as large as all its buffers, which may be slower than the fastest. ${aboveRoof(roof, points)}`.trimEnd()}
      summary={`Roofline: multiply-adds ${peaksText}${copyText}. The best point is ${best.label} at ${formatRate(best.rate)} ${units} and ${formatIntensity(best.flopPerByte)}.`}
    />
  );
}

const endsOf = ([low = 1, high = 1]: readonly number[]) => [low, high] as const;

/** The roof of one dtype from `left` to `right`: up the memory's slope, then level. */
function roofLine(
  { dtype, gigaflopsPerSecond: peak }: DeviceRoof['peaks'][number],
  bandwidth: number | null,
  left: number,
  right: number,
) {
  if (bandwidth === null) {
    return [left, right].map((intensity) => ({ dtype, intensity, rate: peak }));
  }
  return [left, peak / bandwidth, right]
    .filter((intensity) => intensity >= left && intensity <= right)
    .map((intensity) => ({ dtype, intensity, rate: Math.min(peak, bandwidth * intensity) }));
}

type Copy = RooflineRecord['copies'][number];

/** Copy bandwidth by working set, and where the last-level cache ends if that shows. */
export function BandwidthPlot({
  survey: { copies, lastLevelCacheBytes, profile },
}: {
  survey: RooflineRecord;
}) {
  const cacheBytes =
    lastLevelCacheBytes !== null && showsCacheEnd(copies, lastLevelCacheBytes)
      ? lastLevelCacheBytes
      : null;
  const draw = useCallback<DrawPlot>(
    (Plot, width) => ({
      marginLeft: 56,
      marginRight: 16,
      marginBottom: 36,
      x: {
        type: 'log',
        base: 2,
        label: 'working set →',
        ticks: Math.max(3, Math.floor(width / 90)),
        tickFormat: formatBytes,
      },
      y: { label: '↑ GB/s, higher is better', grid: true, zero: true, ticks: 5, insetTop: 8 },
      marks: [
        ...(cacheBytes === null
          ? []
          : [
              Plot.ruleX([cacheBytes], {
                stroke: 'var(--amber)',
                strokeDasharray: '4 3',
              }),
            ]),
        Plot.line(copies, {
          x: 'bytes',
          y: 'gigabytesPerSecond',
          stroke: 'var(--accent)',
          strokeWidth: 1.5,
        }),
        Plot.dot(copies, {
          x: 'bytes',
          y: 'gigabytesPerSecond',
          fill: 'var(--accent)',
          r: 2.5,
          title: ({ bytes, gigabytesPerSecond }: Copy) =>
            `${formatBytes(bytes)}: ${formatRate(gigabytesPerSecond)} GB/s`,
        }),
      ],
    }),
    [copies, cacheBytes],
  );
  const fastest = copies.reduce<Copy | undefined>(
    (a, b) => (a && a.gigabytesPerSecond >= b.gigabytesPerSecond ? a : b),
    undefined,
  );
  const memory = copies.at(-1);
  if (!fastest || !memory) return null;
  const cache =
    cacheBytes === null
      ? 'No last-level cache stands out from memory.'
      : `The drop suggests a last-level cache between ${formatBytes(cacheBytes)} (dashed) and twice that.`;
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="bandwidth-by-working-set"
      caption={`Copy bandwidth by working set under profile ${profile}, higher is better. ${cache}`}
      summary={`Copy bandwidth by working set: up to ${formatRate(fastest.gigabytesPerSecond)} GB/s at ${formatBytes(fastest.bytes)}, ${formatRate(memory.gigabytesPerSecond)} GB/s at ${formatBytes(memory.bytes)}. ${cache}`}
    />
  );
}
