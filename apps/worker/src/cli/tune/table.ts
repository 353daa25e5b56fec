import { intervalsHead, medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { rateText, seriesInterval, seriesOf, table, timeText } from '../table';

const ALIGNMENTS = ['left', 'right', 'right', 'right', 'right', 'left'] as const;

/** The finals, fastest first. `of fastest`: the fastest one's median over this one's, both of full runs. */
export function tunedTable(finals: readonly Trial[], problem: Problem): string {
  const fastestNs = Math.min(...finals.map((trial) => medianNs(trial) ?? Number.POSITIVE_INFINITY));
  const interval = intervalsHead(finals.flatMap(({ outcome }) => seriesOf(outcome)));
  const rows = finals.map((trial) => {
    const { point, outcome } = trial;
    const remark = outcomeReason(outcome) ?? '';
    if (outcome.kind !== 'measured') {
      return [shortAddress(point.address), '', '', '', '', `${outcome.kind}: ${remark}`];
    }
    const { cold } = outcome.measurement;
    const ns = cold.medianNs;
    return [
      shortAddress(point.address),
      timeText(ns),
      seriesInterval(cold, interval),
      rateText(rateOf(problem, ns)),
      (fastestNs / ns).toFixed(3),
      remark,
    ];
  });
  const head = ['variant', 'median', interval, 'rate', 'of fastest', 'remark'];
  return table(head, rows, ALIGNMENTS, { spare: [interval, 'of fastest'] });
}
