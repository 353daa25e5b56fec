/**
 * How a worker comes to its grid: `serve` attaches it over a link and keeps it there until it is told
 * to stop. The two forms of the link are defined in @tilemark/core; `direct.ts`, which opens the one
 * with the database and the queue behind it, is loaded only where it is used, and is not part of the
 * package that a grid serves.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  deviceKey,
  doneWithin,
  GridWorker,
  HttpLink,
  keepRooflines,
  LEAVE_WITHIN_MS,
  type Link,
  NotAdmitted,
  type WorkerParts,
} from '@tilemark/core';
import { readDataDir } from '@tilemark/core/env';
import type { Logger } from 'pino';
import type { Runner } from '../child/runner';
import { type GridOptions, siteOf } from '../cli/grid/client';
import { type Card, lockOf } from '../gpu/cards';
import { Journal } from '../journal/journal';
import { listedAs, takeInstance } from '../run/instance';
import { machineLoad } from '../run/machine-load';
import { aloneOn } from '../run/machine-lock';

/** A clock that is off by more is worth a warning, ms. */
const CLOCK_OFF_MS = 60_000;

/** How a worker is asked to stop. */
export interface Stop {
  readonly asked: AbortSignal;
  /** By a second request. */
  readonly hurried: AbortSignal;
}

/** How a worker reaches its grid, and where it keeps what is its own. */
export interface Place {
  readonly link: Link;
  /** Of this machine's workers. */
  readonly dataDir: string;
  /** They use one journal. */
  readonly sharesJournal: boolean;
}

/**
 * A grid elsewhere, of which this machine knows the site's address and a token. Throws NotAdmitted for
 * what cannot be a token, InputError for what cannot be an address.
 */
export const httpPlace = (options: Required<GridOptions>): Place => ({
  link: new HttpLink(siteOf(options, (message) => new NotAdmitted(message))),
  dataDir: readDataDir() ?? join(homedir(), '.tilemark'),
  sharesJournal: false,
});

/**
 * Serves until told to stop. Throws what opening the device and attaching do, and NotAdmitted also
 * later, when the grid no longer admits this worker: its run has then gone back, and its journal keeps
 * what it has.
 */
export async function serve(
  { admit, dataDir, link, sharesJournal }: Place & Pick<WorkerParts, 'admit'>,
  runner: Runner,
  log: Logger,
  stop: Stop,
  card?: Card,
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  try {
    const { identity } = await runner.open('default');
    const instance = await takeInstance(dataDir, deviceKey(identity), card?.busId);
    const folder = sharesJournal ? dataDir : instance.folder;
    const journal = await Journal.open(join(folder, 'journal'), log);
    // Equal cards measure at the same time, but never beside anything else.
    const alone = aloneOn(card && lockOf(card));
    const attached = await GridWorker.attach({
      link,
      runner,
      journal,
      log,
      sharesJournal,
      alone,
      ...(admit && { admit }),
      describe: (device) => ({
        ...listedAs(device, instance),
        contributed: admit !== undefined,
      }),
    });
    const { clockAheadMs, worker } = attached;
    if (Math.abs(clockAheadMs) > CLOCK_OFF_MS) {
      log.warn(
        { clockAheadMs },
        "this machine's clock is off; results are dated by the grid's clock",
      );
    }
    const surveying = keepRooflines(
      { link, runner, log, alone, machineLoad: machineLoad() },
      { ...attached, signal },
    );
    const why = await Promise.race([aborted(stop.asked), worker.gone]);
    stop.hurried.addEventListener('abort', () => void worker.stop());
    ending.abort();
    const stopped = worker.stop();
    // A worker that cannot go on gives its run back at once.
    if (why) void worker.stop();
    await stopped;
    await doneWithin(LEAVE_WITHIN_MS, surveying);
    if (why) throw why;
  } finally {
    ending.abort();
    await doneWithin(LEAVE_WITHIN_MS, link.close());
  }
}

/** Settles once the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
