import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { lock } from 'proper-lockfile';
import { z } from 'zod';

/** The place of one worker of a device on this machine; it outlives the process. */
export interface Seat {
  /** What the worker calls itself to the grid, so that it takes over its row after a restart. */
  readonly instance: string;
  /** 1 for the first worker of its device on this machine, and so on. */
  readonly number: number;
  /** Its own; exists. */
  readonly folder: string;
}

const takenSchema = z.object({
  instance: z.uuid(),
  pid: z.number().int(),
  /** When the machine booted: process ids begin anew with it. */
  bootedAtMs: z.number(),
});

/** How exactly the moment of the boot is known: clocks are set, ms. */
const BOOT_TOLERANCE_MS = 60_000;

/**
 * Takes the first place of a device that no running process has. Two workers of one device
 * have two, and each finds its own again after a restart.
 */
export async function takeSeat(dataDir: string, deviceKey: string): Promise<Seat> {
  const workers = join(dataDir, 'workers');
  await mkdir(workers, { recursive: true });
  const release = await lock(workers, {
    retries: { retries: 50, minTimeout: 50, maxTimeout: 200 },
  });
  try {
    for (let number = 1; ; number++) {
      const folder = join(workers, number === 1 ? deviceKey : `${deviceKey}.${number}`);
      const file = join(folder, 'seat.json');
      const taken = await read(file);
      if (taken && isTaken(taken)) continue;
      const instance = taken?.instance ?? randomUUID();
      await mkdir(folder, { recursive: true });
      await writeFile(
        `${file}.new`,
        JSON.stringify({ instance, pid: process.pid, bootedAtMs: bootedAtMs() }),
      );
      await rename(`${file}.new`, file);
      return { instance, number, folder };
    }
  } finally {
    await release();
  }
}

async function read(file: string): Promise<z.infer<typeof takenSchema> | null> {
  const text = await readFile(file, 'utf8').catch(() => 'null');
  try {
    return takenSchema.parse(JSON.parse(text));
  } catch {
    // None yet, or cut short by a full disk: a new one.
    return null;
  }
}

const bootedAtMs = (): number => Date.now() - uptime() * 1_000;

function isTaken({ pid, bootedAtMs: at }: z.infer<typeof takenSchema>): boolean {
  // In a container every process has the same id as the one before.
  if (pid === process.pid || Math.abs(at - bootedAtMs()) > BOOT_TOLERANCE_MS) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}
