'use client';

/** Lending this browser's GPU: what it is, what it does, and how to stop. */
import { inviteSchema, unnamedReason } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { z } from 'zod';
import { deviceHref } from '@/features/devices/device-name';
import { Button, TextLink } from '@/ui/button';
import { Facts } from '@/ui/facts';
import { InputField } from '@/ui/field';
import { Failure, Notice } from '@/ui/notice';
import { Panel, Section } from '@/ui/page';
import { ask } from '@/ui/request';
import { useHydrated } from '@/ui/use-hydrated';
import { findGpu, identityOf } from './browser-device';
import { Caveats } from './caveats';
import { keep, kept } from './keep';
import { Lending, type LendingState } from './lending';
import { Quick } from './quick';
import { runText } from './run-text';
import { RunsTable } from './runs-table';
import { useHold } from './use-hold';

const madeSchema = z.object({ secret: z.string() });
const redeemedSchema = inviteSchema.pick({ name: true, problems: true }).extend(madeSchema.shape);

/** The worker token of this browser: from last time, for the invite in the address, or for a session. */
async function tokenFor(invite: string, mayInvite: boolean, name: string): Promise<string> {
  const before = kept();
  if (before.token) return before.token;
  let secret = invite;
  if (!secret && mayInvite) {
    const body = JSON.stringify({ name: 'a browser of mine', seats: 1, hours: 24 });
    const made = await ask('/api/v1/invites', { body, answer: madeSchema.loose() });
    if (!made.ok) throw new Error(made.message);
    secret = made.value.secret;
  }
  const body = JSON.stringify({ invite: secret, ...(name && { name }) });
  const taken = await ask('/api/v1/invites/redeem', { body, answer: redeemedSchema.loose() });
  if (!taken.ok) {
    // Of a name that is taken, another is typed.
    if (taken.field !== 'name') keep({ ...before, token: null, invite: null });
    throw new Error(taken.message);
  }
  const { secret: token, ...joined } = taken.value;
  keep({ ...before, token, joined, invite: secret });
  return token;
}

