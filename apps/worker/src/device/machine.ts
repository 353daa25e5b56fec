import { readdir, readFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

/** What of this machine can change a number. */
export interface Machine {
  readonly os: string;
  readonly arch: string;
  readonly cpu: { readonly model: string; readonly cores: number };
  readonly memoryBytes: number;
  /** Null where the system does not say. */
  readonly lastLevelCacheBytes: number | null;
}

export async function thisMachine(): Promise<Machine> {
  return {
    os: `${type()} ${release()}`,
    arch: arch(),
    cpu: { model: cpus()[0]?.model.trim() || 'unknown CPU', cores: availableParallelism() },
    memoryBytes: totalmem(),
    lastLevelCacheBytes: await lastLevelCacheBytes(),
  };
}

/** Linux lists the caches of a core as `index0`, `index1`, ...; `size` reads like `32768K`. */
async function lastLevelCacheBytes(folder = '/sys/devices/system/cpu/cpu0/cache') {
  const entries = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((name) => name.startsWith('index'))
      .map((name) => readFile(join(folder, name, 'size'), 'utf8').catch(() => '')),
  );
  const bytes = sizes.map((size) => Number.parseInt(size, 10) * 1024).filter((n) => n > 0);
  return bytes.length > 0 ? Math.max(...bytes) : null;
}
