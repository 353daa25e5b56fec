import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { HostJob, HostPool } from '@tilemark/kernels';

/**
 * Threads of this process, started when first used and kept until they are released:
 * starting one takes longer than a small product. A pool serves one run at a time.
 *
 * @param entry the bundled program of a thread
 */
export function createThreadPool(entry: URL): HostPool & { release(): Promise<void> } {
  const threads: Worker[] = [];
  const thread = (index: number): Worker => {
    const started = threads[index] ?? new Worker(entry);
    threads[index] = started;
    return started;
  };
  const release = async () => {
    await Promise.all(threads.splice(0).map((started) => started.terminate()));
  };
  return {
    threads: availableParallelism(),
    run: async (jobs) => {
      try {
        await Promise.all(jobs.map((job, index) => runOn(thread(index), job)));
      } catch (error) {
        // The others may still be at work, and what they answer is for nobody's next job.
        await release();
        throw error;
      }
    },
    release,
  };
}

function runOn(thread: Worker, job: HostJob): Promise<void> {
  return new Promise((resolve, reject) => {
    const exit = (code: number) => settle(new Error(`a thread ended with code ${code}`));
    const settle = (error: Error | null) => {
      thread.off('message', settle);
      thread.off('error', settle);
      thread.off('exit', exit);
      if (error) reject(error);
      else resolve();
    };
    // A thread answers null when its rows are done, and an Error when they are not.
    thread.on('message', settle);
    thread.on('error', settle);
    thread.on('exit', exit);
    thread.postMessage(job);
  });
}
