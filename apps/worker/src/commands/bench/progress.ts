import type { PlannedRun, RunResult, Step } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { Presets, SingleBar } from 'cli-progress';

const WAITING = 'waiting, something else on this machine is measuring';

/** Tells on stderr how far a session is: a bar on a terminal, a line a run elsewhere. */
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
  const single = new SingleBar(
    { stream, format: '{bar} {value}/{total} {what}', clearOnComplete: true, hideCursor: true },
    Presets.rect,
  );
  single.start(total, 0, { what: '' });
  return {
    wait: (run) => single.update({ what: `${nameOf(run)}: ${WAITING}` }),
    step: (run, step) => single.update({ what: `${nameOf(run)}: ${step}` }),
    result: () => single.increment(),
    end: () => single.stop(),
  };
}

function lines(total: number, stream: NodeJS.WriteStream): Progress {
  let done = 0;
  return {
    wait: (run) => void stream.write(`${nameOf(run)}: ${WAITING}\n`),
    step: () => {},
    result: (result) => {
      done++;
      stream.write(`${done}/${total} ${nameOf(result)}: ${result.outcome?.kind}\n`);
    },
    end: () => {},
  };
}

function nameOf({ address, problem }: Pick<PlannedRun, 'address' | 'problem'>): string {
  return `${address} ${shapeText(problem)} ${problem.dtype}`;
}
