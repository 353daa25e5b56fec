import { Presets, SingleBar } from 'cli-progress';

export const WAITING = 'waiting: something else on this machine is measuring';

/** A bar of a terminal that disappears once it is complete. */
export const progressBar = (stream: NodeJS.WriteStream, format: string): SingleBar =>
  new SingleBar(
    { stream, format, barsize: 20, clearOnComplete: true, hideCursor: true },
    Presets.rect,
  );