/** @param mayInvite whether the visitor's session may let this browser in without an invite */
export function Join({
  version,
  cards,
  mayInvite,
  isPublic,
}: {
  version: string;
  /** The names of cards that the grid knows. */
  cards: readonly string[];
  mayInvite: boolean;
  isPublic: boolean;
}) {
  const [adapter, setAdapter] = useState<GPUAdapter | null>(null);
  const [card, setCard] = useState('');
  const [invite, setInvite] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const [state, setState] = useState<LendingState | null>(null);
  const [isPaused, setPaused] = useState(false);
  const [isCareful, setCareful] = useState(true);
  const lending = useRef<Lending | null>(null);
  const router = useRouter();
  const isWorking = state?.phase === 'starting' || state?.phase === 'working';
  const isHydrated = useHydrated();
  const hold = useHold(isWorking && !isPaused, isCareful);
  const rests = isPaused || hold !== null;

  useEffect(() => {
    findGpu().then(
      (gpu) => setAdapter(gpu.adapter),
      (error: Error) => setProblem(error.message),
    );
    // Elsewhere there is no WebGPU, and what is asked for below is missing too.
    if (!isSecureContext) return;
    const readInvite = () => {
      const before = kept();
      const invite = location.hash.slice(1) || before.invite;
      if (invite !== before.invite) keep({ ...before, invite, token: null });
      // Out of the address, where it could be read over a shoulder.
      history.replaceState(null, '', location.pathname);
      setInvite(invite ?? '');
      setName(before.name);
      setCard(before.card);
    };
    readInvite();
    const close = () => lending.current?.abandon();
    window.addEventListener('pagehide', close);
    // An invite pasted into a tab that is already here loads nothing.
    window.addEventListener('hashchange', readInvite);
    return () => {
      window.removeEventListener('hashchange', readInvite);
      window.removeEventListener('pagehide', close);
      lending.current?.leave();
    };
  }, []);
  useEffect(() => lending.current?.pause(rests), [rests]);

  /** Takes a seat under the name; the token. */
  const join = async (): Promise<string> => {
    setProblem(null);
    if (!isNamed) throw new Error('Enter your name first: what you send is published under it.');
    const token = await tokenFor(invite ?? '', mayInvite, name.trim());
    keep({ ...kept(), name: name.trim(), card: card.trim() });
    return token;
  };
  const write = () =>
    join().then(
      () => router.push('/kernels/new'),
      (error: Error) => setProblem(error.message),
    );
  const start = async () => {
    try {
      const token = await join();
      lending.current = new Lending(setState);
      lending.current.pause(rests);
      const { instance } = kept();
      await lending.current.work({
        ...{ token, version, instance },
        ...{ name: name.trim(), card: card.trim() },
      });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  useEffect(() => {
    // The next start takes a seat again, or explains why none is left.
    if (state?.isRefused) keep({ ...kept(), token: null });
  }, [state?.isRefused]);

  const notice = problem ?? state?.problem;
  const isInvited = Boolean(invite) || mayInvite;
  // Equal GPUs of a class are told apart by who sits at them.
  const isNamed = mayInvite || name.trim() !== '';
  // Short, so that it stands in the buttons' line on a phone too; what says more moves nothing below.
  const waitsFor = adapter ? null : problem ? 'No GPU: see below.' : 'Finding the GPU…';
  return (
    <div className="max-w-3xl space-y-6">
      {isPublic && (
        <Quick
          browser={{ version, card: card.trim() }}
          publisher={mayInvite ? 'session' : invite ? join : null}
          isReady={adapter !== null && !isWorking}
          waitsFor={waitsFor}
          isFirst={!isInvited}
        />
      )}
      <Section title="Lend it to the grid" id="lend" note="with an invite or a login">
        <Panel className="space-y-3 p-4">
          <p>
            This tab measures runs that wait for your GPU until you leave. The machine may get warm
            and loud. The results, your name, your GPU and your browser’s version are published.
          </p>
          <div className="max-w-64">
            <InputField
              id="name"
              label="Your name"
              autoComplete="nickname"
              maxLength={60}
              value={name}
              // Hydration would discard what is typed before it.
              disabled={isWorking || !isHydrated}
              onChange={({ target }) => setName(target.value)}
            />
          </div>
          <label className="flex items-center gap-2 text-[0.8125rem]">
            <input
              type="checkbox"
              className="size-3.5 accent-accent"
              checked={isCareful}
              disabled={!isHydrated}
              onChange={({ target }) => setCareful(target.checked)}
            />
            Pause while this tab is hidden or the machine is on battery
          </label>
          <div className="flex flex-wrap items-center gap-2">
            {isWorking ? (
              <>
                <Button look="primary" onClick={() => setPaused(!isPaused)}>
                  {isPaused ? 'Resume' : 'Pause'}
                </Button>
                <Button onClick={() => lending.current?.leave()}>Leave</Button>
              </>
            ) : (
              <Button
                look="primary"
                disabled={!adapter || !isInvited || !isNamed}
                onClick={() => void start()}
              >
                Start
              </Button>
            )}
            {invite && !isWorking && (
              <Button disabled={!isNamed} onClick={() => void write()}>
                Hand in a kernel
              </Button>
            )}
            {waitsFor && <p className="text-[0.8125rem] text-muted">{waitsFor}</p>}
          </div>
        </Panel>
      </Section>
      <Failure why={notice} />
      {state?.phase === 'blocked' && (
        <Notice tone="amber" alert>
          Another tab of this browser is lending its GPU. Leave it there first.
        </Notice>
      )}
      {invite !== null && !isInvited && (
        <Notice tone="amber">
          To lend your GPU you need an invite: ask a member of this grid for a link, or{' '}
          <TextLink href="/login?next=/join">log in</TextLink> as one.
        </Notice>
      )}
      {state && <Now state={state} pausedWhy={isPaused ? 'you paused it' : hold} />}
      {state && state.ended.length > 0 && (
        <Section title="Measured in this tab" id="measured">
          <RunsTable caption="Measured in this tab" runs={state.ended} />
        </Section>
      )}
      {(adapter || !problem) && (
        <Device
          adapter={adapter}
          card={card}
          cards={cards}
          onCard={isWorking || !isHydrated ? null : setCard}
        />
      )}
    </div>
  );
}

/** Null: not known yet. As high as later, so that nothing below moves. */
function Device({
  adapter,
  card,
  cards,
  onCard,
}: {
  adapter: GPUAdapter | null;
  card: string;
  cards: readonly string[];
  /** Null: it cannot be named now. */
  onCard: ((card: string) => void) | null;
}) {
  const identity = adapter && identityOf(adapter, card.trim());
  const unnamed = identity && unnamedReason(identity);
  const has = (feature: GPUFeatureName) =>
    adapter ? (adapter.features.has(feature) ? 'yes' : 'no') : '…';
  return (
    <Section title="Your GPU, as the browser describes it" id="device">
      <Panel>
        <Facts
          columns={2}
          facts={[
            { name: 'Name', value: identity?.device ?? '…' },
            { name: 'Browser', value: identity?.runtime ?? '…' },
            { name: 'GPU timestamps', value: has('timestamp-query') },
            { name: '16-bit floats', value: has('shader-f16') },
          ]}
        />
      </Panel>
      {adapter && !/\d/.test(identityOf(adapter, '').device) && (
        <div className="mt-2 max-w-md">
          <InputField
            id="card"
            label="Your graphics card"
            hint="As your system or this grid calls it: its results stand beside those of the same card."
            list="cards"
            maxLength={200}
            value={card}
            disabled={onCard === null}
            onChange={({ target }) => onCard?.(target.value)}
          />
          <datalist id="cards">
            {cards.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </div>
      )}
      {unnamed && (
        <Notice className="mt-2">Results are not ranked until you name it: {unnamed}.</Notice>
      )}
      {adapter && identity && <Caveats adapter={adapter} identity={identity} />}
    </Section>
  );
}

/** What runs. */
function Now({
  state: { deviceKey, phase, run },
  pausedWhy,
}: {
  state: LendingState;
  pausedWhy: string | null;
}) {
  if (phase === 'over') return <p role="status">This tab has left. Thank you.</p>;
  if (phase === 'blocked') return null;
  return (
    <div role="status" className="space-y-1 wrap-anywhere">
      <p>
        {phase === 'starting'
          ? 'Attaching…'
          : pausedWhy
            ? `Paused: ${pausedWhy}. The current run went back to the queue.`
            : run
              ? runText(run)
              : 'Waiting for a run.'}
      </p>
      {deviceKey && (
        <p className="text-[0.8125rem]">
          <TextLink href={deviceHref(deviceKey)}>Your device’s page</TextLink>
        </p>
      )}
    </div>
  );
}
