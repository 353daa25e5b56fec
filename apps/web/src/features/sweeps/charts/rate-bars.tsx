'use client';

import type { MeasuredRun } from '@tilemark/core';
import { isCeiling, opOf } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import type { LegendItem } from '@/ui/plot/file';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { COLORS } from '@/ui/plot/scales';
import { shortDeviceName } from '../../devices/device-name';
import { resultHref, shortLabels } from '../runs';
import { type LibraryRate, librariesText, libraryItem, ratesOn } from './library-lines';

/** Longer labels stand above their bars, where the whole width is theirs. */
const BESIDE_CHARACTERS = 20;

/** Room for the rates right of the bars, px. */
const VALUES = 52;

/** More bars than this are not read as a picture; the table has them all. */
const MAX_BARS = 40;

export interface Bar {
  readonly label: string;
  /** Other work than the problem's (copy): shown as a bound, never as the best. */
  readonly isCeiling?: boolean;
  /** Beside ranked ones, others are not the best. */
  readonly isRanked?: boolean;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** Absent where the line is an interval over several runs. */
  readonly samples?: number;
  readonly href: string | null;
}

/** Of bars, fastest first: a ranked one before any other, a ceiling never. */
export function bestOf(bars: readonly Bar[]): Bar | undefined {
  const kernels = bars.filter(({ isCeiling }) => !isCeiling);
  return kernels.find(({ isRanked }) => isRanked) ?? kernels[0];
}

/** What the bar in colour is; nothing where there is none. */
export function bestText(bars: readonly Bar[]): string {
  const best = bestOf(bars);
  if (!best) return '';
  const above = bars.slice(0, bars.indexOf(best));
  const ranked = above.some(({ isCeiling }) => !isCeiling) ? ' that is ranked' : '';
  const ceiling = above.some(({ isCeiling }) => isCeiling)
    ? ' below the ceiling, a copy of as many bytes'
    : '';
  return `; in colour the fastest by median${ranked}${ceiling}`;
}

/** Rates as bars, fastest first, the best set off from the rest. */
export function RateBars({
  bars: all,
  unit,
  by,
  intervals = '95% intervals',
  libraries = NO_LIBRARIES,
}: {
  bars: readonly Bar[];
  unit: string;
  by: 'device' | 'variant';
  /** What the lines at the ends of bars are. */
  intervals?: string;
  /** On the problem of the bars. */
  libraries?: readonly LibraryRate[];
}) {
  const bars = useMemo(() => all.toSorted((a, b) => b.rate - a.rate).slice(0, MAX_BARS), [all]);
  const best = bestOf(bars);
  const withSpread = useMemo(() => bars.filter(({ samples }) => samples !== 1), [bars]);
  const longest = Math.max(...bars.map(({ label }) => label.length));
  const isBeside = longest <= BESIDE_CHARACTERS;
  const rowHeight = isBeside ? 22 : 36;
  const lines = useMemo(() => linesOf(libraries, bars, by), [libraries, bars, by]);
  const legend = useMemo(() => lines.map(({ item }) => item), [lines]);

  const draw = useCallback<DrawPlot>(
    (Plot, width, shows) => {
      return {
        marginLeft: isBeside ? longest * 6.4 + 16 : 4,
        marginRight: VALUES + 4,
        marginTop: 4,
        marginBottom: 34,
        x: {
          label: `${unit}, higher is better →`,
          grid: true,
          ticks: Math.max(2, Math.floor(width / 160)),
          zero: true,
          insetRight: 4,
        },
        y: {
          label: null,
          domain: bars.map(({ label }) => label),
          tickSize: 0,
          axis: isBeside ? 'left' : null,
          padding: 0.28,
        },
        marks: [
          Plot.barX(bars, {
            y: 'label',
            x: 'rate',
            insetTop: isBeside ? 0 : 14,
            fill: (bar: Bar) => (bar === best ? 'var(--accent)' : 'var(--line-strong)'),
            title: ({ high, label, low, rate, samples }: Bar) =>
              `${label}: ${formatRate(rate)} ${unit}, ${samples === 1 ? 'one sample' : `${formatRate(low)} to ${formatRate(high)}`}`,
            href: 'href',
          }),
          // Bar by bar, not through the labels above them.
          Plot.tickX(
            lines.flatMap((line) =>
              shows(line.item.text) ? bars.map(({ label }) => ({ ...line, label })) : [],
            ),
            {
              x: 'rate',
              y: 'label',
              insetTop: isBeside ? -3 : 14,
              insetBottom: -3,
              stroke: ({ item }: Line) => item.color,
              strokeWidth: 1.5,
              strokeDasharray: '4 3',
              title: ({ item }: Line) => `${item.text} ${unit}, not measured by this grid`,
            },
          ),
          ...(isBeside
            ? []
            : [
                Plot.text(bars, {
                  y: 'label',
                  x: 0,
                  text: 'label',
                  textAnchor: 'start',
                  dx: 2,
                  dy: -10,
                  fill: 'var(--ink)',
                }),
              ]),
          // Outlined, to be seen over a bar in colour.
          ...[
            { stroke: 'var(--surface)', strokeWidth: 4 },
            { stroke: 'var(--ink)', marker: 'tick' as const },
          ].map((look) =>
            Plot.ruleY(withSpread, {
              y: 'label',
              x1: 'low',
              x2: 'high',
              dy: isBeside ? 0 : 7,
              ...look,
            }),
          ),
          Plot.text(bars, {
            y: 'label',
            text: (bar: Bar) => formatRate(bar.rate),
            // A column at the edge: at the end of an interval it would read as that end.
            frameAnchor: 'right',
            textAnchor: 'end',
            dx: VALUES,
            dy: isBeside ? 0 : 7,
            fill: 'var(--ink)',
          }),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        ],
      };
    },
    [bars, lines, withSpread, best, unit, isBeside, longest],
  );

  if (bars.length === 0) return null;
  return (
    <Figure
      draw={draw}
      height={bars.length * rowHeight + 42}
      fileName={`rate-by-${by}`}
      legend={legend}
      caption={
        <>
          Rate by {by} in {unit}, higher is better; lines at the ends of bars are {intervals}
          {bestText(bars)}
          {all.length > bars.length && `. The fastest ${bars.length} of ${all.length} are drawn`}
          {librariesText(legend)}
        </>
      }
      summary={`Rate by ${by}, fastest first: ${bars
        .slice(0, 5)
        .map(({ label, rate }) => `${label} ${formatRate(rate)} ${unit}`)
        .join(
          '; ',
        )}${bars.length > 5 ? `; and ${bars.length - 5} more` : ''}.${legend.length > 0 ? ` Libraries: ${legend.map(({ text }) => text).join('; ')} ${unit}.` : ''}`}
    />
  );
}

