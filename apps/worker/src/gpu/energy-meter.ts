import type { EnergyMeter } from '@tilemark/core';
import { type Card, listCards } from './cards';

/**
 * The energy that an NVIDIA card has taken: its own counter, which NVML (a library that comes with
 * the driver) reads through koffi. Of the card, or the first of the name; null where it cannot be read.
 */
export async function openEnergyMeter({
  card,
  name,
}: {
  readonly name: string;
  readonly card?: Card;
}): Promise<EnergyMeter | null> {
  const uuid = (card ?? listCards().find((listCard) => listCard.name === name))?.uuid;
  if (!uuid) return null;
  return openNvml(uuid);
}

const NVML = process.platform === 'win32' ? 'nvml.dll' : 'libnvidia-ml.so.1';

/** NVML's return value for a call that went well. */
const SUCCESS = 0;

/** Opens NVML; null without koffi, without the library, and on cards that have no counter (before Volta). */
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
    // No koffi for this platform, or no NVML.
    return null;
  }
}
