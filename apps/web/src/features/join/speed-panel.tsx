import { outcomeReason, type Result } from '@tilemark/core';
import { OPS, shapeText } from '@tilemark/kernels';
import { type ReactNode, useEffect, useState } from 'react';
import { Command } from '@/ui/action';
import { TextLink } from '@/ui/button';
import { formatShape, rateText } from '@/ui/format';
import { Failure } from '@/ui/notice';
import { Panel } from '@/ui/page';
import { type BrowserGpu, findGpu } from './browser-device';
import { Caveats } from './caveats';
import type { QuickState } from './here';
import { Place } from './quick';
import { runText } from './run-text';
import { fragmentOf, PRODUCT, type Speed, sharedIn, speedHere } from './speed';

/** How fast this browser's GPU is, measured when it is shown; or what a link says of somebody's. */
export default function SpeedPanel({
  shown,
  version,
}: {
  shown: number | string;
  version: string;
}) {
  return (
    <Panel className="space-y-3 p-4">
      {typeof shown === 'string' ? (
        <SharedSpeed fragment={shown} />
      ) : (
        <SpeedHere version={version} />
      )}
    </Panel>
  );
}

function SpeedHere({ version }: { version: string }) {
  const [gpu, setGpu] = useState<BrowserGpu | null>(null);
  const [state, setState] = useState<QuickState | null>(null);
  const [speed, setSpeed] = useState<Speed | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const over = new AbortController();
    const measure = async () => {
      const found = await findGpu();
      setGpu(found);
      setSpeed(await speedHere(found.identity, version, setState, over.signal));
    };
    measure().catch((error: Error) => !over.signal.aborted && setProblem(error.message));
    return () => over.abort();
  }, [version]);
  const { ended = 0, run = null, total = 0 } = state ?? {};
  return (
    <>
      <Title>{gpu ? `${gpu.identity.device} in ${gpu.identity.runtime}` : 'Your GPU'}</Title>
      <div role="status" className="space-y-3">
        {!speed && !problem && (
          <p className="text-[0.8125rem] wrap-anywhere text-muted">
            {total === 0 ? 'Opening the GPU…' : `${ended} of ${total}. `}
            {run && runText(run)}
          </p>
        )}
        {speed && gpu && <Measured speed={speed} gpu={gpu} />}
      </div>
      <Failure why={problem} />
      {gpu && <Caveats {...gpu} />}
    </>
  );
}

function Measured({ speed, gpu }: { speed: Speed; gpu: BrowserGpu }) {
  const fragment = fragmentOf(speed, gpu.identity);
  const figure = ({ outcome, problem, rate }: Result, what: string) => (
    <Figure value={rate ? rateText(rate) : '–'}>
      {what} {formatShape(shapeText(problem))} {problem.dtype}
      {rate ? ', verified' : `: ${outcomeReason(outcome)}`}
    </Figure>
  );
  return (
    <>
      <div className="flex flex-wrap gap-x-10 gap-y-3">
        {figure(speed.product, 'product')}
        {figure(speed.copy, 'copy')}
      </div>
      <p className="text-[0.8125rem]">
        Its product among this grid’s devices: <Place run={speed.product} />.{' '}
        <TextLink href="/join">More kernels</TextLink>
      </p>
      {fragment && <Command text={`${location.origin}/${fragment}`} label="the link to share" />}
    </>
  );
}

const Title = ({ children }: { children: ReactNode }) => (
  <h2 className="text-[0.9375rem] wrap-anywhere">{children}</h2>
);

const Figure = ({ value, children }: { value: string; children: ReactNode }) => (
  <p className="min-w-0">
    <span className="text-2xl font-medium">{value}</span>
    <span className="block text-xs wrap-anywhere text-muted">{children}</span>
  </p>
);

/** Its sender's word. */
function SharedSpeed({ fragment }: { fragment: string }) {
  const shared = sharedIn(fragment);
  if (!shared) return <Failure why="This link’s figures cannot be read: copy all of it again." />;
  const { browser, gbps, gflops, gpu, isSoftware, product } = shared;
  return (
    <>
      <Title>
        {gpu} in {browser}
        {isSoftware && ', a software adapter: the CPU'}
      </Title>
      <div className="flex flex-wrap gap-x-10 gap-y-3">
        <Figure value={rateText({ value: gflops, unit: OPS.matmul.rateUnit(PRODUCT) })}>
          product {formatShape(product)} {PRODUCT.dtype}
        </Figure>
        <Figure value={rateText({ value: gbps, unit: 'GB/s' })}>copy</Figure>
      </div>
      <p className="text-[0.8125rem] text-muted">
        Measured in a visitor’s tab, not on this board: nobody here has checked what the link says.
      </p>
    </>
  );
}
