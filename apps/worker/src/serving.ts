import type { RunConsumer } from '@tilemark/core/server';

/** Whether a worker takes runs from its device's queue: it joins and leaves, one at a time. */
export class Serving {
  readonly #join: () => Promise<RunConsumer>;
  #isWanted = false;
  #consumer: RunConsumer | null = null;
  #changing: Promise<void> = Promise.resolve();

  constructor(join: () => Promise<RunConsumer>) {
    this.#join = join;
  }

  /**
   * Resolves once the queue is joined or left, and the latter once the run in hand has
   * ended. Asking for what is already so changes nothing. Throws ServiceUnavailable.
   */
  want(isWanted: boolean): Promise<void> {
    this.#isWanted = isWanted;
    this.#changing = this.#changing.catch(() => {}).then(() => this.#change());
    return this.#changing;
  }

  async #change(): Promise<void> {
    if (this.#isWanted) {
      this.#consumer ??= await this.#join();
    } else {
      const consumer = this.#consumer;
      this.#consumer = null;
      await consumer?.close();
    }
  }
}
