import { type MeasuredRun, outcomeReason, type RunResult } from '@tilemark/core';
import { opOf, shortAddress } from '@tilemark/kernels';
import { rollups } from 'd3-array';
import type { CardBar } from './card';

/** The variants of a sweep, the fastest in colour: each by its full measurement, if it has one beside a screened. */
export function sweepBars(runs: readonly Pick<MeasuredRun, 'address' | 'policy' | 'figures'>[]) {
  const bars = rollups(
    runs,
    (own): CardBar => {
      const full = own.filter(({ policy }) => policy !== 'screen');
      const rates = (full.length > 0 ? full : own).map(({ figures }) => figures.rate);
      return { label: shortAddress(own[0]?.address ?? ''), rate: Math.max(...rates) };
    },
    ({ address }) => address,
  ).map(([, bar]) => bar);
  const most = Math.max(...bars.map(({ rate }) => rate));
  return bars.map((bar) => ({ ...bar, isSubject: bar.rate === most }));
}

/** A result in colour, beside the best of its device on the problem and the device's peak. */
export function resultBars(
  result: Pick<RunResult, 'address' | 'outcome' | 'problem' | 'rate' | 'resultId'>,
  best: Pick<RunResult, 'address' | 'outcome' | 'rate' | 'resultId'> | undefined,
): CardBar[] {
  const { address, outcome, problem, rate } = result;
  const bars: CardBar[] = [];
  if (rate) bars.push({ label: shortAddress(address), rate: rate.value, isSubject: true });
  if (best?.rate && best.resultId !== result.resultId) {
    const what = outcomeReason(best.outcome) === null ? 'Best ranked' : 'Best, not ranked';
    bars.push({ label: `${what}: ${shortAddress(best.address)}`, rate: best.rate.value });
  }
  const roof = outcome?.kind === 'measured' ? outcome.measurement.roof : null;
  if (roof) bars.push({ label: 'The device’s peak', rate: opOf(problem).rate(problem, roof.ns) });
  return bars;
}
