import type * as PlotModule from '@observablehq/plot';
import { formatRate } from '../format';
import { fontPx } from './scales';

/** Room for the rates right of the bars, px. */
const VALUES = 52;
const BAR_PX = 36;

/** A rate with its interval. */
export interface RateOfBar {
  /** Tells the bars of a panel apart. */
  readonly key: string;
  readonly label: string;
  /** Null: there is none, and no bar. */
  readonly rate: number | null;
  /** Absent where one sample has no spread. */
  readonly ends?: readonly [low: number, high: number] | undefined;
  /** Of a dot on the bar. */
  readonly dot?: number | undefined;
  /** In colour. */
  readonly isLit: boolean;
  /** The heading above the bars that share it; without one, there is one panel. */
  readonly panel?: string;
}

/** A label in lines of at most so many letters, broken where its parts meet. */
export const inLines = (label: string, most: number): string[] =>
  [...label.matchAll(new RegExp(`(.{1,${most}}|.+?)(?: · |$)`, 'g'))].map(([, line = '']) => line);

const rateOf = (rate: number | null): string => (rate === null ? '–' : formatRate(rate));

/** The height of a drawing, with room for more than one line per label. */
export const barsHeight = (bars: readonly RateOfBar[], linesPx = 0): number => {
  const rows = new Set(bars.map(({ key }) => key)).size;
  const panels = new Set(bars.map(({ panel }) => panel)).size;
  return panels * (rows + (bars[0]?.panel ? 1 : 0)) * (BAR_PX + linesPx) + 42;
};

/** Bars of rates from zero in one unit, in the order given, with their intervals at their ends. */
export const drawBars =
  (bars: readonly RateOfBar[], unit: string) =>
  (Plot: typeof PlotModule, width: number): PlotModule.PlotOptions => {
    const panels = [...new Set(bars.flatMap(({ panel }) => panel ?? []))];
    const fy = panels.length > 0 ? { fy: 'panel' } : {};
    const keys = new Set(bars.map(({ key }) => key));
    const most = Math.floor(width / (0.56 * fontPx(width)));
    const linesOf = ({ label }: RateOfBar) => inLines(label, most);
    const linesPx = (Math.max(1, ...bars.map((bar) => linesOf(bar).length)) - 1) * fontPx(width);
    const gap = (0.28 * BAR_PX) / (BAR_PX + linesPx);
    const dy = 7 + linesPx / 2;
    const words = { ...fy, x: 0, dx: 2, textAnchor: 'start', fill: 'var(--ink)' } as const;
    return {
      height: barsHeight(bars, linesPx),
      marginLeft: 4,
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
      // The first row of a panel is its heading's.
      y: { domain: [...(panels.length > 0 ? [''] : []), ...keys], axis: null, padding: gap },
      ...(panels.length > 0 && { fy: { domain: panels, axis: null, padding: 0 } }),
      marks: [
        Plot.barX(bars, {
          ...fy,
          y: 'key',
          x: 'rate',
          insetTop: 14 + linesPx,
          fill: ({ isLit }: RateOfBar) => (isLit ? 'var(--accent)' : 'var(--line-strong)'),
          tip: true,
          title: ({ ends, label, rate }: RateOfBar) =>
            `${label}: ${rateOf(rate)} ${unit}, ${ends ? ends.map(formatRate).join(' to ') : 'one sample'}`,
        }),
        // Above its bar, where the whole width is its own.
        Plot.text(bars, {
          ...{ ...words, y: 'key', dy: dy - 11, lineAnchor: 'bottom', lineHeight: 1 },
          text: (bar: RateOfBar) => linesOf(bar).join('\n'),
        }),
        Plot.text(
          panels.map((panel) => ({ panel })),
          { ...words, y: () => '', dy: dy + 1, text: 'panel', fontWeight: 600 },
        ),
        // Outlined, to be seen over a bar in colour.
        ...[
          { stroke: 'var(--surface)', strokeWidth: 4 },
          { stroke: 'var(--ink)', marker: 'tick' as const },
        ].map((look) =>
          Plot.ruleY(
            bars.filter(({ ends }) => ends),
            {
              ...fy,
              y: 'key',
              x1: ({ ends }: RateOfBar) => ends?.[0],
              x2: ({ ends }: RateOfBar) => ends?.[1],
              dy,
              ...look,
            },
          ),
        ),
        Plot.dot(
          bars.filter(({ dot }) => dot !== undefined),
          { ...fy, y: 'key', x: 'dot', dy, fill: 'var(--ink)', stroke: 'var(--surface)' },
        ),
        Plot.text(bars, {
          ...fy,
          y: 'key',
          text: ({ rate }: RateOfBar) => rateOf(rate),
          // A column at the edge: at the end of an interval it would read as that end.
          frameAnchor: 'right',
          textAnchor: 'end',
          dx: VALUES,
          dy,
          fill: 'var(--ink)',
        }),
        Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
      ],
    };
  };
