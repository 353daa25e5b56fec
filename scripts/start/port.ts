import { createServer } from 'node:net';
import { StartProblem } from './problem';

/** Throws StartProblem when the site could not listen on `host:port`. */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(null)));
  });
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
