import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { requireFreePort } from './site';

/** A server on a free port. */
async function listening() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

test('a port in use is refused at once, unless what uses it may be ending', async () => {
  const { port, server } = await listening();
  await expect(requireFreePort('127.0.0.1', port)).rejects.toThrow(`Port ${port} is in use`);
  const waiting = requireFreePort('127.0.0.1', port, 60_000);
  await new Promise((resolve) => server.close(resolve));
  await waiting;
});
