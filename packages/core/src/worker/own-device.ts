import { DeviceFault, InputError, type KernelFile } from '@tilemark/kernels';
import { type DuelSide, openSide, runDuel, SideEnded } from '../measure/duel';
import { unnamedReason } from '../measure/hardware';
import { runVariant, type Step, type Surroundings } from '../measure/measure';
import { POLICIES } from '../measure/policy';
import { Roofline } from '../measure/roofline';
import { Canary } from '../measure/throttle';
import { measuredQuietly } from './busy';
import { cautious } from './caution';
import { messageOf } from './log';
import type { Dueling, FromOwner, OpenDevice, ToOwner } from './protocol';
import { sleep } from './waiting';

/** The process or Web Worker of an owner. */
interface OwnersHome {
  /** Settles once the message has been sent, so that an end loses nothing. */
  readonly send: (message: FromOwner) => Promise<void>;
  /** Hears the messages of the owner's user. */
  readonly listen: (take: (message: ToOwner) => void) => void;
  /** Makes a contributed kernel known here; absent: it runs ours alone. */
  readonly admit?: (file: KernelFile) => Promise<unknown>;
  /** A monotonic clock, ns. */
  readonly nowNs: () => number;
  /**
   * Begins to watch; then tells the part of the machine's processors that others took since it was
   * last asked. Absent where nothing can tell.
   */
  readonly othersLoad?: () => () => number;
  /** Ends the owner, as every failure does. */
  readonly end: () => void;
}

/** Owns a device: opens it, says so, and measures what it is sent, one run at a time. */
export async function ownDevice(
  opening: () => Promise<OpenDevice>,
  { admit, end, listen, nowNs, othersLoad = () => () => 0, send }: OwnersHome,
): Promise<void> {
  let open: OpenDevice;
  try {
    open = await opening();
  } catch (error) {
    const field = error instanceof InputError ? error.field : null;
    await send({ kind: 'failure', message: messageOf(error), field });
    return end();
  }
  const roofline = new Roofline(open.executor, open.capabilities);
  const onStep = (step: Step) => void send({ kind: 'step', step });
  const failed = async (message: string) => {
    await send({ kind: 'failure', message, field: null });
    end();
  };
  const careful = {
    ...open,
    executor: cautious(open.executor, {
      onStep,
      othersLoad,
      onHang: (message) => void failed(message),
    }),
  };
  const surroundings = await surroundingsOf(open, { roofline, nowNs, onStep });
  const side = sideOf(careful, surroundings);
  const work = async (message: ToOwner): Promise<FromOwner> => {
    if ('files' in message) for (const file of message.files) await admit?.(file);
    switch (message.kind) {
      case 'run':
        return measure(careful, surroundings, message, othersLoad);
      case 'duel':
        return duel(careful, surroundings, message.duel);
      case 'open side':
      case 'turn':
      case 'end side':
        return side(message);
      case 'survey':
        return { kind: 'surveyed', survey: await roofline.survey(() => onStep('roof')) };
    }
  };
  const answer = async (message: ToOwner) => {
    try {
      await send(await work(message));
    } catch (error) {
      // Whatever it was, the device is in no state for another run.
      await failed(`${error instanceof DeviceFault ? '' : 'unexpected: '}${messageOf(error)}`);
    }
  };
  listen((message) => void answer(message));
  const { identity, capabilities, environment } = open;
  await send({
    kind: 'ready',
    description: { identity, capabilities, environment },
  });
}

/** Shared by every run on the device; roofline and canary remember the best they have seen. */
async function surroundingsOf(
  open: OpenDevice,
  given: Required<Pick<Surroundings, 'roofline' | 'nowNs' | 'onStep'>>,
): Promise<Surroundings> {
  const { collectGarbage, energyMeter, executor, identity, watchClocks } = open;
  // A software adapter has no clocks of its own to watch, and a browser's tab cannot see them.
  const canary =
    identity.class === 'gpu' ? await Canary.open(executor, (ns) => sleep(ns / 1e6)) : null;
  await canary?.wake();
  return {
    ...given,
    deviceClass: identity.class,
    unranked: unnamedReason(identity),
    lastLevelCacheBytes: open.lastLevelCacheBytes,
    canary,
    invocation: crypto.randomUUID(),
    ...(collectGarbage && { collectGarbage }),
    ...(energyMeter && { energyMeter }),
    ...(watchClocks && { readClocks: watchClocks() }),
  };
}

async function measure(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  { run: { variant, problem, policy, seed }, ahead }: Extract<ToOwner, { kind: 'run' }>,
  othersLoad: () => () => number,
): Promise<FromOwner> {
  let compiled: Promise<unknown> = Promise.resolve();
  const onStep = (step: Step) => {
    surroundings.onStep?.(step);
    if (step !== 'verify') return;
    // The run itself is compiled. An error of another returns when that is measured.
    compiled = Promise.allSettled(
      ahead.map((next) => executor.compile(next.variant, next.problem)),
    );
  };
  const run = () =>
    runVariant(executor, variant, problem, POLICIES[policy], capabilities, {
      ...surroundings,
      ...(seed !== undefined && { seed }),
      onStep,
    });
  const outcome = await measuredQuietly(run, policy, { othersLoad });
  // Nothing may go on once the run has ended: others may measure then.
  await compiled;
  return { kind: 'outcome', outcome };
}

async function duel(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  { a, b, problem, ...options }: Dueling,
): Promise<FromOwner> {
  const outcome = await runDuel(executor, { a, b }, problem, capabilities, surroundings, options);
  return { kind: 'dueled', outcome };
}

/** One side of a duel across processes: it is opened, takes its turns, and ends. */
function sideOf({ executor, capabilities }: OpenDevice, surroundings: Surroundings) {
  let open: DuelSide | null = null;
  return async (
    message: Extract<ToOwner, { kind: 'open side' | 'turn' | 'end side' }>,
  ): Promise<FromOwner> => {
    try {
      if (message.kind === 'open side') {
        open = (await openSide(executor, message.side, capabilities, surroundings)).side;
        return { kind: 'side open' };
      }
      if (!open) throw new Error(`asked to ${message.kind} before a side was open`);
      return message.kind === 'turn'
        ? { kind: 'turned', ns: await open.turn() }
        : { kind: 'side done', side: await open.end() };
    } catch (error) {
      if (!(error instanceof SideEnded)) throw error;
      return { kind: 'side ended', outcome: error.outcome };
    }
  };
}
