import { homedir } from 'node:os';
import { join } from 'node:path';
import { deviceKey, type Enrolment } from '@tilemark/core';
import {
  isAccessRefused,
  openQueue,
  openStore,
  readDataDir,
  readEnv,
  ServiceUnavailable,
} from '@tilemark/core/server';
import { InputError } from '@tilemark/kernels';
import { type Logger, pino } from 'pino';
import { accessLost, enrolAgain } from '../access';
import { enroll, NotAdmitted, openSite } from '../enroll';
import { Journal } from '../journal';
import { MeteredRunner, Metrics } from '../metrics';
import { keepRooflines } from '../rooflines';
import type { Runner } from '../runner';
import { type Seat, takeSeat } from '../seat';
import { startStandingSuites } from '../standing-suites';
import { doneWithin } from '../within';
import { LEAVE_WITHIN_MS, Worker } from '../worker';

/** Less than the 30 s after which a supervisor kills. */
const STOP_WITHIN_MS = 25_000;

/** A clock that is off by more is worth a word, ms. */
const CLOCK_OFF_MS = 60_000;

export interface WorkerOptions {
  /** What `tilemark devices` lists, or `auto`. */
  readonly device: string;
  /** Address of the grid's site, which says where the services are; absent: the environment says. */
  readonly server?: string;
  readonly token?: string;
  /** Port of `/metrics` on loopback; absent: none. */
  readonly metrics?: string;
}

type Stop = ReturnType<typeof stopSignal>;

/**
 * Serves one device until SIGTERM or SIGINT. Throws InputError, EnvError,
 * ServiceUnavailable and DeviceFault before it has attached, and NotAdmitted also later,
 * when the grid has revoked it.
 */
export async function worker(options: WorkerOptions, childEntry: URL): Promise<void> {
  // From the first moment, so that no signal finds the default: to die.
  const log = pino({ base: null });
  const stop = stopSignal(log);
  const metrics = new Metrics();
  const runner = new MeteredRunner({ entry: childEntry, device: options.device }, metrics);
  let unlisten = () => {};
  try {
    if (options.metrics !== undefined) unlisten = await metrics.listen(options.metrics);
    if (options.server === undefined) await serveOwn(runner, log, stop);
    else await serveGrid({ ...options, server: options.server }, runner, log, stop);
  } finally {
    unlisten();
    await doneWithin(LEAVE_WITHIN_MS, runner.close());
    // The connection to a service that is away is tried for ever, and keeps a process alive.
    setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
  }
}

/** Serves the grid of this machine, with the grid's own accounts. */
async function serveOwn(runner: Runner, log: Logger, stop: Stop): Promise<void> {
  const { databaseUrl, redisUrl, dataDir } = readEnv();
  const { identity } = await runner.open('default');
  const seat = await takeSeat(dataDir, deviceKey(identity));
  await serve({ databaseUrl, redisUrl }, { dataDir, runner, log, stop, seat });
}

/** Serves a grid elsewhere, with accounts that it made for this worker, and makes anew where they end. */
async function serveGrid(
  { server, token }: WorkerOptions & { server: string },
  runner: Runner,
  log: Logger,
  stop: Stop,
): Promise<void> {
  if (token === undefined) throw new InputError('is needed with --server', '--token');
  const site = openSite({ server, token });
  const device = await runner.open('default');
  const dataDir = readDataDir() ?? join(homedir(), '.tilemark');
  const seat = await takeSeat(dataDir, deviceKey(device.identity));
  const enrol = () => enroll(site, device, seat);
  const again = (signal: AbortSignal) => enrolAgain(enrol, isFinal, log, signal);
  const first = await enrol();
  if (Math.abs(first.clockAheadMs) > CLOCK_OFF_MS) {
    const { clockAheadMs } = first;
    log.warn({ clockAheadMs }, "this machine's clock is off; results carry the grid's time");
  }
  let enrolled: Enrolment | null = first;
  while (enrolled) {
    try {
      enrolled = await serve(enrolled, {
        ...{ dataDir: seat.folder, runner, log, stop, enrolled },
        renewed: async (parts, signal) => {
          await accessLost({ ...parts, site }, signal);
          log.warn('the grid no longer knows this worker as it was: enrolling again');
          return again(signal);
        },
      });
    } catch (error) {
      // At the first start a service that cannot be reached is for a person to see.
      if (!isAccessRefused(error) && !(error instanceof ServiceUnavailable && enrolled !== first)) {
        throw error;
      }
      log.warn({ error: error instanceof Error ? error.message : '' }, 'enrolling again');
      enrolled = await again(stop.signal).catch((cause: unknown) => {
        if (stop.signal.aborted) return null;
        throw cause;
      });
    }
  }
}

