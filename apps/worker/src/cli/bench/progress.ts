import { outcomeReason, type PlannedRun, type RunResult, type Step } from '@tilemark/core';
import { shortAddress } from '@tilemark/kernels';
import { problemText, progressBar, rateText, WAITING } from '../table';

/** Shows on stderr how far a session is: a bar on a terminal, a line per run elsewhere. */
export interface Progress {
  wait(run: PlannedRun): void;
  step(run: PlannedRun, step: Step): void;
  result(result: RunResult): void;
  end(): void;
}

export function progressOf(total: number, stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? bar(total, stream) : lines(total, stream);
}

function bar(total: number, stream: NodeJS.WriteStream): Progress {
  const single = progressBar(stream, '{bar} {value}/{total} {left} {what}');
  const beganMs = performance.now();
  let done = 0;
  const show = (what: string) => {
    single.update(done, { what, left: leftText(performance.now() - beganMs, done, total) });
  };
  single.start(total, 0, { what: '', left: '' });
  return {
    wait: (run) => show(`${nameOf(run)}: ${WAITING}`),
    step: (run, step) => show(`${nameOf(run)}: ${step}`),
    result: (result) => {
      done++;
      show(nameOf(result));
    },
    end: () => single.stop(),
  };
}

/** `3 min left`, if the other runs take as long as those so far; empty before the first has ended. */
export function leftText(elapsedMs: number, done: number, total: number): string {
  if (done === 0) return '';
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000);
  return seconds < 100 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`;
}

function lines(total: number, stream: NodeJS.WriteStream): Progress {
  let done = 0;
  return {
    wait: (run) => void stream.write(`${nameOf(run)}: ${WAITING}\n`),
    step: () => {},
    result: (result) => {
      done++;
      stream.write(`${done}/${total} ${nameOf(result)}: ${outcomeOf(result)}\n`);
    },
    end: () => {},
  };
}

/** The rate, or how else it ended, and why. */
function outcomeOf({ outcome, rate }: RunResult): string {
  if (rate) return rateText(rate);
  return `${outcome?.kind}: ${outcomeReason(outcome)?.split('\n')[0]}`;
}

function nameOf({ address, problem }: Pick<PlannedRun, 'address' | 'problem'>): string {
  return `${shortAddress(address)}, ${problemText(problem)}`;
}
