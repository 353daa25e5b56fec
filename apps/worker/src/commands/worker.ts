import { join } from 'node:path';
import { backfill, openQueue, openStore, readEnv, readEnvWith } from '@tilemark/core/server';
import { InputError } from '@tilemark/kernels';
import { type Logger, pino } from 'pino';
import { enroll } from '../enroll';
import { Journal } from '../journal';
import { keepRooflines } from '../rooflines';
import { Runner } from '../runner';
import { doneWithin } from '../within';
import { LEAVE_WITHIN_MS, Worker } from '../worker';

/** Less than the 30 s after which a supervisor kills. */
const STOP_WITHIN_MS = 25_000;

export interface WorkerOptions {
  /** What `tilemark devices` lists, or `auto`. */
  readonly device: string;
  /** Address of the grid's site, which says where the services are; absent: the environment says. */
  readonly server?: string;
  readonly token?: string;
}

/**
 * Serves one device until SIGTERM or SIGINT. Throws InputError, EnvError,
 * ServiceUnavailable and DeviceFault before it has attached.
 */
export async function worker(options: WorkerOptions, childEntry: URL): Promise<void> {
  // From the first moment, so that no signal finds the default: to die.
  const log = pino({ base: null });
  const stop = stopSignal(log);
  const { databaseUrl, redisUrl, dataDir } = await surroundings(options);
  const store = openStore(databaseUrl);
  const queue = openQueue({
    databaseUrl,
    redisUrl,
    onError: (error) => log.debug({ error: error.message }, 'the queue is away'),
  });
  const runner = new Runner({ entry: childEntry, device: options.device });
  try {
    await store.ping();
    const journal = await Journal.open(join(dataDir, 'journal'), log);
    const { worker, ...attached } = await Worker.attach({
      store,
      queue,
      runner,
      journal,
      log,
    });
    const started = await backfill({ store, queue }, attached.deviceKey);
    if (started.length > 0) log.info({ sweeps: started }, 'started the standing suites');
    const ending = new AbortController();
    const surveying = keepRooflines(
      { store, queue, runner, log },
      { ...attached, signal: ending.signal },
    );
    const fault = await Promise.race([stop.asked, worker.gone]);
    stop.onAgain(() => void worker.stop());
    ending.abort();
    await worker.stop();
    await doneWithin(LEAVE_WITHIN_MS, surveying);
    if (fault) throw fault;
  } finally {
    const closing = [runner.close(), queue.close(), store.close()];
    await doneWithin(LEAVE_WITHIN_MS, Promise.allSettled(closing));
    // The connection to a service that is away is tried for ever, and keeps a process alive.
    setTimeout(() => process.exit(), LEAVE_WITHIN_MS).unref();
  }
}

async function surroundings({ server, token }: WorkerOptions) {
  if (server === undefined) return readEnv();
  if (token === undefined) throw new InputError('is needed with --server', '--token');
  const { databaseUrl, redisUrl } = await enroll(server, token);
  return readEnvWith({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl ?? '' });
}

/**
 * The first signal asks to stop, every further one to hurry. A process that has not
 * ended 25 s after the first ends then, whatever it waits for.
 */
function stopSignal(log: Logger): { asked: Promise<void>; onAgain: (hurry: () => void) => void } {
  let onSignal = () => {};
  const asked = new Promise<void>((resolve) => {
    onSignal = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal());
  void asked.then(() => setTimeout(giveUp, STOP_WITHIN_MS, log).unref());
  return {
    asked,
    onAgain: (hurry) => {
      onSignal = hurry;
    },
  };
}

function giveUp(log: Logger): void {
  log.error(`could not stop within ${STOP_WITHIN_MS / 1000} s`);
  process.exit(1);
}
