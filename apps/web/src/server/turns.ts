/** A turn ends by then: who is slow takes nothing from the others. */
const LONGEST_MS = 2_000;

/** Lets so many do something at once; others wait, in their order. */
export function turns(mostAtOnce: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    waiting: () => waiting.length,
    /** Waits for a turn; resolves to what ends it. */
    async next(): Promise<() => void> {
      if (taken === mostAtOnce) await new Promise<void>((go) => waiting.push(go));
      else taken += 1;
      let hasEnded = false;
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        clearTimeout(late);
        const go = waiting.shift();
        if (go) go();
        else taken -= 1;
      };
      const late = setTimeout(end, LONGEST_MS).unref();
      return end;
    },
  };
}
