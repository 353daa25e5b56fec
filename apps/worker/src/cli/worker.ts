import { DeviceOwner, doneWithin, LEAVE_WITHIN_MS, messageOf } from '@tilemark/core';
import { admitKernel } from '@tilemark/core/contributed';
import { InputError } from '@tilemark/kernels';
import type { Logger } from 'pino';
import { type Account, DeviceProcess } from '../child/device-process';
import { Runner } from '../child/runner';
import { cardNamed, equals, openOnCard } from '../gpu/cards';
import { httpPlace, type Place, type Stop, serve } from '../link/attach';
import { list } from './flags';
import { isFromNpx } from './invoked';
import { flagOf, uniqueFlag } from './on-device';
import { type LogForm, workerLog } from './worker-log';

const PARENT_EVERY_MS = 1_000;
/** Less than the 30 s after which a supervisor kills. */
const STOP_WITHIN_MS = 25_000;

export interface WorkerOptions {
  /** Comma-separated, as `tilemark devices` lists them, `auto`, or `all`: every GPU, else what `auto` is. */
  readonly device: string;
  /** Address of the grid's site. Absent: the environment names the services. */
  readonly server?: string;
  readonly token?: string;
  readonly log: LogForm;
  /** Run kernels that people of the grid have contributed. */
  readonly contributed?: boolean;
  /** Who runs them. */
  readonly contributedAs?: Account;
}

/**
 * Serves each device that is asked for until SIGTERM or SIGINT; the others go on where one cannot. Throws
 * InputError, EnvError, GridUnavailable and DeviceFault before a device has attached, and NotAdmitted
 * also later, when the grid has revoked it.
 */
export async function worker(options: WorkerOptions, childEntry: URL): Promise<void> {
  // First of all: the default reaction to a signal is to die.
  const log = workerLog(options.log);
  const stop = stopOnSignals(log);
  try {
    const devices = await devicesOf(options.device, childEntry);
    const served = devices.map(async (device) => {
      try {
        await serveDevice(device, options, childEntry, log, stop);
      } catch (error) {
        if (devices.length > 1) log.error({ device, error: messageOf(error) }, 'cannot serve it');
        throw error;
      }
    });
    const failed = (await Promise.allSettled(served)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  } finally {
    // A connection to a service that is down is retried forever and would keep the process alive.
    setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
  }
}

/** The `--device` of each device to serve. */
async function devicesOf(device: string, childEntry: URL): Promise<string[]> {
  if (device !== 'all') {
    return Promise.all(list(device).map((flag) => uniqueFlag(flag, childEntry)));
  }
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  const gpus = listed.filter(({ identity }) => identity.class === 'gpu');
  return gpus.length > 0 ? gpus.map((gpu) => flagOf(gpu) ?? gpu.flag) : ['auto'];
}

/** Serves one device, with its own seat, lock and journal. */
async function serveDevice(
  device: string,
  { contributed = false, contributedAs, server, token }: WorkerOptions,
  childEntry: URL,
  log: Logger,
  stop: Stop,
): Promise<void> {
  const runner = new Runner({ entry: childEntry, device, foreignAccount: contributedAs });
  const named = cardNamed(device);
  const card = named && equals(named.name).length > 0 ? named : undefined;
  try {
    if (server !== undefined && token === undefined) {
      throw new InputError('required with --server', '--token');
    }
    if (card) await openOnCard(card, () => runner.open('default'));
    const place =
      server !== undefined && token !== undefined
        ? httpPlace({ server, token })
        : await directPlace(log);
    await serve({ ...place, ...(contributed && { admit: admitKernel }) }, runner, log, stop, card);
  } finally {
    await doneWithin(LEAVE_WITHIN_MS, runner.close());
  }
}

/** Loaded here only: database and queue are large, and no other command needs them. */
async function directPlace(log: Logger): Promise<Place> {
  try {
    return (await import('../link/direct')).directPlace(log);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (Reflect.get(error, 'code') === 'ERR_MODULE_NOT_FOUND') {
      throw new InputError(
        'is missing: a worker from this package attaches only through the grid; add --server and set TILEMARK_TOKEN',
        '--server',
      );
    }
    if (error.name !== 'EnvError') throw error;
    // Most who start a worker without --server have only forgotten it.
    throw new InputError(
      `is missing: add --server and set TILEMARK_TOKEN, as the grid's Workers page shows. On the grid's own machine: ${error.message}`,
      '--server',
    );
  }
}

/**
 * The first signal asks to stop, every further one to hurry; the end of the npx that started this
 * process asks as well. A process that has not ended 25 s after the first exits then, whatever it is
 * waiting for.
 */
function stopOnSignals(log: Logger): Stop {
  const [asked, hurried] = [new AbortController(), new AbortController()];
  const onSignal = () => {
    if (asked.signal.aborted) return hurried.abort();
    asked.abort();
    setTimeout(giveUp, STOP_WITHIN_MS, log).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  const parent = isFromNpx(process.argv[1] ?? '') ? process.ppid : null;
  const watch = setInterval(() => {
    if (parent === null || process.ppid === parent) return;
    clearInterval(watch);
    // Of a signal to both, the worker has its own.
    if (!asked.signal.aborted) onSignal();
  }, PARENT_EVERY_MS).unref();
  return { asked: asked.signal, hurried: hurried.signal };
}

function giveUp(log: Logger): void {
  log.error(`could not stop within ${STOP_WITHIN_MS / 1000} s`);
  process.exit(1);
}
