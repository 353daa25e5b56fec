import { intervalsHead, medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { kernelById, type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { rateText, seriesInterval, significant, table, timeText } from '../table';

const ALIGNMENTS = ['left', 'right', 'right', 'right', 'right', 'left'] as const;

/**
 * The finals, fastest first. `vs default`: how many times as fast as the kernel's default
 * variant was when screened.
 */
export function tunedTable(
  finals: readonly Trial[],
  screened: readonly Trial[],
  problem: Problem,
): string {
  const interval = intervalsHead(
    finals.flatMap(({ outcome }) =>
      outcome.kind === 'measured' ? [outcome.measurement.cold.n] : [],
    ),
  );
  const rows = finals.map((trial) => {
    const { point, outcome } = trial;
    const remark = outcomeReason(outcome) ?? '';
    if (outcome.kind !== 'measured') {
      return [shortAddress(point.address), '', '', '', '', `${outcome.kind}: ${remark}`];
    }
    const { cold } = outcome.measurement;
    const ns = cold.medianNs;
    const speedup = defaultNs(trial, screened);
    return [
      shortAddress(point.address),
      timeText(ns),
      seriesInterval(cold, interval),
      rateText(rateOf(problem, ns)),
      speedup === null ? '' : `${significant(speedup / ns)}x`,
      remark,
    ];
  });
  const head = ['variant', 'median', interval, 'rate', 'vs default', 'remark'];
  return table(head, rows, ALIGNMENTS, { spare: [interval, 'vs default'] });
}

function defaultNs({ point }: Trial, screened: readonly Trial[]): number | null {
  const { tunables } = kernelById(point.kernel);
  const initial = screened.find(
    (trial) =>
      trial.point.kernel === point.kernel &&
      tunables.every((each) => trial.point.tunables[each.name] === each.default),
  );
  return initial ? medianNs(initial) : null;
}
