import type { ServerResponse } from 'node:http';

/** Waiting for their turn: about two seconds of answers. */
const MOST_WAITING = 20;
/** A turn ends by then: who takes an answer slowly takes nothing from the process. */
const LONGEST_MS = 2_000;

export type Turns = ReturnType<typeof turns>;

/**
 * Answers some a few at a time: else everybody, workers and whoever asks whether the site is up, waited
 * for a step of as many answers as there are requests.
 */
export function turns(mostAtOnce: number) {
  const waiting: (() => void)[] = [];
  let answering = 0;
  const pass = () => {
    const next = waiting.shift();
    if (next) next();
    else answering -= 1;
  };
  /** Waits for a turn; resolves to what ends it. */
  const next = async () => {
    if (answering >= mostAtOnce) await new Promise<void>((go) => waiting.push(go));
    else answering += 1;
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(late);
      pass();
    };
    const late = setTimeout(end, LONGEST_MS).unref();
    return end;
  };
  return {
    isFull: () => answering >= mostAtOnce && waiting.length >= MOST_WAITING,
    next,
    /** Waits for a turn that lasts until the response has been sent; false: the reader has left. */
    async during(response: ServerResponse): Promise<boolean> {
      const end = await next();
      if (response.destroyed) end();
      else response.once('close', end);
      return !response.destroyed;
    },
  };
}
