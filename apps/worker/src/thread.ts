import { parentPort } from 'node:worker_threads';
import { type HostJob, runHostJob } from '@tilemark/kernels';

/** A thread of the pool: does the rows it is sent and answers null, or the error. */
parentPort?.on('message', (job: HostJob) => {
  try {
    runHostJob(job);
    parentPort?.postMessage(null);
  } catch (error) {
    parentPort?.postMessage(error instanceof Error ? error : new Error(String(error)));
  }
});
