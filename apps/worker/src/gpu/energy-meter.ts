import type { EnergyMeter } from '@tilemark/core';
import { type Card, listCards } from './cards';
import { followNvidiaSmi } from './nvidia-smi';

/**
 * The energy that an NVIDIA card has taken: its own counter, which NVML (a library that comes with
 * the driver) reads through koffi, or else the instant power that `nvidia-smi` reports, summed up.
 */

/** The card, or the first of the name; null where neither source has a reading. */
export async function openEnergyMeter({
  card,
  name,
}: {
  readonly name: string;
  readonly card?: Card;
}): Promise<EnergyMeter | null> {
  const uuid = (card ?? listCards().find((listCard) => listCard.name === name))?.uuid;
  if (!uuid) return null;
  return (await openNvml(uuid)) ?? summedPower(uuid);
}

const NVML = process.platform === 'win32' ? 'nvml.dll' : 'libnvidia-ml.so.1';

/** NVML's return value for a call that went well. */
const SUCCESS = 0;

/** Null without koffi, without the library, and on cards that have no counter (before Volta). */
async function openNvml(uuid: string): Promise<EnergyMeter | null> {
  try {
    const { default: koffi } = await import('koffi');
    const nvml = koffi.load(NVML);
    const init = nvml.func('int nvmlInit_v2()');
    const find = nvml.func('int nvmlDeviceGetHandleByUUID(const char *uuid, _Out_ void **device)');
    const read = nvml.func(
      'int nvmlDeviceGetTotalEnergyConsumption(void *device, _Out_ uint64_t *millijoules)',
    );
    const shutdown = nvml.func('int nvmlShutdown()');
    const device: unknown[] = [null];
    if (init() !== SUCCESS) return null;
    if (find(uuid, device) !== SUCCESS) {
      shutdown();
      return null;
    }
    const joules = () => {
      const millijoules: (number | bigint)[] = [0];
      return read(device[0], millijoules) === SUCCESS ? Number(millijoules[0]) / 1e3 : null;
    };
    const meter = { source: 'nvml', joules, close: () => void shutdown() } as const;
    if (joules() !== null) return meter;
    meter.close();
    return null;
  } catch {
    // No koffi for this platform, or no NVML: the other source may be there.
    return null;
  }
}

/** There is no reading before the second line, and none without the tool. */
export function summedPower(uuid: string): EnergyMeter {
  let lastMs: number | null = null;
  let joules: number | null = null;
  const close = followNvidiaSmi(['-i', uuid, '--query-gpu=power.draw.instant'], (line) => {
    const watts = Number.parseFloat(line);
    if (!Number.isFinite(watts)) return;
    const nowMs = performance.now();
    if (lastMs !== null) joules = (joules ?? 0) + (watts * (nowMs - lastMs)) / 1e3;
    lastMs = nowMs;
  });
  return { source: 'nvidia-smi', joules: () => joules, close };
}
