import { benchLines, outcomeReason, pairContrast, problemName } from '@tilemark/core';
import {
  batteryFinding,
  type Checked,
  casesOf,
  findingOf,
  isRight,
} from '@tilemark/core/contributed';
import { type GpuKernel, type Problem, rateOf, shapeText, variantAddress } from '@tilemark/kernels';
import { useEffect, useRef, useState } from 'react';
import { type BrowserGpu, findGpu } from '@/features/join/browser-device';
import { Caveats } from '@/features/join/caveats';
import { type Joined, keep, kept } from '@/features/join/keep';
import { runText } from '@/features/join/run-text';
import { timesOf } from '@/features/join/runs-table';
import { Button } from '@/ui/button';
import { endsText, formatNs, formatShape, formatSpeedup, plural, rateText } from '@/ui/format';
import { Failure } from '@/ui/notice';
import { ask, SEAT_ENDED } from '@/ui/request';
import { type RunHere, runHere } from './run-here';
import { draftOf, type KernelForm } from './submit';

/**
 * Checks and times the kernel on the visitor's own GPU. Nothing leaves the tab, unless who joined a class
 * hands the kernel in.
 */
export function RunPanel({
  version,
  kernel,
  wanted,
}: {
  version: string;
  /** Null: it cannot be read. */
  kernel: GpuKernel | null;
  wanted: () => KernelForm;
}) {
  // Outside secure contexts there is no WebGPU either.
  const [{ card = '', joined = null, token = null } = {}] = useState(() =>
    isSecureContext ? kept() : undefined,
  );
  const [handedIn, setHandedIn] = useState<string | null>(null);
  const [gpu, setGpu] = useState<BrowserGpu | null>(null);
  const [state, setState] = useState<RunHere | null>(null);
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  /** @param asked what it is handed in for */
  const start = async (asked?: Problem) => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setWorking(true);
    setProblem(null);
    setState(null);
    setHandedIn(null);
    try {
      setGpu(await findGpu(card));
      const form = wanted();
      const found = await runHere(form, { version, card }, setState, signal, asked);
      if (asked && token) {
        const body = benchLines({ version: 1, kernel: draftOf(form), ...found });
        const request = { body, type: 'application/x-ndjson', token };
        const answer = await ask('/api/v1/invites/hand-in', request);
        if (!answer.ok) {
          if (answer.message === SEAT_ENDED) keep({ ...kept(), token: null });
          throw new Error(`Not handed in. ${answer.message}`);
        }
        setHandedIn(`Handed in for ${problemName(asked)}.`);
      }
    } catch (error) {
      if (!signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    }
    setWorking(false);
  };
  return (
    <div className="mt-3 space-y-2 text-[0.8125rem]">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {isWorking ? (
          <Button onClick={() => stop.current.abort()}>Stop</Button>
        ) : (
          <Button disabled={!kernel} onClick={() => void start()}>
            Run here
          </Button>
        )}
        <p className="min-w-0 text-muted">
          {gpu ? state?.device : 'Checks and times it on your GPU; nothing leaves this tab.'}
        </p>
      </div>
      {joined && token && !isWorking && (
        <HandIn of={joined} kernel={kernel} onAsked={(asked) => void start(asked)} />
      )}
      <div role="status" className="space-y-2 wrap-anywhere">
        {isWorking && (
          <p className="text-muted">
            {state ? `${progressText(state)} checked. ` : 'Opening the GPU…'}
            {state?.run && runText(state.run)}
          </p>
        )}
        {state && !isWorking && <Ended state={state} />}
        {handedIn && <p>{handedIn}</p>}
      </div>
      <Failure why={problem} />
      {gpu && <Caveats {...gpu} />}
    </div>
  );
}

/** What the visitor's class asks for that the kernel may be handed in for. */
function HandIn({
  of: { name, problems },
  kernel,
  onAsked,
}: {
  of: Joined;
  kernel: GpuKernel | null;
  onAsked: (problem: Problem) => void;
}) {
  const fitting = problems.filter(
    ({ dtype, op }) => op === kernel?.op && kernel.dtypes.includes(dtype),
  );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      {fitting.map((problem) => (
        <Button key={problemName(problem)} onClick={() => onAsked(problem)}>
          Hand in for {problemName(problem)}
        </Button>
      ))}
      <p className="min-w-0 text-muted">
        {fitting.length > 0
          ? `Checks and times it, then sends it and the results to ${name}.`
          : problems.length > 0 &&
            `${name} asks for ${problems.map(problemName).join(', ')}: this kernel is for none of them.`}
      </p>
    </div>
  );
}

function Ended({ state: { checked, scales, timed } }: { state: RunHere }) {
  const finding = batteryFinding(checked);
  const cases = casesOf(checked);
  const bad = cases.filter((each) => !isRight(each));
  const leftOut = checked.length - cases.length;
  return (
    <>
      <p>
        {finding === 'right' ? 'Right' : `Not right: ${finding}`}: {cases.length - bad.length} of{' '}
        {plural(cases.length, 'case')} passed{leftOut > 0 && `, ${leftOut} skipped`}.
      </p>
      {bad.slice(0, MOST).map((each) => (
        <p key={variantAddress(each.variant) + shapeText(each.problem)}>
          {caseText(each)}: {findingOf(each.outcome)}: {outcomeReason(each.outcome)}
        </p>
      ))}
      {timed.map(([own, naive]) => (
        <p key={shapeText(own.problem)}>
          {caseText(own)}: {timeText(own)}
          {speedupText(own, naive)}
        </p>
      ))}
      {scales.map(({ problem, words }) => (
        <p key={problem.dtype + words}>
          {formatShape(shapeText(problem))} {problem.dtype}: {words}
        </p>
      ))}
    </>
  );
}

const progressText = ({ cases, checked: { length } }: RunHere) =>
  `${length} of ${plural(Math.max(cases, length), 'case')}`;

/** Cases that are shown. */
const MOST = 10;

const caseText = ({ problem, variant }: Checked) =>
  `${formatShape(shapeText(problem))} ${problem.dtype} ${variantAddress(variant).replace(/^[^[]*/, '')}`.trim();

function timeText(run: Checked) {
  const times = timesOf(run);
  if (!times) return outcomeReason(run.outcome);
  return `${formatNs(times.medianNs)}, ${rateText(rateOf(run.problem, times.medianNs))}`;
}

function speedupText(own: Checked, naive: Checked): string {
  const [a, b] = [timesOf(own), timesOf(naive)];
  if (!a || !b) return `; naive: ${timeText(naive)}`;
  const contrast = pairContrast({ a, b });
  return `, ${formatSpeedup(contrast.ratio)} naive’s speed (${endsText(contrast)})`;
}
