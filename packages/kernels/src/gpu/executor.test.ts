import { describe, expect, test, vi } from 'vitest';
import { CompileError, OutOfBoundsWrite } from '../errors';
import type { Prepared } from '../executor';
import type { GpuKernel } from '../kernel/kernel';
import { KERNELS } from '../kernel/registry';
import { naive } from '../matmul/01-naive';
import { plain } from '../matmul/plain.test-helper';
import type { Problem } from '../problem/problem';
import { compareBits } from '../verify/compare';
import { seedOfSet } from '../verify/fills';
import { inputTensors } from '../verify/inputs';
import { openDevice, useExecutor } from './dawn.test-helper';
import { createGpuExecutor } from './executor';
import { Timestamps } from './timestamps';

const gpu = useExecutor();
const problem: Problem = { op: 'matmul', shape: { m: 33, n: 17, k: 9 }, dtype: 'f32' };
const variant = { kernel: 'matmul/naive', tunables: {} };

/** Puts a kernel in the registry for the length of a test. */
async function withKernel(kernel: GpuKernel, act: () => Promise<void>): Promise<void> {
  const kernels = KERNELS as GpuKernel[];
  kernels.push(kernel);
  try {
    await act();
  } finally {
    kernels.pop();
  }
}

describe('a sample', () => {
  test('is timed by timestamps that are not quantised, within the wall time', async () => {
    expect(gpu.executor.timer.kind).toBe('timestamp');
    expect(gpu.executor.timer.tickNs).toBeLessThan(65_536);
    const prepared = await gpu.executor.prepare(variant, problem, { seed: 1, bufferSets: 3 });
    const { ns, wallNs } = await prepared.sample({ dispatches: 4, rotate: true });
    expect(ns).toBeGreaterThan(0);
    expect(ns).toBeLessThanOrEqual(wallNs);
    prepared.destroy();
  });

  test('rotates through the buffer sets, going on where the last one stopped', async () => {
    const prepared = await gpu.executor.prepare(variant, problem, { seed: 1, bufferSets: 3 });
    const written = async () => {
      const outputs = await Promise.all([0, 1, 2].map((set) => prepared.readOutput(set)));
      return outputs.map(({ tensor }) => !Number.isNaN(tensor()[0]));
    };
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    expect(await written()).toEqual([true, false, false]);
    await prepared.poison('nan');
    expect(await written()).toEqual([false, false, false]);
    await prepared.sample({ dispatches: 2, rotate: true });
    expect(await written()).toEqual([true, true, false]);
    expect(prepared.lastSet).toBe(1);
    await prepared.sample({ dispatches: 1, rotate: true });
    expect(await written()).toEqual([true, true, true]);
    await prepared.sample({ dispatches: 1, rotate: false });
    expect(prepared.lastSet).toBe(0);
    prepared.destroy();
  });

  test('may be one of several that follow each other, behind some that are not timed', async () => {
    const prepared = await gpu.executor.prepare(variant, problem, { seed: 1, bufferSets: 3 });
    await prepared.poison('nan');
    const times = await prepared.samples?.({ dispatches: 4, rotate: true }, 5, 2);
    expect(times).toHaveLength(5);
    for (const ns of times ?? []) expect(ns).toBeGreaterThan(0);
    // Eight passes, the one that the first timed pass is counted from among them.
    expect(prepared.lastSet).toBe((4 * 8 - 1) % 3);
    prepared.destroy();
  });

  test('does not count the load ahead of it, where the device would idle while it is asked', async () => {
    const { device } = await openDevice();
    const executor = await createGpuExecutor(device, { idlesWhileAsked: true });
    const prepared = await executor.prepare(variant, problem, { seed: 1, bufferSets: 3 });
    const passesOf = vi.spyOn(Timestamps.prototype, 'betweenEndsNs');
    const sample = await prepared.sample({ dispatches: 4, rotate: true });
    const [loadNs = 0, ns] = (await passesOf.mock.results[0]?.value) ?? [];
    passesOf.mockRestore();
    expect(loadNs).toBeGreaterThan(0);
    expect(sample.ns).toBe(ns);
    expect(sample.ns + loadNs).toBeLessThanOrEqual(sample.wallNs);
    expect(prepared.lastSet).toBe(0);
    device.destroy();
  });

  test('is timed by the wall clock where the device has no timestamps', async () => {
    const { gpu: dawn, device } = await openDevice();
    const plain = await (await dawn.requestAdapter())?.requestDevice();
    if (!plain) throw new Error('no second device');
    const executor = await createGpuExecutor(plain);
    expect(executor.timer.kind).toBe('wall');
    const prepared = await executor.prepare(variant, problem, { seed: 1, bufferSets: 1 });
    const { ns, wallNs } = await prepared.sample({ dispatches: 1, rotate: false });
    expect(ns).toBe(wallNs);
    plain.destroy();
    device.destroy();
  });
});

