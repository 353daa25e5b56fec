import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** A TCP port of the loopback interface that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** Whether nothing listens on a port of the loopback interface at this moment. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * The port a service had at its last start, while it is free, so that those who
 * are connected find it again after a restart; else any other. Kept in `file`.
 */
export async function keptPort(file: string): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const port = last > 0 && last < 65_536 && (await isFree(last)) ? last : await freePort();
  await writeFile(file, `${port}\n`);
  return port;
}

/** Addresses for a service to listen on: loopback, which the grid uses, and `host`. */
export function listenAddresses(host: string | undefined): string[] {
  if (host === undefined) return ['127.0.0.1'];
  if (host === '::') return ['0.0.0.0', '::'];
  return host === '0.0.0.0' ? [host] : ['127.0.0.1', host];
}
