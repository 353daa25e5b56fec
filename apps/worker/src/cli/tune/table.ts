import { intervalsHead, medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { kernelById, type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { rateText, seriesInterval, seriesOf, significant, table, timeText } from '../table';

const ALIGNMENTS = ['left', 'right', 'right', 'right', 'right', 'left'] as const;

/**
 * The finals, fastest first. `vs default`: how many times as fast as the kernel's default variant, by
 * the quick runs of both, since few defaults have a full one.
 */
export function tunedTable(
  finals: readonly Trial[],
  screened: readonly Trial[],
  problem: Problem,
): string {
  const interval = intervalsHead(finals.flatMap(({ outcome }) => seriesOf(outcome)));
  const rows = finals.map((trial) => {
    const { point, outcome } = trial;
    const remark = outcomeReason(outcome) ?? '';
    if (outcome.kind !== 'measured') {
      return [shortAddress(point.address), '', '', '', '', `${outcome.kind}: ${remark}`];
    }
    const { cold } = outcome.measurement;
    const ns = cold.medianNs;
    const speedup = overDefault(trial, screened);
    return [
      shortAddress(point.address),
      timeText(ns),
      seriesInterval(cold, interval),
      rateText(rateOf(problem, ns)),
      speedup === null ? '' : `${significant(speedup)}x`,
      remark,
    ];
  });
  const head = ['variant', 'median', interval, 'rate', 'vs default', 'remark'];
  return table(head, rows, ALIGNMENTS, { spare: [interval, 'vs default'] });
}

function overDefault({ point }: Trial, screened: readonly Trial[]): number | null {
  const { tunables } = kernelById(point.kernel);
  const nsOf = (isIt: (trial: Trial) => boolean) => {
    const trial = screened.find(
      (candidate) => candidate.point.kernel === point.kernel && isIt(candidate),
    );
    return trial ? medianNs(trial) : null;
  };
  const initial = nsOf((trial) =>
    tunables.every((tunable) => trial.point.tunables[tunable.name] === tunable.default),
  );
  const ns = nsOf((trial) => trial.point.address === point.address);
  return initial === null || ns === null ? null : initial / ns;
}
