import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartProblem } from './problem';

const LOOK_AGAIN_MS = 200;

/**
 * Throws StartProblem when the site could not listen on `host:port`.
 *
 * @param withinMs what holds the port now is waited for as long as this
 */
export async function requireFreePort(host: string, port: number, withinMs = 0): Promise<void> {
  const deadlineMs = performance.now() + withinMs;
  let failure = await listenFailure(host, port);
  while (failure?.code === 'EADDRINUSE' && performance.now() < deadlineMs) {
    await sleep(LOOK_AGAIN_MS);
    failure = await listenFailure(host, port);
  }
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