test('quantised timestamps are refused with the toggle that is missing', async () => {
  const { device } = await openDevice([]);
  await expect(createGpuExecutor(device)).rejects.toThrow('timestamp_quantization');
  device.destroy();
});

test('a lost device is a fault of the device', async () => {
  const { device } = await openDevice();
  const executor = await createGpuExecutor(device);
  const prepared = await executor.prepare(variant, problem, { seed: 1, bufferSets: 1 });
  device.destroy();
  const fault = expect.objectContaining({ name: 'DeviceFault' });
  await expect(prepared.sample({ dispatches: 1, rotate: false })).rejects.toThrow(fault);
  const other = { kernel: 'matmul/tiled', tunables: {} };
  await expect(executor.prepare(other, problem, { seed: 1, bufferSets: 1 })).rejects.toThrow(fault);
});

test('what was compiled ahead is not compiled again, and its errors come back', async () => {
  const { device } = await openDevice();
  const executor = await createGpuExecutor(device);
  const prepare = (kernel: string) =>
    executor.prepare({ kernel, tunables: {} }, problem, { seed: 1, bufferSets: 1 });
  // Compiles what fills the inputs of every kernel, too.
  expect((await prepare('matmul/naive')).compileNs).toBeGreaterThan(0);
  const build = vi.spyOn(device, 'createComputePipelineAsync');
  await executor.compile({ kernel: 'matmul/tiled', tunables: {} }, problem);
  expect(build).toHaveBeenCalledTimes(1);
  expect((await prepare('matmul/tiled')).compileNs).toBeNull();
  expect(build).toHaveBeenCalledTimes(1);

  const broken: GpuKernel = { ...naive, id: 'matmul/broken', wgsl: 'nonsense' };
  await withKernel(broken, async () => {
    const kernel = { kernel: broken.id, tunables: {} };
    await expect(executor.compile(kernel, problem)).rejects.toThrow(CompileError);
    await expect(prepare(broken.id)).rejects.toThrow(CompileError);
  });
  executor.destroy();
  device.destroy();
});

test('compile errors carry the line, its text, and the column', async () => {
  const broken: GpuKernel = { ...naive, id: 'matmul/broken', wgsl: 'fn main() {\n  nonsense;\n}' };
  await withKernel(broken, async () => {
    const attempt = gpu.executor.prepare({ kernel: broken.id, tunables: {} }, problem, {
      seed: 1,
      bufferSets: 1,
    });
    const error: unknown = await attempt.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CompileError);
    const { at, message } = error as CompileError;
    expect(at).toMatchObject({ text: '  nonsense;', column: 11 });
    expect(message).toContain(`line ${at?.line}, column 11`);
  });
});

