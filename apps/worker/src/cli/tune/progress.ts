import { medianNs, outcomeReason, type Trial } from '@tilemark/core';
import { type Problem, rateOf, shortAddress } from '@tilemark/kernels';
import { progressBar, rateText, WAITING } from '../table';

/** Shows how far a search is: a bar with the best so far on a terminal, a line per trial elsewhere. */
export interface TuneProgress {
  /** Something else on this machine is measuring. */
  wait(): void;
  trial(trial: Trial, best: Trial | null, elapsedNs: number, wasCached: boolean): void;
  end(): void;
}

export function tuneProgress(
  problem: Problem,
  budgetNs: number,
  stream: NodeJS.WriteStream,
): TuneProgress {
  const rate = (trial: Trial) => {
    const ns = medianNs(trial);
    return ns === null ? null : rateText(rateOf(problem, ns));
  };
  return stream.isTTY ? bar(rate, budgetNs, stream) : lines(rate, stream);
}

type RateOf = (trial: Trial) => string | null;

function bar(rate: RateOf, budgetNs: number, stream: NodeJS.WriteStream): TuneProgress {
  let trials = 0;
  const single = progressBar(stream, '{bar} {trials} tried, {phase}; best {best}');
  single.start(Math.ceil(budgetNs / 1e9), 0, { trials, phase: 'screening', best: 'none yet' });
  return {
    wait: () => single.update({ phase: WAITING }),
    trial({ policy }, best, elapsedNs) {
      single.update(Math.min(Math.floor(elapsedNs / 1e9), Math.ceil(budgetNs / 1e9)), {
        trials: ++trials,
        phase: policy === 'screen' ? 'screening' : 'measuring the leaders',
        best: best ? `${rate(best)} ${shortAddress(best.point.address)}` : 'none yet',
      });
    },
    end: () => single.stop(),
  };
}

function lines(rate: RateOf, stream: NodeJS.WriteStream): TuneProgress {
  let trials = 0;
  return {
    wait: () => void stream.write(`${WAITING}\n`),
    trial(trial, best, elapsedNs, wasCached) {
      trials++;
      const { outcome, point, policy } = trial;
      const result = rate(trial) ?? `${outcome.kind}: ${outcomeReason(outcome)}`;
      const leads = best === trial ? ', the best so far' : '';
      const from = wasCached ? ', from the cache' : '';
      const seconds = Math.round(elapsedNs / 1e9);
      stream.write(
        `${trials} at ${seconds} s, ${policy}: ${shortAddress(point.address)}: ${result}${leads}${from}\n`,
      );
    },
    end: () => {},
  };
}
