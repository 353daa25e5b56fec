import { medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { progressBar, rateText, WAITING } from '../table';

/** Shows how far a search is: a bar with the best so far on a terminal, a line per trial elsewhere. */
export function tuneProgress(problem: Problem, budgetNs: number, stream: NodeJS.WriteStream) {
  const rate = (trial: Trial) => {
    const ns = medianNs(trial);
    return ns === null ? null : rateText(rateOf(problem, ns));
  };
  const budgetS = Math.ceil(budgetNs / 1e9);
  const bar = stream.isTTY
    ? progressBar(stream, '{bar} {trials} tried, {phase}; best {best}')
    : null;
  let trials = 0;
  const say = (line: string) => void stream.write(`${line}\n`);
  return {
    begin: () => bar?.start(budgetS, 0, { trials, phase: 'screening', best: 'none yet' }),
    /** Something else on this machine is measuring. */
    wait: () => (bar ? bar.update({ phase: WAITING }) : say(WAITING)),
    trial(trial: Trial, best: Trial | null, elapsedNs: number) {
      const { outcome, point, policy } = trial;
      trials++;
      bar?.update(Math.min(Math.floor(elapsedNs / 1e9), budgetS), {
        trials,
        phase: policy === 'screen' ? 'screening' : 'measuring the leaders',
        best: best ? `${rate(best)} ${shortAddress(best.point.address)}` : 'none yet',
      });
      if (bar) return;
      const result = rate(trial) ?? `${outcome.kind}: ${outcomeReason(outcome)}`;
      const leads = best === trial ? ', the best so far' : '';
      const seconds = Math.round(elapsedNs / 1e9);
      say(
        `${trials} at ${seconds} s, ${policy}: ${shortAddress(point.address)}: ${result}${leads}`,
      );
    },
    end: () => bar?.stop(),
  };
}