test('what a compiler remarks on the lines of an author stays with what was prepared', async () => {
  const wgsl = plain.wgsl.replace('= T(sum);', '= T(sum);\n  return;\n  C[0] = T(0);');
  const remarksOf = async (kernel: GpuKernel) => {
    let remarks: Prepared['remarks'];
    await withKernel(kernel, async () => {
      const options = { seed: 1, bufferSets: 1 };
      const prepared = await gpu.executor.prepare(
        { kernel: kernel.id, tunables: {} },
        problem,
        options,
      );
      ({ remarks } = prepared);
      prepared.destroy();
    });
    return remarks;
  };
  const warned: GpuKernel = { ...plain, id: 'matmul/warned', wgsl };
  const line = wgsl.split('\n').indexOf('  C[0] = T(0);') + 1;
  const message = 'warning: code is unreachable';
  expect(await remarksOf({ ...warned, keepsLines: true })).toMatchObject([{ line, message }]);
  expect(await remarksOf(warned)).toEqual([]);
});

test.each(['f32', 'f16'] as const)(
  'the bytes of an output in %s are those of its elements, and follow what was written',
  async (dtype) => {
    // 33 x 17 elements: of halves no whole number of words.
    const prepared = await gpu.executor.prepare(
      variant,
      { ...problem, dtype },
      { seed: 1, bufferSets: 3 },
    );
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 2, rotate: true });
    const [first, second, poisoned] = await Promise.all(
      [0, 1, 2].map(async (set) => (await prepared.readOutput(set)).bytes),
    );
    prepared.destroy();
    expect(first).toHaveLength(33 * 17 * (dtype === 'f16' ? 2 : 4));
    // Each set has inputs of its own.
    expect(second).not.toEqual(first);
    expect(poisoned).toHaveLength(33 * 17 * (dtype === 'f16' ? 2 : 4));
    expect(poisoned).not.toEqual(first);
  },
);

test('an upload is timed where that is asked for', async () => {
  for (const timeUpload of [true, false]) {
    const options = { seed: 1, bufferSets: 1, timeUpload };
    const prepared = await gpu.executor.prepare(variant, problem, options);
    prepared.destroy();
    if (timeUpload) expect(prepared.uploadNs).toBeGreaterThan(0);
    else expect(prepared.uploadNs).toBeNull();
  }
});

test('a write behind the output is noticed, even clamped by robust access', async () => {
  const stray: GpuKernel = {
    ...plain,
    id: 'matmul/stray',
    wgsl: plain.wgsl.replace('C[row * shape.n + col] =', 'C[row * shape.n + col + 1u] ='),
  };
  await withKernel(stray, async () => {
    const prepared = await gpu.executor.prepare({ kernel: stray.id, tunables: {} }, problem, {
      seed: 1,
      bufferSets: 1,
    });
    await prepared.poison('nan');
    await prepared.sample({ dispatches: 1, rotate: false });
    await expect(prepared.verify([0])).rejects.toThrow(OutOfBoundsWrite);
    await prepared.poison('nan');
    await expect(prepared.verify([0])).resolves.toBeDefined();
    prepared.destroy();
  });
});

test.each(['f32', 'i32', 'f16'] as const)(
  "inputs made on the device equal the host's bit for bit in %s",
  async (dtype) => {
    // A copy hands the input back.
    for (const regime of [undefined, 'integers'] as const) {
      const copied: Problem = { op: 'transpose', shape: { rows: 301, cols: 1_000 }, dtype, regime };
      const prepared = await gpu.executor.prepare(
        { kernel: 'transpose/copy', tunables: {} },
        copied,
        { seed: 0xdeadbeef, bufferSets: 2 },
      );
      await prepared.poison('nan');
      await prepared.sample({ dispatches: 2, rotate: true });
      for (const set of [0, 1]) {
        const output = (await prepared.readOutput(set)).tensor();
        const [input] = inputTensors(copied, { seed: seedOfSet(0xdeadbeef, set) });
        if (!input) throw new Error('a copy has one input');
        expect(compareBits(output, input, copied.shape.cols).worst).toBeNull();
      }
      prepared.destroy();
    }
  },
);
