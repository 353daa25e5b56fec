import type { FromOwner, OwnerChannel, ToOwner } from '@tilemark/core';
import type { OwnersTask } from './browser-device';

/** A Web Worker that owns the GPU. */
export class DeviceThread implements OwnerChannel {
  readonly #thread: Worker;
  #hasEnded = false;
  #why = '';
  readonly #onEnd = new Set<() => void>();

  constructor(task: OwnersTask) {
    this.#thread = new Worker(new URL('./owner.ts', import.meta.url), {
      type: 'module',
      name: JSON.stringify(task),
    });
    this.#thread.addEventListener('error', ({ message }) => {
      this.#why = message;
      this.#end();
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  post(message: ToOwner): void {
    this.#thread.postMessage(message);
  }

  listen(onMessage: (message: FromOwner) => void, onEnd: () => void): () => void {
    const hear = ({ data }: MessageEvent<FromOwner>) => onMessage(data);
    this.#thread.addEventListener('message', hear);
    this.#onEnd.add(onEnd);
    return () => {
      this.#thread.removeEventListener('message', hear);
      this.#onEnd.delete(onEnd);
    };
  }

  explainEnd(step: string): string {
    return `the GPU's Web Worker ended at step: ${step}${this.#why && `; it said: ${this.#why}`}`;
  }

  async kill(): Promise<void> {
    this.#thread.terminate();
    this.#end();
  }

  #end(): void {
    this.#hasEnded = true;
    for (const tell of [...this.#onEnd]) tell();
  }
}
