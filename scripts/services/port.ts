import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';

/** Ports for listening: below those that systems give to connections, any of which could take one meanwhile. */
const OURS = { from: 16_384, below: 32_768 } as const;

const MOST_TRIES = 100;

/** The port, if it is free right now, or any free one for 0. Rejects with the system's reason. */
export async function freePort(port = 0, host = '127.0.0.1'): Promise<number> {
  if (port !== 0) return probed(port, host);
  for (let tries = 1; ; tries++) {
    const any = randomInt(OURS.from, OURS.below);
    try {
      return await probed(any, host);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' || tries === MOST_TRIES) throw error;
    }
  }
}

async function probed(port: number, host: string): Promise<number> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
  return port;
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
