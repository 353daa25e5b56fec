import { freePort } from '../services/port';
import { holdsWithin } from '../until';
import { StartProblem } from './terminal';

const READY_WITHIN_MS = 60_000;

/**
 * Node's, for the site (the image's are in its Dockerfile). With 200 workers, collecting what requests
 * leave behind took 12% of its CPU time at the default of 16 MB, and 5% at this (2026-11-25, Node 20).
 * Left to itself V8 collects the rest when there is three times as much as is used: under 100 readers
 * 450 MB stood where 150 were in use (2026-11-27).
 */
export const SITE_FLAGS: readonly string[] = [
  '--max-semi-space-size=64',
  '--heap-growing-percent=50',
];

/**
 * Throws StartProblem if the site could not listen on `host:port`.
 *
 * @param withinMs how long to wait for the port to become free
 */
export async function requireFreePort(
  host: string,
  port: number,
  withinMs = 0,
  signal?: AbortSignal,
): Promise<void> {
  let failure: string | undefined;
  const isSettled = async () => {
    failure = await freePort(port, host).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    return failure !== 'EADDRINUSE';
  };
  if ((await holdsWithin(withinMs, isSettled, 200, signal)) && failure === undefined) return;
  if (failure === 'EADDRINUSE') {
    throw new StartProblem(
      `Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 1}`,
    );
  }
  throw new StartProblem(
    `Cannot listen on ${host}:${port} (${failure}). Choose another --host or --port.`,
  );
}

/** Waits until the site answers; throws StartProblem with the path of the log if it does not. */
export async function waitForSite(
  url: string,
  logFile: string,
  signal?: AbortSignal,
): Promise<void> {
  const answers = () =>
    fetch(`${url}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (await holdsWithin(READY_WITHIN_MS, answers, 150, signal)) return;
  throw new StartProblem(
    `The site did not answer within ${READY_WITHIN_MS / 1000} s. See ${logFile}.`,
  );
}
