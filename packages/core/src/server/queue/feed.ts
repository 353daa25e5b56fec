import type { JobFetcher, RunJob } from './backend';

interface Waiter {
  readonly holder: string;
  readonly resolve: (job: RunJob | null) => void;
  readonly reject: (error: unknown) => void;
  isGone: boolean;
}

/**
 * The runs of one device, handed to whoever asks, in the order in which they asked. However many
 * wait, one of them waits at the backend: a blocked connection per device, not per worker.
 */
export class Feed {
  readonly #fetcher: JobFetcher;
  readonly #waiters: Waiter[] = [];
  #isServing = false;
  #isClosed = false;

  constructor(fetcher: JobFetcher) {
    this.#fetcher = fetcher;
  }

  /** The next run, locked for its holder; null when the signal aborts first. */
  next(holder: string, signal: AbortSignal): Promise<RunJob | null> {
    if (signal.aborted || this.#isClosed) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const settled = () => signal.removeEventListener('abort', leave);
      const waiter: Waiter = {
        holder,
        resolve: (job) => {
          settled();
          resolve(job);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
        isGone: false,
      };
      const leave = () => {
        waiter.isGone = true;
        this.#remove(waiter);
        resolve(null);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiters.push(waiter);
      void this.#serve();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(null);
    await this.#fetcher.close();
  }

  #remove(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter);
    if (at >= 0) this.#waiters.splice(at, 1);
  }

  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      for (let [first] = this.#waiters; first; [first] = this.#waiters) await this.#fetchFor(first);
    } catch (error) {
      for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    } finally {
      this.#isServing = false;
    }
  }

  /** Asks the backend once, which waits a few seconds where nothing is queued. */
  async #fetchFor(waiter: Waiter): Promise<void> {
    const job = await this.#fetcher.next(waiter.holder);
    if (!job) return;
    // Who asked has left while the backend waited: the next one gets it.
    if (waiter.isGone) return this.#fetcher.putBack(job.runId, waiter.holder);
    this.#remove(waiter);
    waiter.resolve(job);
  }
}