const NO_LIBRARIES: readonly LibraryRate[] = [];

/** A library's rate through all bars. */
interface Line {
  readonly item: LegendItem;
  readonly rate: number;
}

function linesOf(
  libraries: readonly LibraryRate[],
  bars: readonly Bar[],
  by: 'device' | 'variant',
): Line[] {
  const fastest = bars[0]?.rate ?? 0;
  return libraries.map(({ hardware, name, rate }, index) => {
    const where = by === 'device' ? ` on ${shortDeviceName(hardware)}` : '';
    const color = COLORS[(index + 1) % COLORS.length] ?? 'var(--muted)';
    return {
      rate,
      item: libraryItem(`${name}${where}: ${formatRate(rate)}`, color, rate, fastest),
    };
  });
}

const barOf = (run: MeasuredRun, label: string): Bar => {
  const { highNs, lowNs, medianNs, rate, samples } = run.figures;
  return {
    label,
    isCeiling: isCeiling(run.variant.kernel),
    isRanked: run.reason === null,
    rate,
    low: (rate * medianNs) / highNs,
    high: (rate * medianNs) / lowNs,
    samples,
    href: resultHref(run),
  };
};

/** Of the variants of one problem, profile and device. */
export function VariantBars({
  runs,
  libraries,
  intervals,
}: {
  runs: readonly MeasuredRun[];
  /** On hardware of the device's name. */
  libraries: readonly LibraryRate[];
  intervals: string;
}) {
  const bars = useMemo(() => {
    const labels = shortLabels(runs);
    return runs.map((run) => barOf(run, labels.get(run.address) ?? run.address));
  }, [runs]);
  const [first] = runs;
  const beside = useMemo(
    () => (first ? ratesOn(libraries, first.problem) : []),
    [libraries, first],
  );
  return (
    <RateBars
      bars={bars}
      libraries={beside}
      unit={first ? opOf(first.problem).rateUnit(first.problem) : ''}
      by="variant"
      intervals={intervals}
    />
  );
}

/** Of each device's best variant on one problem and profile; nothing for one device. */
export function DeviceBars({
  runs,
  libraries,
  intervals,
}: {
  runs: readonly MeasuredRun[];
  libraries: readonly LibraryRate[];
  intervals: string;
}) {
  const bars = useMemo(() => {
    const best = new Map<string, Bar>();
    const names = new Map(runs.map(({ device }) => [shortDeviceName(device.name), device.key]));
    for (const run of runs) {
      const { key, name } = run.device;
      const short = shortDeviceName(name);
      const bar = barOf(run, names.get(short) === key ? short : key);
      const known = best.get(run.device.key);
      if (!bar.isCeiling && !(known && known.rate >= bar.rate)) best.set(run.device.key, bar);
    }
    return [...best.values()];
  }, [runs]);
  const [first] = runs;
  const beside = useMemo(
    () => (first ? ratesOn(libraries, first.problem) : []),
    [libraries, first],
  );
  if (bars.length < 2 || !first) return null;
  return (
    <div className="border-t border-line">
      <RateBars
        bars={bars}
        libraries={beside}
        unit={opOf(first.problem).rateUnit(first.problem)}
        by="device"
        intervals={intervals}
      />
    </div>
  );
}
