import type { DeviceQueue } from '@tilemark/core';
import { formatAge } from '@/ui/format';

/** When a device's queue will be empty, or why that cannot be told. */
export function etaText(
  queue: Pick<DeviceQueue, 'waiting' | 'serving' | 'etaMs'> | undefined,
): string {
  if (!queue || queue.waiting === 0) return '–';
  if (queue.serving === 0) return 'no worker';
  // Nothing has ended within the hour to tell it by.
  if (queue.etaMs === null) return 'not known';
  if (queue.etaMs < 60_000) return '< 1\u202fmin';
  return formatAge(new Date(0), new Date(queue.etaMs));
}
