import type { DeviceQueue } from '@tilemark/core';
import { expect, test } from 'vitest';
import { isServed } from './no-worker';

const queue = (key: string, workers: number): DeviceQueue => ({
  device: { key, name: key, class: 'gpu' },
  workers,
  serving: workers,
  waiting: 0,
  etaMs: null,
});

test('a sweep is served by a worker of one of its devices', () => {
  const queues = [queue('a', 1), queue('b', 0)];
  expect(isServed(['a', 'c'], queues)).toBe(true);
  expect(isServed(['b'], queues)).toBe(false);
  expect(isServed(['c'], queues)).toBe(false);
  expect(isServed(undefined, queues)).toBe(true);
  expect(isServed(undefined, [queue('b', 0)])).toBe(false);
});
