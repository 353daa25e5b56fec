import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { messageOf } from '@tilemark/core';
import type { NagaAnswer } from '@tilemark/core/contributed';

/** For all texts of a kernel: naga reads hundreds of ordinary ones in it, ms. */
const WITHIN_MS = 30_000;

/** A thread of its own, for what a compiler may do with a stranger's text: it can be ended. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
import(workerData.naga).then(({ parseWgsl, validate, NagaError }) => {
  for (const text of workerData.texts) {
    let report = '';
    try {
      const module = parseWgsl(text);
      validate(module).free();
      module.free();
    } catch (error) {
      if (!(error instanceof NagaError)) throw error;
      report = error.formatted;
    }
    parentPort.postMessage(report);
  }
});`;

/** What naga says of each text: up to the one that it does not get through. Never throws. */
export async function askNaga(texts: readonly string[]): Promise<NagaAnswer[]> {
  const answers: NagaAnswer[] = [];
  try {
    const naga = pathToFileURL(createRequire(import.meta.url).resolve('naga-wasm')).href;
    const thread = new Worker(THREAD, { eval: true, workerData: { naga, texts } });
    const timer = setTimeout(() => void thread.terminate(), WITHIN_MS);
    await new Promise<void>((resolve, reject) => {
      thread.on('message', (report: string) => answers.push({ report }));
      thread.once('error', reject).once('exit', () => resolve());
    }).finally(() => clearTimeout(timer));
    if (answers.length === texts.length) return answers;
    return [...answers, { unread: `it gave no answer within ${WITHIN_MS / 1000} s` }];
  } catch (error) {
    return [...answers, { unread: `it cannot read this: ${messageOf(error)}` }];
  }
}
