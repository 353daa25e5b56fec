import { holdsWithin } from '../until';
import { StartProblem } from './problem';

const READY_WITHIN_MS = 60_000;

/** Waits until the site answers; throws StartProblem with the path of the log if it does not. */
export async function waitForSite(url: string, logFile: string): Promise<void> {
  const answers = () =>
    fetch(`${url}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (await holdsWithin(READY_WITHIN_MS, answers, 150)) return;
  throw new StartProblem(
    `The site did not answer within ${READY_WITHIN_MS / 1000} s. See ${logFile}.`,
  );
}
