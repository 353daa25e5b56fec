import { setMaxListeners } from 'node:events';
import type { JobData } from './backend';

/** A device's jobs, fetched one by one. */
export interface JobFetcher {
  /** The next job, locked for its holder; null after a few seconds without one. */
  next(holder: string): Promise<JobData | null>;
  putBack(runId: string, holder: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * The runs of one device, handed to whoever asks, in the order in which they asked. However many
 * wait, one of them waits at the backend: a blocked connection per device, not per worker.
 */
export class Feed {
  readonly #fetcher: JobFetcher;
  readonly #closing = new AbortController();
  /** Ends when those who asked before have been served or have left. */
  #turn: Promise<void> = Promise.resolve();

  constructor(fetcher: JobFetcher) {
    this.#fetcher = fetcher;
    setMaxListeners(0, this.#closing.signal);
  }

  /** The next run, locked for its holder; null when the signal aborts first. */
  next(holder: string, signal: AbortSignal): Promise<JobData | null> {
    return new Promise((resolve, reject) => {
      const sources = [signal, this.#closing.signal];
      const isGone = () => sources.some(({ aborted }) => aborted);
      if (isGone()) return resolve(null);
      const leave = () => settle(null);
      // AbortSignal.any leaves something behind in signals that live on.
      const settle = (job: JobData | null) => {
        for (const source of sources) source.removeEventListener('abort', leave);
        resolve(job);
      };
      for (const source of sources) source.addEventListener('abort', leave);
      this.#turn = this.#turn
        .then(() => this.#serve(holder, isGone, settle))
        .catch((error: unknown) => {
          reject(error);
          settle(null);
        });
    });
  }

  /** Asks the backend, which waits a few seconds where nothing is queued, until there is a run. */
  async #serve(
    holder: string,
    isGone: () => boolean,
    settle: (job: JobData) => void,
  ): Promise<void> {
    while (!isGone()) {
      const job = await this.#fetcher.next(holder);
      if (!job) continue;
      // Who asked has left while the backend waited: the next one gets it.
      if (isGone()) return this.#fetcher.putBack(job.runId, holder);
      settle(job);
      return;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#fetcher.close();
  }
}
