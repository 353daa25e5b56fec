import { createServer } from 'node:net';
import { holdsWithin } from '../until';
import { StartProblem } from './problem';

/**
 * Throws StartProblem if the site could not listen on `host:port`.
 *
 * @param withinMs how long to wait for the port to become free
 */
export async function requireFreePort(host: string, port: number, withinMs = 0): Promise<void> {
  let failure = await listenFailure(host, port);
  const isFree = async () => {
    failure = await listenFailure(host, port);
    return failure?.code !== 'EADDRINUSE';
  };
  await holdsWithin(withinMs, isFree, 200);
  if (!failure) return;
  if (failure.code === 'EADDRINUSE') {
    throw new StartProblem(
      `Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 1}`,
    );
  }
  throw new StartProblem(
    `Cannot listen on ${host}:${port} (${failure.code}). Choose another --host or --port.`,
  );
}

function listenFailure(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
}
