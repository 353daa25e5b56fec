import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** A TCP port of the loopback interface that is free right now. */
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

/** Whether a port of the loopback interface is free right now. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * The port of a service's last start, so that clients find it again after a restart, or any other if
 * that one is taken. Kept in `file`.
 */
export async function keptPort(file: string): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const port = last > 0 && last < 65_536 && (await isFree(last)) ? last : await freePort();
  await writeFile(file, `${port}\n`);
  return port;
}
