import {
  CompileError,
  createHostExecutor,
  DeviceFault,
  type Executor,
  OutOfBoundsWrite,
  type Prepared,
  type Problem,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { Checks } from './checks';
import { runVariant, type Step, type Surroundings } from './measure';
import { type Outcome, outcomeSchema } from './outcome';
import { POLICIES, type PolicyId } from './policy';
import { capabilities } from './test-capabilities';

const problem: Problem = { op: 'transpose', shape: { rows: 33, cols: 65 }, dtype: 'f32' };
const variant = { kernel: 'transpose/cpu-naive', tunables: {} };

function run(
  executor: Executor,
  { policy = 'smoke', ...surroundings }: Partial<Surroundings> & { policy?: PolicyId } = {},
): Promise<Outcome> {
  return runVariant(executor, variant, problem, POLICIES[policy], capabilities, {
    deviceClass: 'cpu',
    lastLevelCacheBytes: 16_384,
    nowNs: () => performance.now() * 1e6,
    ...surroundings,
  });
}

/** The host executor with one verb gone wrong. */
function withFault(fault: (good: Prepared) => Partial<Prepared>): Executor {
  const executor = createHostExecutor();
  return {
    ...executor,
    prepare: async (...args) => {
      const good = await executor.prepare(...args);
      const bad = fault(good);
      return new Proxy(good, {
        get: (target, name) => {
          const from = name in bad ? bad : target;
          const value: unknown = Reflect.get(from, name, from);
          return typeof value === 'function' ? value.bind(from) : value;
        },
      });
    },
  };
}

describe('runVariant', () => {
  it('verifies, warms up, measures cold and hot, and verifies again', async () => {
    const steps: Step[] = [];
    const outcome = await run(createHostExecutor(), { onStep: (step) => steps.push(step) });
    expect(steps).toEqual(['compile', 'verify', 'warm-up', 'cold', 'hot', 'verify-again']);
    expect(outcomeSchema.parse(outcome)).toEqual(outcome);
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: {
        policy: 'smoke',
        timer: { kind: 'wall' },
        // 2 x 16 KiB of cache over two matrices of 33 x 65 floats and the canary.
        bufferSets: 2,
        cold: { n: 5 },
        hot: { n: 5 },
        stop: 'quick',
        discarded: [{ why: 'warm-up' }],
        verification: { before: { method: 'exact', worstRatio: 0, checked: 33 * 65 } },
        unranked: expect.stringContaining('smoke'),
      },
    });
  });

  it('has no hot series where one set of buffers outgrows the cache', async () => {
    const outcome = await run(createHostExecutor(), { lastLevelCacheBytes: 1024 });
    expect(outcome).toMatchObject({ kind: 'measured', measurement: { bufferSets: 1, hot: null } });
  });

  it('does not ask for clocks where that would take longer than the samples', async () => {
    let asked = 0;
    const outcome = await run(createHostExecutor(), {
      lastLevelCacheBytes: 1024,
      readClocks: async () => {
        asked++;
        return null;
      },
    });
    expect(outcome).toMatchObject({ kind: 'measured', measurement: { clocks: null } });
    expect(asked).toBe(0);
  });

  it('skips what the device cannot run, and says why', async () => {
    const f16: Problem = { ...problem, dtype: 'f16' };
    const outcome = await runVariant(
      createHostExecutor(),
      variant,
      f16,
      POLICIES.smoke,
      capabilities,
      { deviceClass: 'cpu', lastLevelCacheBytes: null, nowNs: () => 0 },
    );
    expect(outcome).toMatchObject({ kind: 'skipped', why: expect.stringContaining('f16') });
  });

  it('calls a wrong element incorrect before anything is timed', async () => {
    const steps: Step[] = [];
    const executor = withFault((good) => ({
      readOutput: async (set) => {
        const read = await good.readOutput(set);
        read.tensor()[7] = Number.NaN;
        return read;
      },
    }));
    expect(await run(executor, { onStep: (step) => steps.push(step) })).toMatchObject({
      kind: 'incorrect',
      when: 'before',
      worst: { row: 0, col: 7, got: 'NaN' },
    });
    expect(steps).not.toContain('warm-up');
  });

  it('poisons the outputs before the dispatch that is verified', async () => {
    const verbs: string[] = [];
    const executor = withFault((good) => ({
      poison: () => {
        verbs.push('poison');
        return good.poison();
      },
      sample: (options) => {
        verbs.push('sample');
        return good.sample(options);
      },
    }));
    await run(executor);
    expect(verbs.slice(0, 2)).toEqual(['poison', 'sample']);
  });

  it.each([
    ['is timed', () => false],
    ['rotates through the buffer sets', (rotate: boolean) => !rotate],
    ['stays on one buffer set', (rotate: boolean) => rotate],
  ])('catches a kernel that stops writing once it %s', async (_when, writes) => {
    let samples = 0;
    const executor = withFault((good) => ({
      sample: async (options) =>
        samples++ === 0 || writes(options.rotate) ? good.sample(options) : { ns: 1, wallNs: 1 },
    }));
    expect(await run(executor)).toMatchObject({ kind: 'incorrect', when: 'after' });
  });

  it('checks what the last cold sample wrote, in whichever buffer set that is', async () => {
    const read: number[] = [];
    let lastRotated = 0;
    const executor = withFault((good) => ({
      // Too few dispatches to come round to the first set again: it stays poisoned.
      sample: async (options) => {
        const sample = await good.sample({ ...options, dispatches: 1 });
        if (options.rotate) lastRotated = good.lastSet;
        return sample;
      },
      readOutput: async (set) => {
        read.push(set);
        return good.readOutput(set);
      },
    }));
    const outcome = await run(executor, { lastLevelCacheBytes: 2 ** 20 });
    expect(outcome).toMatchObject({ kind: 'measured' });
    expect(lastRotated).toBeGreaterThan(0);
    expect(read).toEqual([0, lastRotated, 0]);
  });

  it.each([
    ['default', true],
    ['smoke', true],
    ['screen', false],
  ] as const)('under the policy %s it is %s that the upload is timed', async (policy, isTimed) => {
    const asked: unknown[] = [];
    const executor = createHostExecutor();
    const listening: Executor = {
      ...executor,
      prepare: (...args) => {
        asked.push(args[2].timeUpload);
        return Promise.reject(new RangeError('enough'));
      },
    };
    await run(listening, { policy });
    expect(asked).toEqual([isTimed]);
  });

  it('compares with the reference once while the outputs are the same, bit for bit', async () => {
    let compared = 0;
    class CountingChecks extends Checks {
      override async of(...args: Parameters<Checks['of']>): ReturnType<Checks['of']> {
        const check = await super.of(...args);
        return (output) => {
          compared++;
          return check(output);
        };
      }
    }
    const outcome = await run(createHostExecutor(), { checks: new CountingChecks() });
    expect(outcome).toMatchObject({
      measurement: {
        verification: {
          before: { method: 'exact' },
          after: { method: 'identical', checked: 33 * 65 },
        },
      },
    });
    expect(compared).toBe(1);
  });

  it.each([
    ['cold', 1],
    ['hot', 2],
  ])('finds a single wrong bit in the output of the %s series', async (_series, wrongRead) => {
    let reads = 0;
    const executor = withFault((good) => ({
      readOutput: async (set) => {
        const read = await good.readOutput(set);
        const last = read.bytes.length - 4;
        if (reads++ === wrongRead) read.bytes[last] = (read.bytes[last] ?? 0) ^ 1;
        return read;
      },
    }));
    expect(await run(executor)).toMatchObject({
      kind: 'incorrect',
      when: 'after',
      worst: { row: 64, col: 32 },
    });
  });

  it('calls a write out of bounds in a timed sample a failed verification', async () => {
    let reads = 0;
    const executor = withFault((good) => ({
      readOutput: async (set) => {
        if (reads++ > 0) throw new OutOfBoundsWrite('4 bytes behind the output');
        return good.readOutput(set);
      },
    }));
    expect(await run(executor)).toMatchObject({ kind: 'failed', stage: 'verify' });
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

  it('records a write out of bounds as failed at stage verify', async () => {
    const executor = withFault(() => ({
      readOutput: () => Promise.reject(new OutOfBoundsWrite('4 bytes behind the output')),
    }));
    expect(await run(executor)).toEqual({
      kind: 'failed',
      stage: 'verify',
      message: '4 bytes behind the output',
    });
  });

  it.each([
    [
      'runs ahead of the wall',
      { ns: 2, wallNs: 1 },
      /gave 2 ns for 1 dispatches in 1 ns of wall time/,
    ],
    ['stands still', { ns: 0, wallNs: 1 }, /gave 0 ns for 1 dispatches/],
    ['gives no number', { ns: Number.NaN, wallNs: 1 }, /timer is broken/],
  ])('fails a measurement whose clock %s', async (_what, broken, message) => {
    let samples = 0;
    const executor = withFault((good) => ({
      sample: async (options) => (samples++ === 0 ? good.sample(options) : broken),
    }));
    expect(await run(executor)).toMatchObject({
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
