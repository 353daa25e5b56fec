import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import type { HostJob, HostPool } from './job';

/** A pool of real threads: each job runs the bundled `runHostJob` on a new thread. */
export async function startPool(threads: number): Promise<HostPool> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import { parentPort, workerData } from 'node:worker_threads';
        import { runHostJob } from './job';
        runHostJob(workerData);
        parentPort.postMessage('done');`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    write: false,
    platform: 'node',
    loader: { '.wgsl': 'text' },
  });
  const code = outputFiles[0]?.text ?? '';
  const runOne = (job: HostJob) =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(code, { eval: true, workerData: job });
      worker.once('message', () => resolve());
      worker.once('error', reject);
    });
  return {
    threads,
    run: async (jobs) => {
      await Promise.all(jobs.map(runOne));
    },
  };
}
