import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Canary,
  POLICIES,
  Roofline,
  runDuel,
  runVariant,
  type Step,
  type Surroundings,
} from '@tilemark/core';
import { DeviceFault, InputError } from '@tilemark/kernels';
import type { OpenDevice } from '../device/device';
import { chooseDevice, listDevices, openDevice } from '../device/select';
import { createThreadPool } from '../device/thread-pool';
import { messageOf } from '../message';
import type { ChildTask, Dueling, FromChild, FromParent } from './protocol';

/**
 * The room of the process that owns a device. GPU drivers crash, hang and lose devices, so
 * the device lives in a child process (this file): it opens the device, then measures what its
 * parent sends, one run at a time. What goes wrong takes this process down and nothing else.
 * It ends with its parent, after a failure, or when killed. The other side is `DeviceProcess`
 * (one child) and `Runner` (a child per profile, replaced after a fault); `protocol.ts` is what
 * they say to each other.
 *
 * @param threadEntry the bundled program of a thread of the host
 */
export async function childMain(threadEntry: URL): Promise<void> {
  // Ctrl-C reaches the whole process group; the parent decides when to stop.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', () => process.exit(0));

  const task: ChildTask = JSON.parse(process.argv[2] ?? '{}');
  if (task.kind === 'list') {
    await send({ kind: 'devices', devices: await listDevices() });
    process.exit(0);
  }
  const pool = createThreadPool(threadEntry);
  let open: OpenDevice;
  try {
    open = await openDevice(await chooseDevice(task.device), task.profile, pool);
  } catch (error) {
    const field = error instanceof InputError ? error.field : null;
    await send({ kind: 'failure', message: messageOf(error), field });
    process.exit(1);
  }
  const roofline = new Roofline(open.executor, open.capabilities);
  const surroundings = await surroundingsOf(open, roofline);
  process.on('message', (message: FromParent) => {
    void answer(() => {
      if (message.kind === 'run') return measure(open, surroundings, message);
      return message.kind === 'duel' ? duel(open, surroundings, message.duel) : survey(roofline);
    });
  });
  const { identity, capabilities, environment, lastLevelCacheBytes } = open;
  await send({
    kind: 'ready',
    description: { identity, capabilities, environment, lastLevelCacheBytes },
  });
}

/** Shared by every run on the device; roofline and canary remember the best they have seen. */
async function surroundingsOf(open: OpenDevice, roofline: Roofline): Promise<Surroundings> {
  const { executor, identity, lastLevelCacheBytes, readClocks, watchClocks } = open;
  // A software adapter has no clocks of its own to watch.
  const canary =
    identity.class === 'gpu' ? await Canary.of(executor, (ns) => sleep(ns / 1e6)) : null;
  await canary?.wake();
  return {
    deviceClass: identity.class,
    lastLevelCacheBytes,
    nowNs: () => Number(process.hrtime.bigint()),
    roofline,
    canary,
    readClocks,
    invocation: randomUUID(),
    ...(watchClocks && { watchClocks: watchClocks() }),
    onStep: (step) => void send({ kind: 'step', step }),
  };
}

async function measure(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  { run: { variant, problem, policy, seed }, next }: Extract<FromParent, { kind: 'run' }>,
): Promise<FromChild> {
  let ahead: Promise<void> | null = null;
  const onStep = (step: Step) => {
    surroundings.onStep?.(step);
    // The run itself is compiled. An error of the next one returns when that is measured.
    if (step === 'verify' && next) {
      ahead = executor.compile(next.variant, next.problem).catch(() => {});
    }
  };
  const outcome = await runVariant(executor, variant, problem, POLICIES[policy], capabilities, {
    ...surroundings,
    ...(seed !== undefined && { seed }),
    onStep,
  });
  // Nothing may go on once the run has ended: others may measure then.
  await ahead;
  return { kind: 'outcome', outcome };
}

async function duel(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  { a, b, problem, ...options }: Dueling,
): Promise<FromChild> {
  const outcome = await runDuel(executor, { a, b }, problem, capabilities, surroundings, options);
  return { kind: 'dueled', outcome };
}

async function survey(roofline: Roofline): Promise<FromChild> {
  const found = await roofline.survey(() => void send({ kind: 'step', step: 'roof' }));
  return { kind: 'surveyed', survey: found };
}

async function answer(work: () => Promise<FromChild>): Promise<void> {
  try {
    await send(await work());
  } catch (error) {
    // Whatever it was, this process is in no state for another run.
    const message = `${error instanceof DeviceFault ? '' : 'unexpected: '}${messageOf(error)}`;
    await send({ kind: 'failure', message, field: null });
    process.exit(1);
  }
}

/** Settles once the message has been sent, so that an exit loses nothing. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send) throw new Error('this program is started by the worker, not by hand');
    process.send(message, () => resolve());
  });
}
