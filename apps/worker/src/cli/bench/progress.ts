import { outcomeReason, type Result, type RunSpec, type Step } from '@tilemark/core';
import { shortAddress } from '@tilemark/kernels';
import { problemText, progressBar, rateText, WAITING } from '../table';

/** Shows how far a session is: a bar on a terminal, a line per run elsewhere. */
export function progressOf(total: number, stream: NodeJS.WriteStream) {
  const bar = stream.isTTY ? progressBar(stream, '{bar} {value}/{total} {left} {what}') : null;
  const beganMs = performance.now();
  let done = 0;
  bar?.start(total, 0, { what: '', left: '' });
  const show = (what: string) =>
    bar?.update(done, { what, left: leftText(performance.now() - beganMs, done, total) });
  const say = (line: string) => void (bar ? show(line) : stream.write(`${line}\n`));
  return {
    wait: (run: Named) => say(`${nameOf(run)}: ${WAITING}`),
    step: (run: Named, step: Step) => show(`${nameOf(run)}: ${step}`),
    result: (result: Result) => {
      done++;
      say(bar ? nameOf(result) : `${done}/${total} ${nameOf(result)}: ${outcomeOf(result)}`);
    },
    end: () => bar?.stop(),
  };
}

/** `3 min left`, if the other runs take as long as those so far; empty before the first has ended. */
export function leftText(elapsedMs: number, done: number, total: number): string {
  if (done === 0) return '';
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000);
  return seconds < 100 ? `${seconds} s left` : `${Math.round(seconds / 60)} min left`;
}

/** The rate, or how else it ended, and why. */
function outcomeOf({ outcome, rate }: Result): string {
  if (rate) return rateText(rate);
  return `${outcome?.kind}: ${outcomeReason(outcome)?.split('\n')[0]}`;
}

type Named = Pick<RunSpec, 'address' | 'problem'>;

const nameOf = ({ address, problem }: Named): string =>
  `${shortAddress(address)}, ${problemText(problem)}`;
