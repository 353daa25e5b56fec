'use client';

import type { MeasuredRun } from '@tilemark/core';
import { isCeiling, opOf } from '@tilemark/kernels';
import { useMemo } from 'react';
import { formatRate } from '@/ui/format';
import { barsHeight, drawBars } from '@/ui/plot/bars';
import { Figure } from '@/ui/plot/plot';
import { type OverHost, shortLabels } from '../runs';

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
  const labels = shortLabels(runs, names);
  return runs
    .map((run) => {
      const { address, figures, runId } = run;
      const { highNs, lowNs, medianNs } = figures;
      const rate = host ? (host.get(runId)?.ratio ?? 0) : figures.rate;
      const label = labels.get(address) ?? address;
      return { label, rate, low: (rate * medianNs) / highNs, high: (rate * medianNs) / lowNs, run };
    })
    .toSorted((a, b) => b.rate - a.rate)
    .slice(0, MAX_BARS);
}

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

  const drawn = useMemo(() => {
    const best = bestOf(bars.map(({ run }) => run));
    return bars.map(({ high, label, low, rate, run }) => ({
      ...{ key: label, label, rate, isLit: run === best },
      dot: host?.get(run.runId)?.withTransfers ?? undefined,
      ends: run.figures.samples === 1 ? undefined : ([low, high] as const),
    }));
  }, [bars, host]);
  const draw = useMemo(() => drawBars(drawn, unit), [drawn, unit]);

  const told = bars.slice(0, 5).map(({ label, rate }) => `${label} ${formatRate(rate)} ${unit}`);
  const left = runs.length - bars.length;
  const dots = drawn.some(({ dot }) => dot !== undefined) ? '; dots are with transfers' : '';
  return (
    <Figure
      draw={draw}
      height={barsHeight(drawn)}
      fileName={host ? 'over-host-by-variant' : 'rate-by-variant'}
      caption={`${title} in ${unit}, higher is better; lines at the ends of bars are ${intervals}; in colour the best${dots}${left > 0 ? `. The fastest ${bars.length} of ${runs.length} are drawn` : ''}.`}
      summary={`${title}, fastest first: ${told.join('; ')}.`}
    />
  );
}
