import { medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { kernelById, type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { intervalText, rateText, significant, table, timeText } from '../table';

const HEAD = ['variant', 'median', '95%', 'rate', 'vs default', 'remark'];
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
  const rows = finals.map((trial) => {
    const { point, outcome } = trial;
    const remark = outcomeReason(outcome) ?? '';
    if (outcome.kind !== 'measured') {
      return [shortAddress(point.address), '', '', '', '', `${outcome.kind}: ${remark}`];
    }
    const { medianNs: ns, lowNs, highNs } = outcome.measurement.cold;
    const speedup = defaultNs(trial, screened);
    return [
      shortAddress(point.address),
      timeText(ns),
      intervalText(lowNs, ns, highNs),
      rateText(rateOf(problem, ns)),
      speedup === null ? '' : `${significant(speedup / ns)}x`,
      remark,
    ];
  });
  return table(HEAD, rows, ALIGNMENTS, { spare: ['95%', 'vs default'] });
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