/** What enrolling once more would not change. */
const isFinal = (error: unknown): boolean =>
  error instanceof NotAdmitted || error instanceof InputError;

interface Serving {
  /** Holds the journal. */
  readonly dataDir: string;
  readonly runner: Runner;
  readonly log: Logger;
  readonly stop: Stop;
  readonly enrolled?: Enrolment;
  readonly seat?: Seat;
  /** Resolves when this worker has other accounts; rejects when it is to have none. */
  readonly renewed?: (
    parts: Pick<Parameters<typeof accessLost>[0], 'store' | 'queue'>,
    signal: AbortSignal,
  ) => Promise<Enrolment>;
}

/** Serves until told to stop: null. Or until there are other accounts to go on with: those. */
async function serve(
  { databaseUrl, redisUrl }: Pick<Enrolment, 'databaseUrl' | 'redisUrl'>,
  { dataDir, runner, log, stop, enrolled, seat, renewed }: Serving,
): Promise<Enrolment | null> {
  const store = openStore(databaseUrl);
  const queue = openQueue({
    databaseUrl,
    redisUrl,
    onError: (error) => log.debug({ error: error.message }, 'the queue is away'),
  });
  const ending = new AbortController();
  const { signal } = ending;
  // From the beginning: a queue that does not know the worker is waited for, as one that is away.
  const changed: Promise<End>[] = renewed
    ? [renewed({ store, queue }, signal).then((next) => ({ next }), refusal)]
    : [];
  const attach = async () => {
    await store.ping();
    const journal = await Journal.open(join(dataDir, 'journal'), log);
    return Worker.attach({
      ...{ store, queue, runner, journal, log },
      ...(enrolled && { enrolled }),
      ...(seat && { seat }),
    });
  };
  try {
    const attached = await Promise.race([attach(), ...changed]);
    if (!('worker' in attached)) return nextOf(attached);
    const { worker } = attached;
    // The grid has started those of a worker that it enrolled.
    const starting = enrolled
      ? Promise.resolve()
      : startStandingSuites({ store, queue, log }, attached.deviceKey, signal);
    const surveying = keepRooflines({ store, queue, runner, log }, { ...attached, signal });
    const end = await Promise.race<End>([
      stop.asked.then(() => ({ next: null })),
      worker.gone.then(refusal),
      ...changed,
    ]);
    if (stop.signal.aborted) stop.onAgain(() => void worker.stop());
    ending.abort();
    const stopped = worker.stop();
    // Nobody waits for the run in hand of a worker that is not let in any more.
    if ('refused' in end) void worker.stop();
    await stopped;
    await doneWithin(LEAVE_WITHIN_MS, Promise.all([starting, surveying]));
    return nextOf(end);
  } finally {
    ending.abort();
    await doneWithin(LEAVE_WITHIN_MS, Promise.allSettled([queue.close(), store.close()]));
  }
}

/** Why a worker serves no longer: told to stop (null), other accounts to go on with, or an error. */
type End = { readonly next: Enrolment | null } | { readonly refused: unknown };

const refusal = (error: unknown): End => ({ refused: error });

function nextOf(end: End): Enrolment | null {
  if ('refused' in end) throw end.refused;
  return end.next;
}

/**
 * The first signal asks to stop, every further one to hurry. A process that has not
 * ended 25 s after the first ends then, whatever it waits for.
 */
function stopSignal(log: Logger): {
  asked: Promise<void>;
  signal: AbortSignal;
  onAgain: (hurry: () => void) => void;
} {
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
