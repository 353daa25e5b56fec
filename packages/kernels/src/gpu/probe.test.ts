import { describe, expect, test, vi } from 'vitest';
import type { Probe, ProbeRequest } from '../probe/probe';
import { openDevice, useExecutor } from './dawn.test-helper';
import { Pipelines } from './pipelines';
import { prepareLoad } from './probe';
import { DeviceWatch } from './watch';

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

test('a load is as many canaries as last for 6 ms, whatever one takes', async () => {
  const { device } = await openDevice();
  const watch = new DeviceWatch(device);
  const load = await prepareLoad(watch, new Pipelines(watch));
  const canaries = async () => {
    const pass = device.createCommandEncoder().beginComputePass();
    const dispatch = vi.spyOn(pass, 'dispatchWorkgroups');
    load.encode(pass);
    return dispatch.mock.calls.length;
  };
  const counts: number[] = [];
  for (const eachNs of [0.3e6, 0.3e6, 0.3e6, 1.5e6, 15e6]) {
    const count = await canaries();
    counts.push(count);
    load.took(count * eachNs);
  }
  expect([...counts, await canaries()]).toEqual([1, 4, 16, 20, 4, 1]);
  device.destroy();
});
