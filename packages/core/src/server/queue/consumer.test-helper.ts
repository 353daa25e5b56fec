import type { JobData } from './backend';
import type { Queue } from './queue';

/**
 * Takes the runs of a device one at a time, as a worker does; one that `take` throws for is put
 * back. Returns what ends that, after the run in hand.
 */
export function consume(
  queue: Queue,
  deviceKey: string,
  take: (job: JobData) => Promise<void>,
  holder = crypto.randomUUID(),
): { stop(): void; close(): Promise<void> } {
  const stop = new AbortController();
  const work = async () => {
    while (!stop.signal.aborted) {
      const job = await queue.next(deviceKey, holder, stop.signal).catch(() => null);
      if (!job) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      const run = { id: job.runId, deviceKey };
      await take(job)
        .then(
          () => queue.finish(run, holder),
          () => queue.putBack(run, holder, 100),
        )
        .catch(() => 'its lock ends by itself');
    }
  };
  const working = work();
  return {
    stop: () => stop.abort(),
    close: () => {
      stop.abort();
      return working;
    },
  };
}
