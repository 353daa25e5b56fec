import {
  CompileError,
  createHostExecutor,
  DeviceFault,
  type Executor,
  NoMemoryToVerify,
  type Problem,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { PLAIN_WEBGPU } from './device';
import { endedBy, runVariant, type Step, type Surroundings } from './measure';
import { outcomeSchema } from './outcome';
import { POLICIES } from './policy';
import { problem, run, variant, withFault } from './run.test-helper';

describe('runVariant', () => {
  it('verifies, warms up, measures cold and hot, and verifies again', async () => {
    const steps: Step[] = [];
    const outcome = await run(createHostExecutor(), { onStep: (step) => steps.push(step) });
    expect(steps).toEqual(['compile', 'verify', 'warm-up', 'cold', 'hot']);
    expect(outcomeSchema.parse(outcome)).toEqual(outcome);
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: {
        policy: 'smoke',
        timer: { kind: 'wall' },
        // More than twice the cache: pairs of inputs are to last.
        bufferSets: 24,
        cold: { n: 5 },
        hot: { n: 5 },
        stop: 'quick',
        discarded: [{ why: 'warm-up' }],
        verification: {
          before: { method: 'exact', worstRatio: 0, checked: 33 * 65 },
          after: { method: 'exact', worstRatio: 0, checked: expect.any(Number) },
          seed: expect.any(Number),
          rms: 0,
          freshRatio: null,
        },
        unranked: expect.stringContaining('smoke'),
      },
    });
  });

  it('measures energy under a policy that asks for it, verifies what that left, and closes the meter', async () => {
    const policy = { ...POLICIES.smoke, energy: { stretches: 1, stretchNs: 50e6 } };
    const steps: Step[] = [];
    let isOpen = false;
    const energyMeter = async () => {
      isOpen = true;
      // 100 W, in steps of 1 J.
      return {
        source: 'nvml' as const,
        joules: () => Math.floor(performance.now() / 10),
        close: () => {
          isOpen = false;
        },
      };
    };
    const measure = (over: Partial<Surroundings>) =>
      runVariant(createHostExecutor(), variant, problem, policy, PLAIN_WEBGPU, {
        deviceClass: 'cpu',
        lastLevelCacheBytes: 16_384,
        nowNs: () => performance.now() * 1e6,
        onStep: (step) => steps.push(step),
        ...over,
      });
    const outcome = await measure({ energyMeter });
    expect(isOpen).toBe(false);
    expect(steps.slice(-2)).toEqual(['hot', 'energy']);
    expect(outcomeSchema.parse(outcome)).toMatchObject({
      measurement: { energy: { source: 'nvml', stretches: [{ dispatches: expect.any(Number) }] } },
    });
    expect(await measure({})).toMatchObject({ measurement: { energy: null } });
  });

  it('keeps the clocks around the cold series', async () => {
    const clocks = { smMHz: 1, memoryMHz: 2, temperatureC: 3, powerW: 4, limitedBy: [] };
    const readClocks = () => ({ ...clocks, smMHz: ++clocks.smMHz });
    const outcome = await run(createHostExecutor(), { lastLevelCacheBytes: 1024, readClocks });
    expect(outcome).toMatchObject({
      measurement: { clocks: { before: { smMHz: 2 }, after: { smMHz: 3 } } },
    });
  });

  it('skips what the device cannot run, and says why', async () => {
    const f16: Problem = { ...problem, dtype: 'f16' };
    const outcome = await runVariant(
      createHostExecutor(),
      variant,
      f16,
      POLICIES.smoke,
      PLAIN_WEBGPU,
      { deviceClass: 'cpu', lastLevelCacheBytes: null, nowNs: () => 0 },
    );
    expect(outcome).toMatchObject({ kind: 'skipped', why: expect.stringContaining('f16') });
  });

  it.each([
    ['default', ['garbage', 'compile']],
    ['smoke', ['compile']],
  ] as const)('frees what earlier runs left, where it may be ranked: %s', async (policy, began) => {
    const seen: string[] = [];
    const prepare = () => Promise.reject(new Error('enough is seen'));
    await run(
      { ...createHostExecutor(), prepare },
      {
        policy,
        onStep: (step) => seen.push(step),
        collectGarbage: async () => void seen.push('garbage'),
      },
    );
    expect(seen).toEqual(began);
  });

  it.each([
    ['default', true],
    ['smoke', true],
    ['screen', false],
  ] as const)('under the policy %s it is %s that the upload is timed', async (policy, isTimed) => {
    const asked: unknown[] = [];
    const listening: Executor = {
      ...createHostExecutor(),
      prepare: (...args) => {
        asked.push(args[2].timeUpload);
        return Promise.reject(new RangeError('enough'));
      },
    };
    await run(listening, { policy });
    expect(asked).toEqual([isTimed]);
  });

  it.each([
    ['a shader that does not compile', 'compile', new CompileError('no such type', null)],
    ['a device without memory for the buffers', 'prepare', new RangeError('Invalid array length')],
  ])('records %s as failed at stage %s', async (_what, stage, error) => {
    const executor: Executor = {
      ...createHostExecutor(),
      prepare: () => Promise.reject(error),
    };
    expect(await run(executor)).toEqual({ kind: 'failed', stage, message: error.message });
  });

  it.each([
    [
      'runs ahead of the wall',
      { ns: 2, wallNs: 1 },
      /gives 2 ns for a pass of 1 dispatches that took 1 ns/,
    ],
    ['stands still', { ns: 0, wallNs: 1 }, /gives 0 ns for a pass of 1/],
    ['gives no number', { ns: Number.NaN, wallNs: 1 }, /clock is wrong: it gives NaN/],
  ])('fails a measurement whose clock %s', async (_what, broken, message) => {
    let isTimed = false;
    const executor = withFault((good) => ({
      sample: async (options) => (isTimed ? broken : good.sample(options)),
    }));
    const onStep = (step: Step) => {
      isTimed ||= step === 'warm-up';
    };
    expect(await run(executor, { onStep })).toMatchObject({
      kind: 'failed',
      stage: 'measure',
      message: expect.stringMatching(message),
    });
  });

  it('leaves a lost device to the caller, and what it prepared destroyed', async () => {
    let destroyed = 0;
    const executor = withFault(() => ({
      sample: () => Promise.reject(new DeviceFault('lost')),
      destroy: () => {
        destroyed++;
      },
    }));
    await expect(run(executor)).rejects.toThrow(DeviceFault);
    expect(destroyed).toBe(1);
  });
});

it('a run that nothing can be verified for is skipped', () => {
  expect(endedBy(new NoMemoryToVerify(), 'verify')).toEqual({
    kind: 'skipped',
    why: 'not enough memory to verify',
  });
});
