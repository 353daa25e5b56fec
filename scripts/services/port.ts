import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** The port, if it is free right now, or any free one for 0. Rejects with the system's reason. */
export async function freePort(port = 0, host = '127.0.0.1'): Promise<number> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : port;
}

/**
 * The port of a service's last start, so that clients find it again after a restart, or any other if
 * that one is taken. Kept in `file`.
 */
export async function keptPort(file: string): Promise<number> {
  const last = Number(await readFile(file, 'utf8').catch(() => ''));
  const port = await freePort(last > 0 && last < 65_536 ? last : 0).catch(() => freePort());
  await writeFile(file, `${port}\n`);
  return port;
}
