import { outcomeReason } from '@tilemark/core';
import { batteryFinding, type Checked, findingOf, isRight } from '@tilemark/core/contributed';
import { rateOf, shapeText, variantAddress } from '@tilemark/kernels';
import { useEffect, useRef, useState } from 'react';
import { type BrowserGpu, findGpu } from '@/features/join/browser-device';
import { Caveats } from '@/features/join/caveats';
import { runText } from '@/features/join/run-text';
import { timesOf } from '@/features/join/runs-table';
import { Button } from '@/ui/button';
import { formatNs, formatShape, formatSpeedup, plural, rateText } from '@/ui/format';
import { Failure } from '@/ui/notice';
import { type RunHere, runHere } from './run-here';
import type { KernelForm } from './submit';

/** Checks and times the kernel on the visitor's own GPU. Nothing leaves the tab. */
export function RunPanel({
  version,
  isReady,
  wanted,
}: {
  version: string;
  /** Whether the kernel can be read. */
  isReady: boolean;
  wanted: () => KernelForm;
}) {
  const [gpu, setGpu] = useState<BrowserGpu | null>(null);
  const [state, setState] = useState<RunHere | null>(null);
  const [isWorking, setWorking] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);

  const start = async () => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setWorking(true);
    setProblem(null);
    setState(null);
    try {
      setGpu(await findGpu());
      await runHere(wanted(), { version, card: '' }, setState, signal);
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
          <Button disabled={!isReady} onClick={() => void start()}>
            Run here
          </Button>
        )}
        <p className="min-w-0 text-muted">
          {gpu ? state?.device : 'Checks and times it on your GPU; nothing leaves this tab.'}
        </p>
      </div>
      <div role="status" className="space-y-2 wrap-anywhere">
        {isWorking && (
          <p className="text-muted">
            {state ? `${plural(state.checked.length, 'case')} checked. ` : 'Opening the GPU…'}
            {state?.run && runText(state.run)}
          </p>
        )}
        {state && !isWorking && <Ended state={state} />}
      </div>
      <Failure why={problem} />
      {gpu && <Caveats {...gpu} />}
    </div>
  );
}

function Ended({ state: { checked, scales, timed } }: { state: RunHere }) {
  const finding = batteryFinding(checked);
  const bad = checked.filter((each) => !isRight(each));
  return (
    <>
      <p>
        {finding === 'right' ? 'Right' : `Not right: ${finding}`}: {checked.length - bad.length} of{' '}
        {plural(checked.length, 'case')} passed.
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
  return `, ${formatSpeedup(b.medianNs / a.medianNs)} naive’s speed`;
}
