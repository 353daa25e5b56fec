import type { RunOutcome } from '../api/run';
import { judge } from '../gate/judge';
import { GridUnavailable, type Link, NotAdmitted, Refused } from '../link/link';
import { engineOf } from '../measure/device';
import { type Log, messageOf } from './log';

/**
 * Results that are measured and not yet the grid's, so that an outage or a crash loses none: a
 * folder on a machine, IndexedDB in a browser.
 */
export interface Journal {
  /** Once it returns, the record survives a crash. */
  append(record: RunOutcome): Promise<void>;
  /** The grid has the record. */
  strike(runId: string): Promise<void>;
  /** Keeps a record that the grid will never take for a person to look at; it is not offered again. */
  setAside(runId: string): Promise<void>;
  /** Records still to be handed in, oldest first. */
  pending(): Promise<RunOutcome[]>;
}

interface OutboxParts {
  readonly link: Pick<Link, 'outcome'>;
  readonly journal: Journal;
  readonly log: Log;
  /** Whose results it hands in: others may be for another grid. Null: everybody's. */
  readonly workerId: string | null;
  /** The grid takes nothing of this worker any more; the journal keeps what it has. */
  readonly onNotAdmitted: (why: NotAdmitted) => void;
  /** The grid takes neither a result nor that it failed. */
  readonly onUnended: (record: RunOutcome, why: string) => void;
}

/** Takes results from the journal to the grid, which may be down, or refuse one for good. */
export class Outbox {
  readonly #parts: OutboxParts;
  #writing: Promise<void> = Promise.resolve();
  #isGridDown = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Ids of the runs whose results have still to be handed in; of a search: those measured for it. */
  async pending(searchId?: string): Promise<string[]> {
    const records = await this.#read().catch((): RunOutcome[] => []);
    return records
      .filter((record) => searchId === undefined || record.searchId === searchId)
      .map(({ runId }) => runId);
  }

  async #read(): Promise<RunOutcome[]> {
    const { journal, workerId } = this.#parts;
    const records = await journal.pending();
    return records.filter((record) => workerId === null || record.workerId === workerId);
  }

  /** Writes everything, one caller at a time. Never throws: it logs. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writePending());
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    const { log, onNotAdmitted } = this.#parts;
    const pending = await this.#read().catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the journal cannot be read');
      return [];
    });
    for (const record of pending) {
      try {
        await this.#write(record);
      } catch (error) {
        if (error instanceof GridUnavailable) return this.note(error);
        if (error instanceof NotAdmitted) return onNotAdmitted(error);
        log.error(
          { runId: record.runId, error: messageOf(error) },
          'the journal cannot be changed',
        );
      }
    }
    this.note(null);
  }

  /** Throws GridUnavailable, NotAdmitted, and the errors of the journal. */
  async #write(record: RunOutcome): Promise<void> {
    const { link, journal, log } = this.#parts;
    const { runId } = record;
    try {
      refuseAsGridWould(record);
      await link.outcome(record);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!error.isGone) {
        const why = { error: error.message, cause: error.cause && messageOf(error.cause) };
        log.error({ runId, ...why }, 'the grid refused a result');
        await this.#endRefused(record, error.message);
        return journal.setAside(runId);
      }
      log.warn({ runId, error: error.message }, 'nothing is waiting for a result any more');
    }
    await journal.strike(runId);
  }

  /** Ends a run whose result the grid will never take, and records why. */
  async #endRefused(record: RunOutcome, why: string): Promise<void> {
    const { link, log, onUnended } = this.#parts;
    const message = `the grid refused the result, which the worker's journal keeps: ${why}`;
    try {
      const outcome = { kind: 'failed', stage: 'measure', message } as const;
      await link.outcome({ ...record, wgsl: null, outcome });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      log.error({ runId: record.runId, error: error.message }, 'the run cannot be ended');
      if (!error.isGone) onUnended(record, error.message);
    }
  }

  /** Logs once that the grid is unavailable, and once that it is back. */
  note(error: GridUnavailable | null): void {
    const { log } = this.#parts;
    if (error && !this.#isGridDown) {
      log.warn({ error: error.message }, 'the grid is unavailable; results wait in the journal');
    }
    if (!error && this.#isGridDown)
      log.info({}, 'the grid is back and has all results of the journal');
    this.#isGridDown = error !== null;
  }
}

/** Throws Refused for a result that the grid's gate would not take. */
function refuseAsGridWould({ environment, outcome, run, wgsl }: RunOutcome): void {
  if (!run) return;
  const { class: deviceClass, runtime } = environment.device;
  const basis = { ...run, deviceClass, engine: engineOf(runtime), seed: null, wgsl };
  const judged = judge(outcome, basis, undefined);
  if (judged instanceof Refused) throw judged;
}
