import { setTimeout as sleep } from 'node:timers/promises';
import { StartProblem } from './problem';

const READY_WITHIN_MS = 60_000;

/** Waits until the site answers; throws StartProblem with the log's place when it does not. */
export async function waitForSite(url: string, logFile: string): Promise<void> {
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const answer = await fetch(`${url}/api/v1/health`).catch(() => null);
    if (answer?.ok) return;
    await sleep(150);
  }
  throw new StartProblem(
    `The site did not answer within ${READY_WITHIN_MS / 1000} s. See ${logFile}.`,
  );
}
