'use client';

import type { MeasuredRun } from '@tilemark/core';
import { isCeiling, opOf } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot/plot';
import { type OverHost, shortLabels } from '../runs';

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

/**
 * The fastest of some runs as bars, under the names of the report where it has some.
 *
 * @param host times the serial host, by run id; null: bars are rates
 */
export function barsOf(
  runs: readonly MeasuredRun[],
  names: ReadonlyMap<string, string>,
  host: ReadonlyMap<string, OverHost> | null,
) {
  const labels = shortLabels(runs);
  return runs
    .map((run) => {
      const { address, figures, runId } = run;
      const { highNs, lowNs, medianNs } = figures;
      const rate = host ? (host.get(runId)?.ratio ?? 0) : figures.rate;
      const label = [names.get(address), labels.get(address)].filter(Boolean).join(' · ');
      return { label, rate, low: (rate * medianNs) / highNs, high: (rate * medianNs) / lowNs, run };
    })
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, MAX_BARS);
}
type Bar = ReturnType<typeof barsOf>[number];

/**
 * The variants of one problem, profile and device as bars, fastest first, the best set off from the rest;
 * of a sweep with the serial host, how many times its speed they have.
 */
export function VariantBars({
  runs,
  names,
  host = null,
  intervals,
}: {
  runs: readonly MeasuredRun[];
  names: ReadonlyMap<string, string>;
  host?: ReadonlyMap<string, OverHost> | null;
  /** What the lines at the ends of bars are. */
  intervals: string;
}) {
  const bars = useMemo(() => barsOf(runs, names, host), [runs, names, host]);
  const [first] = bars;
  const rateUnit = first ? opOf(first.run.problem).rateUnit(first.run.problem) : '';
  const unit = host ? 'times the serial host' : rateUnit;
  const title = host ? 'Speed-up over the host by variant' : 'Rate by variant';

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
      fileName={host ? 'over-host-by-variant' : 'rate-by-variant'}
      caption={`${title} in ${unit}, higher is better; lines at the ends of bars are ${intervals}; in colour the best${left > 0 ? `. The fastest ${bars.length} of ${runs.length} are drawn` : ''}.`}
      summary={`${title}, fastest first: ${told.join('; ')}.`}
    />
  );
}
