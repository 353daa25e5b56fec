'use client';

import type { MeasuredRun } from '@tilemark/core';
import { isCeiling, opOf } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { shortLabels } from '../runs';

/** Room for the rates right of the bars, px. */
const VALUES = 52;

/** More bars than this are not read as a picture; the table has them all. */
const MAX_BARS = 20;

/** Of runs, fastest first: a ranked one before any other; never a ceiling, which is other work (copy). */
export function bestOf<Run extends Pick<MeasuredRun, 'reason' | 'variant'>>(
  runs: readonly Run[],
): Run | undefined {
  const kernels = runs.filter(({ variant }) => !isCeiling(variant.kernel));
  return kernels.find(({ reason }) => reason === null) ?? kernels[0];
}

const barOf = (run: MeasuredRun, label: string) => {
  const { highNs, lowNs, medianNs, rate } = run.figures;
  return { label, rate, low: (rate * medianNs) / highNs, high: (rate * medianNs) / lowNs, run };
};
type Bar = ReturnType<typeof barOf>;

/** The variants of one problem, profile and device as bars, fastest first, the best set off from the rest. */
export function VariantBars({
  runs,
  intervals,
}: {
  runs: readonly MeasuredRun[];
  /** What the lines at the ends of bars are. */
  intervals: string;
}) {
  const bars = useMemo(() => {
    const labels = shortLabels(runs);
    return runs
      .toSorted((a, b) => b.figures.rate - a.figures.rate)
      .slice(0, MAX_BARS)
      .map((run) => barOf(run, labels.get(run.address) ?? run.address));
  }, [runs]);
  const [first] = bars;
  const unit = first ? opOf(first.run.problem).rateUnit(first.run.problem) : '';

  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      const best = bestOf(bars.map(({ run }) => run));
      const withSpread = bars.filter(({ run }) => run.figures.samples !== 1);
      return {
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
        y: { domain: bars.map(({ label }) => label), axis: null, padding: 0.28 },
        marks: [
          Plot.barX(bars, {
            y: 'label',
            x: 'rate',
            insetTop: 14,
            fill: ({ run }: Bar) => (run === best ? 'var(--accent)' : 'var(--line-strong)'),
            tip: true,
            title: ({ high, label, low, rate, run }: Bar) =>
              `${label}: ${formatRate(rate)} ${unit}, ${run.figures.samples === 1 ? 'one sample' : `${formatRate(low)} to ${formatRate(high)}`}`,
          }),
          // Above its bar, where the whole width is its own.
          Plot.text(bars, {
            y: 'label',
            x: 0,
            text: 'label',
            textAnchor: 'start',
            dx: 2,
            dy: -10,
            fill: 'var(--ink)',
          }),
          // Outlined, to be seen over a bar in colour.
          ...[
            { stroke: 'var(--surface)', strokeWidth: 4 },
            { stroke: 'var(--ink)', marker: 'tick' as const },
          ].map((look) =>
            Plot.ruleY(withSpread, {
              y: 'label',
              x1: 'low',
              x2: 'high',
              dy: 7,
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
            dy: 7,
            fill: 'var(--ink)',
          }),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        ],
      };
    },
    [bars, unit],
  );

  const told = bars.slice(0, 5).map(({ label, rate }) => `${label} ${formatRate(rate)} ${unit}`);
  const left = runs.length - bars.length;
  return (
    <Figure
      draw={draw}
      height={bars.length * 36 + 42}
      fileName="rate-by-variant"
      caption={`Rate by variant in ${unit}, higher is better; lines at the ends of bars are ${intervals}; in colour the best${left > 0 ? `. The fastest ${bars.length} of ${runs.length} are drawn` : ''}.`}
      summary={`Rate by variant, fastest first: ${told.join('; ')}.`}
    />
  );
}
