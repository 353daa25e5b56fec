/**
 * How a worker comes to its grid: `serve` (this file) attaches it over a link and keeps
 * it there until it is told to stop; `http.ts` and `direct.ts` open the two forms of the link,
 * which is defined in @tilemark/core. `direct.ts`, with the database and the queue behind it, is
 * loaded only where it is used, and is not part of the package that a grid serves.
 */
import { join } from 'node:path';
import { doneWithin, GridWorker, keepRooflines, LEAVE_WITHIN_MS, type Link } from '@tilemark/core';
import type { Logger } from 'pino';
import type { Runner } from '../child/runner';
import { type Card, lockOf } from '../gpu/cards';
import { Journal } from '../journal/journal';
import { listedAs, type WorkerInstance } from '../run/instance';
import { machineLoad } from '../run/machine-load';
import { aloneOn } from '../run/machine-lock';

/** A clock that is off by more is worth a warning, ms. */
const CLOCK_OFF_MS = 60_000;

/** How a worker is asked to stop. */
export interface Stop {
  readonly asked: Promise<void>;
  readonly signal: AbortSignal;
  /** What a second request does: hurry. */
  readonly onAgain: (hurry: () => void) => void;
}

/** How a worker reaches its grid, and where it keeps what is its own. */
export interface Place {
  readonly link: Link;
  readonly instance: WorkerInstance;
  /** Contains the journal. */
  readonly dataDir: string;
  /** Other workers of this machine use the same journal. */
  readonly sharesJournal: boolean;
}

/**
 * Serves until told to stop. Throws what attaching does, and NotAdmitted also later, when the grid
 * no longer admits this worker: its run has then gone back, and its journal keeps what it has.
 */
export async function serve(
  {
    contributed,
    dataDir,
    instance,
    link,
    sharesJournal,
  }: Place & { readonly contributed: boolean },
  runner: Runner,
  log: Logger,
  stop: Stop,
  card?: Card,
): Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;
  try {
    const journal = await Journal.open(join(dataDir, 'journal'), log);
    // Equal cards measure at the same time, but never beside anything else.
    const alone = aloneOn(card && lockOf(card));
    const attached = await GridWorker.attach({
      link,
      runner,
      journal,
      log,
      sharesJournal,
      alone,
      describe: (device) => ({ ...listedAs(device, instance), contributed }),
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
    const why = await Promise.race([stop.asked.then(() => null), worker.gone]);
    if (stop.signal.aborted) stop.onAgain(() => void worker.stop());
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
