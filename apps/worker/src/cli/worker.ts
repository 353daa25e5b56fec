import { fork } from 'node:child_process';
import { DeviceOwner, doneWithin, LEAVE_WITHIN_MS } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import type { Logger } from 'pino';
import { type Account, DeviceProcess } from '../child/device-process';
import { sayTogether } from '../device/together';
import { cardNamed, equals, proved } from '../gpu/cards';
import { httpPlace, type Place, type Stop, serve } from '../link/attach';
import { MeteredRunner, Metrics } from '../run/prometheus';
import { flagOf, toldApart } from './on-device';
import { type LogForm, workerLog } from './worker-log';

/** Less than the 30 s after which a supervisor kills. */
const STOP_WITHIN_MS = 25_000;

export interface WorkerOptions {
  /** As `tilemark devices` lists it, `auto`, or `all`: every GPU, else what `auto` is. */
  readonly device: string;
  /** Address of the grid's site. Absent: the environment names the services. */
  readonly server?: string;
  readonly token?: string;
  /** Port of `/metrics` on loopback. Absent: none. */
  readonly metrics?: string;
  readonly log: LogForm;
  /** Run kernels that people of the grid have contributed. */
  readonly contributed?: boolean;
  /** Who runs them. */
  readonly contributedAs?: Account;
}

/**
 * Serves each device that is asked for until SIGTERM or SIGINT: one in this process, several in one
 * process each, with its own seat, lock and journal. Throws what `workerOf` does.
 */
export async function worker(options: WorkerOptions, childEntry: URL): Promise<void> {
  if (options.device !== 'all') {
    return workerOf(
      { ...options, device: await toldApart(options.device, childEntry) },
      childEntry,
    );
  }
  const listed = await DeviceOwner.list(new DeviceProcess(childEntry, { kind: 'list' }));
  const gpus = listed.filter(({ identity }) => identity.class === 'gpu');
  if (gpus.length < 2) {
    return workerOf({ ...options, device: flagOf(gpus[0]) ?? 'auto' }, childEntry);
  }
  if (options.metrics !== undefined) {
    throw new InputError('needs one --device; this machine has several', '--metrics');
  }
  const cards = gpus.flatMap(({ card, identity }) =>
    card && equals(identity.device).length > 0 ? [card.busId] : [],
  );
  if (cards.length > 1) await sayTogether(cards, childEntry, workerLog(options.log));
  await Promise.all(gpus.map((gpu) => ofProcess(flagOf(gpu) ?? gpu.flag)));
}

/** The same command for one device, in a process of its own; this one ends with the last. */
async function ofProcess(device: string): Promise<void> {
  const [, entry = '', ...args] = process.argv;
  const others = args.filter((arg, at) => arg !== '--device' && args[at - 1] !== '--device');
  const kept = others.filter((arg) => !arg.startsWith('--device='));
  const child = fork(entry, [...kept, '--device', device]);
  // A terminal's Ctrl-C reaches all of them; a supervisor's signal this one alone.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGINT', () => {});
  await new Promise<void>((resolve) => {
    child.once('close', (code) => {
      if (code !== 0) process.exitCode = code ?? 1;
      resolve();
    });
  });
}

/**
 * Serves one device until SIGTERM or SIGINT. Throws InputError, EnvError,
 * GridUnavailable and DeviceFault before it has attached, and NotAdmitted also later,
 * when the grid has revoked it.
 */
async function workerOf(options: WorkerOptions, childEntry: URL): Promise<void> {
  const { device, server, token, metrics: port, log: form, contributed = false } = options;
  // First of all: the default reaction to a signal is to die.
  const log = workerLog(form);
  const stop = stopOnSignals(log);
  const metrics = new Metrics();
  const runner = new MeteredRunner(
    { entry: childEntry, device, foreignAccount: options.contributedAs },
    metrics,
  );
  const named = cardNamed(device);
  const card = named && equals(named.name).length > 0 ? named : undefined;
  let unlisten = () => {};
  try {
    if (port !== undefined) unlisten = await metrics.listen(port);
    if (server !== undefined && token === undefined) {
      throw new InputError('required with --server', '--token');
    }
    if (card) await proved(card, () => runner.open('default'));
    const place =
      server !== undefined && token !== undefined
        ? httpPlace({ server, token })
        : await directPlace(log);
    await serve({ ...place, contributed }, runner, log, stop, card);
  } finally {
    unlisten();
    await doneWithin(LEAVE_WITHIN_MS, runner.close());
    // A connection to a service that is down is retried forever and would keep the process alive.
    setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
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
 * The first signal asks to stop, every further one to hurry. A process that has not
 * ended 25 s after the first exits then, whatever it is waiting for.
 */
function stopOnSignals(log: Logger): Stop {
  const stopping = new AbortController();
  let onSignal = () => stopping.abort();
  const asked = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve());
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal());
  void asked.then(() => setTimeout(giveUp, STOP_WITHIN_MS, log).unref());
  return {
    asked,
    signal: stopping.signal,
    onAgain: (hurry) => {
      onSignal = hurry;
    },
  };
}

function giveUp(log: Logger): void {
  log.error(`could not stop within ${STOP_WITHIN_MS / 1000} s`);
  process.exit(1);
}
