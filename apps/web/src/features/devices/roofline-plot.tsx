'use client';

import { DTYPES, opsUnit } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatIntensity, formatRate, intensityUnit } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { logAxis, seriesStyles } from '@/ui/plot/scales';
import type { DeviceRoof } from './roof';

/** A result under the roof. */
export interface RooflinePoint {
  readonly flopPerByte: number;
  /** GFLOP/s. */
  readonly rate: number;
  readonly label: string;
  /** Points of one series share colour and symbol. */
  readonly series: string;
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
}: {
  roof: DeviceRoof;
  points: readonly RooflinePoint[];
  device: string;
}) {
  const series = useMemo(() => [...new Set(points.map((point) => point.series))], [points]);
  const styles = useMemo(() => seriesStyles(series), [series]);
  const bandwidth = roof.gigabytesPerSecond;
  // Integers have operations, not floating-point ones.
  const units = [...new Set(roof.peaks.map(({ dtype }) => opsUnit(dtype)))].join(' or ');
  const isInteger = roof.peaks.every(({ dtype }) => DTYPES[dtype].isInteger);
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
        ...MARGIN,
        x: { ...x.scale, label: `arithmetic intensity (${intensityUnit(isInteger)}) →` },
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
          // Under the points, which it must not hide.
          Plot.text(peakLabels(roof.peaks, y.scale.domain), {
            x: right,
            y: 'rate',
            text: 'text',
            textAnchor: 'end',
            dy: -8,
            fill: 'var(--ink)',
            // Legible over lines.
            stroke: 'var(--surface)',
            strokeWidth: 4,
          }),
          Plot.dot(points, {
            x: 'flopPerByte',
            y: 'rate',
            stroke: 'series',
            symbol: 'series',
            r: 3.5,
            strokeWidth: 1.75,
            tip: true,
            title: ({ label, rate }: RooflinePoint) => `${label}: ${formatRate(rate)} ${units}`,
          }),
        ],
      };
    },
    [points, roof, bandwidth, series, styles, units, isInteger],
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
      caption={`${device}, profile ${roof.profile}: ${bandwidth === null ? 'no copy was measured' : `fastest copy ${formatRate(bandwidth)} GB/s`}, and peak multiply-adds${roof.from === 'results' ? ', from results' : ''}. Higher is better.`}
      summary={`Roofline: multiply-adds ${peaksText}${copyText}. The best point is ${best.label} at ${formatRate(best.rate)} ${units} and ${formatIntensity(best.flopPerByte, isInteger)}.`}
    />
  );
}

type Peak = DeviceRoof['peaks'][number];

const peakText = ({ dtype, gigaflopsPerSecond }: Peak): string =>
  `${dtype} ${formatRate(gigaflopsPerSecond)} ${opsUnit(dtype)}`;

/** Of the height of the plot: nearer lines share one label, at the higher. */
const LABEL_HEIGHT = 0.09;

/** A label above each level line. */
export function peakLabels(peaks: readonly Peak[], [low = 1, high = 1]: readonly number[]) {
  const labels: { rate: number; text: string }[] = [];
  const away = (a: number, b: number) => Math.log(a / b) / Math.log(high / low);
  for (const peak of peaks.toSorted((a, b) => b.gigaflopsPerSecond - a.gigaflopsPerSecond)) {
    const above = labels.at(-1);
    const rate = peak.gigaflopsPerSecond;
    if (above && away(above.rate, rate) < LABEL_HEIGHT) above.text += `, ${peakText(peak)}`;
    else labels.push({ rate, text: peakText(peak) });
  }
  return labels;
}

/** The roof of one dtype from `left` to `right`: up the memory's slope, then level. */
function roofLine(
  { dtype, gigaflopsPerSecond: peak }: Peak,
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
