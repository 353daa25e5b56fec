import { setTimeout as sleep } from 'node:timers/promises';
import {
  Canary,
  Checks,
  POLICIES,
  Roofline,
  runVariant,
  type Step,
  type Surroundings,
} from '@tilemark/core';
import { DeviceFault, type HostPool, InputError } from '@tilemark/kernels';
import type { OpenDevice } from '../device/device';
import { chooseDevice, listDevices, openDevice } from '../device/select';
import { createThreadPool } from '../device/thread-pool';
import { messageOf } from '../message';
import type { ChildTask, FromChild, FromParent } from './protocol';

/**
 * The process that owns a device: opens it, then measures what its parent
 * sends, one run at a time. A driver that crashes or hangs takes this process
 * with it and nothing else. It ends with its parent, on `fault`, or when killed.
 *
 * @param threadEntry the bundled program of a thread of the host
 */
export async function childMain(threadEntry: URL): Promise<void> {
  // Ctrl-C reaches the whole process group; when to stop is the parent's word.
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
    await send({ kind: 'unavailable', message: messageOf(error), field });
    process.exit(1);
  }
  const roofline = new Roofline(open.executor, open.capabilities);
  const surroundings = await surroundingsOf(open, roofline, pool);
  process.on('message', (message: FromParent) => {
    void answer(() =>
      message.kind === 'run' ? measure(open, surroundings, message) : survey(roofline),
    );
  });
  const { identity, capabilities, environment, lastLevelCacheBytes } = open;
  await send({
    kind: 'ready',
    description: { identity, capabilities, environment, lastLevelCacheBytes },
  });
}

/** What every run of the device shares; roofline and canary remember the best they have seen. */
async function surroundingsOf(
  open: OpenDevice,
  roofline: Roofline,
  pool: HostPool,
): Promise<Surroundings> {
  const { executor, identity, lastLevelCacheBytes, readClocks } = open;
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
    checks: new Checks(pool),
    onStep: (step) => void send({ kind: 'step', step }),
  };
}

async function measure(
  { executor, capabilities }: OpenDevice,
  surroundings: Surroundings,
  { run: { variant, problem, policy }, next }: Extract<FromParent, { kind: 'run' }>,
): Promise<FromChild> {
  let ahead: Promise<void> | null = null;
  const onStep = (step: Step) => {
    surroundings.onStep?.(step);
    // Its own compiling is over. An error comes back when the next is measured.
    if (step === 'verify' && next) {
      ahead = executor.compile(next.variant, next.problem).catch(() => {});
    }
  };
  const outcome = await runVariant(executor, variant, problem, POLICIES[policy], capabilities, {
    ...surroundings,
    onStep,
  });
  // Nothing goes on once the run has ended: others may measure then.
  await ahead;
  return { kind: 'outcome', outcome };
}

async function survey(roofline: Roofline): Promise<FromChild> {
  const found = await roofline.survey(() => void send({ kind: 'step', step: 'roof' }));
  return { kind: 'surveyed', survey: found };
}

async function answer(work: () => Promise<FromChild>): Promise<void> {
  try {
    await send(await work());
  } catch (error) {
    // An error that is no DeviceFault is a defect here, and no better for the next run.
    const prefix = error instanceof DeviceFault ? '' : 'unexpected: ';
    await send({ kind: 'fault', message: prefix + messageOf(error) });
    process.exit(1);
  }
}

/** Settles once the message has left, so that an exit after it loses nothing. */
function send(message: FromChild): Promise<void> {
  return new Promise((resolve) => {
    if (!process.send)
      throw new Error('this program is started by the worker, with a channel to it');
    process.send(message, () => resolve());
  });
}
