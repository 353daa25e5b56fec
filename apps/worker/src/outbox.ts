import { type RecordedRun, ServiceUnavailable, type Store } from '@tilemark/core/server';
import type { Logger } from 'pino';
import type { Journal } from './journal';
import { messageOf } from './message';

export interface OutboxParts {
  readonly store: Pick<Store, 'runs'>;
  readonly journal: Journal;
  readonly log: Logger;
}

/** Results on their way from the journal to the store, which may be away or refuse one for good. */
export class Outbox {
  readonly #parts: OutboxParts;
  #writing: Promise<void> = Promise.resolve();
  #isStoreAway = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  /** Writes everything, one caller at a time. Never throws: it logs. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writePending());
    return this.#writing;
  }

  async #writePending(): Promise<void> {
    const { journal, log } = this.#parts;
    const pending = await journal.pending().catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'the journal cannot be read');
      return [];
    });
    for (const record of pending) {
      try {
        await this.#write(record);
      } catch (error) {
        if (error instanceof ServiceUnavailable) return this.note(error);
        log.error(
          { runId: record.runId, error: messageOf(error) },
          'the journal cannot be changed',
        );
      }
    }
    this.note(null);
  }

  /** Throws ServiceUnavailable, and the errors of the journal. */
  async #write(record: RecordedRun): Promise<void> {
    const { store, journal, log } = this.#parts;
    const { runId } = record;
    try {
      await store.runs.record(record);
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw error;
      log.error({ runId, error: messageOf(error) }, 'the store refused a result');
      await this.#endRefused(record, messageOf(error));
      return journal.setAside(runId);
    }
    await journal.strike(runId);
  }

  /** A run whose result the store will never take has to end all the same, and say why. */
  async #endRefused(record: RecordedRun, why: string): Promise<void> {
    const { store, log } = this.#parts;
    const message = `the store refused its result, which is kept in the worker's journal: ${why}`;
    try {
      const outcome = { kind: 'failed', stage: 'measure', message } as const;
      await store.runs.record({ ...record, wgsl: null, outcome });
    } catch (error) {
      if (error instanceof ServiceUnavailable) throw error;
      log.error({ runId: record.runId, error: messageOf(error) }, 'the run cannot be ended');
    }
  }

  /** Says once that the store went away, and once that it is back. */
  note(error: ServiceUnavailable | null): void {
    const { log } = this.#parts;
    if (error && !this.#isStoreAway) {
      log.warn({ error: error.message }, 'the store is away; results wait in the journal');
    }
    if (!error && this.#isStoreAway) log.info('the store is back; the journal is written');
    this.#isStoreAway = error !== null;
  }
}
