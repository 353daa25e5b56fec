import { freePort } from '../services/port';
import { holdsWithin } from '../until';
import { StartProblem } from './problem';

/**
 * Throws StartProblem if the site could not listen on `host:port`.
 *
 * @param withinMs how long to wait for the port to become free
 */
export async function requireFreePort(host: string, port: number, withinMs = 0): Promise<void> {
  let failure: string | undefined;
  const isSettled = async () => {
    failure = await freePort(port, host).then(
      () => undefined,
      ({ code }: NodeJS.ErrnoException) => code,
    );
    return failure !== 'EADDRINUSE';
  };
  if ((await holdsWithin(withinMs, isSettled, 200)) && failure === undefined) return;
  if (failure === 'EADDRINUSE') {
    throw new StartProblem(
      `Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 1}`,
    );
  }
  throw new StartProblem(
    `Cannot listen on ${host}:${port} (${failure}). Choose another --host or --port.`,
  );
}
