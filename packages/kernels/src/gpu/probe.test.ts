import { describe, expect, test } from 'vitest';
import type { Probe, ProbeRequest } from '../probe/probe';
import { useExecutor } from './dawn.test-helper';

const gpu = useExecutor();

async function probed<R>(request: ProbeRequest, use: (probe: Probe) => Promise<R>): Promise<R> {
  const probe = await gpu.executor.probe(request);
  if (!probe) throw new Error('a GPU has probes');
  try {
    return await use(probe);
  } finally {
    probe.destroy();
  }
}

describe('a probe runs and says what it did', () => {
  test.each([2 ** 10, 2 ** 20, 2 ** 27])('copy over %i bytes', async (bytes) => {
    await probed({ id: 'copy', bytes }, async (probe) => {
      expect(probe.flops).toBe(0);
      expect(probe.bytes).toBeGreaterThanOrEqual(bytes);
      expect((await probe.sample(1)).ns).toBeGreaterThan(0);
    });
  });

  test.each(['f32', 'i32', 'f16'] as const)('multiply-adds in %s', async (dtype) => {
    await probed({ id: 'fma', dtype }, async (probe) => {
      // 2,048 x 256 threads, 1,024 turns of 8 x 4 multiply-adds.
      expect(probe.flops).toBe(2_048 * 256 * 1_024 * 64);
      expect((await probe.sample(1)).ns).toBeGreaterThan(0);
    });
  });

  test('the canary is a small one of them', async () => {
    await probed({ id: 'canary' }, async (probe) => {
      expect(probe.flops).toBe(512 * 256 * 256 * 64);
      const { ns, wallNs } = await probe.sample(2);
      expect(ns).toBeLessThanOrEqual(wallNs);
    });
  });
});
