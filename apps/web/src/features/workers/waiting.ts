import type { DeviceQueue } from '@tilemark/core';
import type { Row } from '../sweeps/row';

/** The queues of the devices that a sweep still waits for, with its own runs counted. */
export const waitingIn = (
  rows: readonly Row[],
  queues: readonly DeviceQueue[],
): readonly DeviceQueue[] =>
  queues.map((queue) => ({
    ...queue,
    waiting: rows.filter(
      ({ kind, device }) => kind === 'pending' && device.key === queue.device.key,
    ).length,
  }));
