import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { type DeviceDescription, softwareOf } from '@tilemark/core';
import { lock } from 'proper-lockfile';
import { z } from 'zod';
import { version } from '../../package.json';

/** One worker of a device on this machine, the same one after a restart of its process. */
interface WorkerInstance {
  /** Sent to the grid, so that the worker keeps its row there after a restart. */
  readonly id: string;
  /** 1 for the first worker of its device on this machine, and so on. */
  readonly number: number;
  /** Its own data folder; exists. */
  readonly folder: string;
  /** Where its card is, where the machine has equal ones. */
  readonly busId?: string | undefined;
}

/** How a worker identifies itself to the grid. The second of one device on a machine is `lab: H200 #2`. */
export const listedAs = (
  { identity, capabilities, environment }: DeviceDescription,
  instance?: Pick<WorkerInstance, 'id' | 'number' | 'busId'>,
) => ({
  name:
    `${hostname()}: ${identity.device}`.slice(0, 270) +
    (instance?.busId ? ` at ${instance.busId}` : '') +
    (instance && instance.number > 1 ? ` #${instance.number}` : ''),
  host: hostname().slice(0, 120) || 'unknown',
  version,
  identity,
  capabilities,
  software: softwareOf(environment),
  ...(instance && { instance: instance.id }),
});

const takenSchema = z.object({
  instance: z.uuid(),
  pid: z.number().int(),
  /** When the machine booted: process ids start again with it. */
  bootedAtMs: z.number(),
});

/** How precisely the time of boot is known, since clocks get set, ms. */
const BOOT_TOLERANCE_MS = 60_000;

/**
 * Takes the first instance of a device that no running process has. Two workers of one
 * device take two, and each finds its own again after a restart.
 */
export async function takeInstance(
  dataDir: string,
  deviceKey: string,
  busId?: string,
): Promise<WorkerInstance> {
  const device = busId ? `${deviceKey}@${busId.replaceAll(/[:.]/g, '-')}` : deviceKey;
  const workers = join(dataDir, 'workers');
  await mkdir(workers, { recursive: true });
  const release = await lock(workers, {
    retries: { retries: 50, minTimeout: 50, maxTimeout: 200 },
  });
  try {
    for (let number = 1; ; number++) {
      const folder = join(workers, number === 1 ? device : `${device}.${number}`);
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
      return { id: instance, number, folder, ...(busId && { busId }) };
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
    // None yet, or truncated by a full disk: a new one.
    return null;
  }
}

const bootedAtMs = (): number => Date.now() - uptime() * 1_000;

function isTaken({ pid, bootedAtMs: at }: z.infer<typeof takenSchema>): boolean {
  // In a container every process has the same id as its predecessor.
  if (pid === process.pid || Math.abs(at - bootedAtMs()) > BOOT_TOLERANCE_MS) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && Reflect.get(error, 'code') === 'EPERM';
  }
}
