'use client';

import type { MeasuredRun } from '@tilemark/core';
import { KERNELS, opOf } from '@tilemark/kernels';
import { useCallback, useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { type DrawPlot, Figure } from '@/ui/plot';
import { shortLabels } from './runs';

/** Longer labels stand above their bars, where the whole width is theirs. */
const BESIDE_CHARACTERS = 20;

/** More bars than this are not read as a picture; the table has them all. */
const MAX_BARS = 40;

interface Bar {
  readonly label: string;
  /** Other work than the problem's (copy): shown as a bound, never as the best. */
  readonly isCeiling: boolean;
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Rates of the variants of one problem, profile and device, the best set off from the rest. */
export function VariantBars({ runs }: { runs: readonly MeasuredRun[] }) {
  const bars = useMemo(() => barsOf(runs), [runs]);
  const best = bars.find(({ isCeiling }) => !isCeiling);
  const [first] = runs;
  const unit = first ? opOf(first.problem).rateUnit : '';

  const longest = Math.max(...bars.map(({ label }) => label.length));
  const isBeside = longest <= BESIDE_CHARACTERS;
  const rowHeight = isBeside ? 22 : 36;

  const draw = useCallback<DrawPlot>(
    (Plot, width) => {
      return {
        marginLeft: isBeside ? longest * 6.4 + 16 : 4,
        marginRight: 52,
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
          Plot.barX(bars, {
            y: 'label',
            x: 'rate',
            insetTop: isBeside ? 0 : 14,
            fill: (bar: Bar) => (bar === best ? 'var(--accent)' : 'var(--line-strong)'),
          }),
          Plot.ruleY(bars, {
            y: 'label',
            x1: 'low',
            x2: 'high',
            stroke: 'var(--ink)',
            marker: 'tick',
            dy: isBeside ? 0 : 7,
          }),
          Plot.text(bars, {
            y: 'label',
            x: 'high',
            text: (bar: Bar) => formatRate(bar.rate),
            textAnchor: 'start',
            dx: 6,
            dy: isBeside ? 0 : 7,
            fill: 'var(--ink)',
          }),
          Plot.ruleX([0], { stroke: 'var(--line-strong)' }),
        ],
      };
    },
    [bars, best, unit, isBeside, longest],
  );

  if (bars.length === 0) return null;
  return (
    <Figure
      draw={draw}
      height={bars.length * rowHeight + 42}
      fileName="rate-by-variant"
      caption={
        <>
          Rate by variant in {unit}, higher is better; the line at a bar’s end is the 95% interval
          {runs.length > bars.length && `. The fastest ${bars.length} of ${runs.length} are drawn`}
        </>
      }
      summary={`Rate by variant, fastest first: ${bars
        .slice(0, 5)
        .map(({ label, rate }) => `${label} ${formatRate(rate)} ${unit}`)
        .join(
          '; ',
        )}${bars.length > 5 ? `; and ${bars.length - 5} more` : ''}. The table below has every figure.`}
    />
  );
}

/** Fastest first; labels are made unique by the address where the short ones collide. */
function barsOf(runs: readonly MeasuredRun[]): Bar[] {
  const labels = shortLabels(runs);
  return runs
    .map(({ address, figures: { highNs, lowNs, medianNs, rate }, variant: { kernel } }) => ({
      label: labels.get(address) ?? address,
      isCeiling: KERNELS.some(({ id, computes }) => id === kernel && computes === 'copy'),
      rate,
      low: (rate * medianNs) / highNs,
      high: (rate * medianNs) / lowNs,
    }))
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, MAX_BARS);
}
