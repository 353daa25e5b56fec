'use client';

import { useCallback, useMemo } from 'react';
import { formatIntensity, formatRate } from '@/ui/format';
import { logAxis } from '@/ui/log-axis';
import { type SeriesStyles, seriesStyles } from '@/ui/palette';
import { type DrawPlot, Figure } from '@/ui/plot';
import type { DeviceRoof } from './device-roof';

/** A result under the roof. */
export interface RooflinePoint {
  readonly label: string;
  /** Points of one series share colour and symbol. */
  readonly series: string;
  readonly flopPerByte: number;
  /** GFLOP/s. */
  readonly rate: number;
}

/** Room beside the outermost points, as a factor on the log axes. */
const ROOM = 4;

/**
 * Rates over arithmetic intensity, under what the device's memory and its multiply-adds
 * allow. Nothing where there is no point: a transpose does no arithmetic.
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
  /** Of the page's series; without it the chart has some of its own. */
  styles?: SeriesStyles;
}) {
  const series = useMemo(() => [...new Set(points.map((point) => point.series))], [points]);
  const styles = useMemo(() => given ?? seriesStyles(series), [given, series]);
  const bandwidth = roof.gigabytesPerSecond;
  const draw = useCallback<DrawPlot>(
    (Plot) => {
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
      return {
        marginLeft: 56,
        marginRight: 16,
        marginBottom: 36,
        x: { ...x.scale, label: 'arithmetic intensity (FLOP/byte) →' },
        y: { ...y.scale, label: '↑ GFLOP/s, higher is better' },
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
          Plot.text(
            roof.peaks.map((peak) => ({ ...peak, at: right })),
            {
              x: 'at',
              y: 'gigaflopsPerSecond',
              text: (peak: DeviceRoof['peaks'][number]) =>
                `${peak.dtype} ${formatRate(peak.gigaflopsPerSecond)} GFLOP/s`,
              textAnchor: 'end',
              dy: -8,
              fill: 'var(--ink)',
            },
          ),
          Plot.dot(points, {
            x: 'flopPerByte',
            y: 'rate',
            stroke: 'series',
            symbol: 'series',
            r: 3.5,
            strokeWidth: 1.75,
            title: ({ label, rate }: RooflinePoint) => `${label}: ${formatRate(rate)} GFLOP/s`,
          }),
        ],
      };
    },
    [points, roof, bandwidth, series, styles],
  );

  const best = points.toSorted((a, b) => b.rate - a.rate)[0];
  if (!best || roof.peaks.length === 0) return null;
  const peaksText = roof.peaks
    .map(({ dtype, gigaflopsPerSecond }) => `${dtype} ${formatRate(gigaflopsPerSecond)} GFLOP/s`)
    .join(', ');
  const copyText = bandwidth === null ? '' : ` and a copy at ${formatRate(bandwidth)} GB/s`;
  return (
    <Figure
      draw={draw}
      height={300}
      fileName="roofline"
      legend={series.map((text) => ({ text, color: styles.color(text) }))}
      caption={`Roofline of ${device} under profile ${roof.profile}: ${
        bandwidth === null
          ? 'its multiply-adds; no copy has been measured, so the memory’s slope is not drawn'
          : `its fastest copy, ${formatRate(bandwidth)} GB/s, and its multiply-adds`
      }${roof.from === 'results' ? ', as the results were held against it' : ''}. Higher is better; the nearer the line, the less is left.`}
      summary={`Roofline: multiply-adds ${peaksText}${copyText}. The best point is ${best.label} at ${formatRate(best.rate)} GFLOP/s and ${formatIntensity(best.flopPerByte)}.`}
    />
  );
}

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
