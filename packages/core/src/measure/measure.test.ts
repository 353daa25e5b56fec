import {
  CompileError,
  createHostExecutor,
  DeviceFault,
  type Executor,
  OutOfBoundsWrite,
  type Prepared,
  type Problem,
  ReferenceWrong,
  type Sample,
  type SampleOptions,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../plan/capabilities.test-helper';
import { runVariant, type Step, type Surroundings } from './measure';
import { type Outcome, outcomeSchema } from './outcome';
import { POLICIES, type PolicyId } from './policy';

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

const once = { dispatches: 1, rotate: false } as const;

/** A sample of so long, ns per dispatch. */
function lasting(each: number, { dispatches }: SampleOptions): Sample {
  const ns = each * dispatches;
  return { ns, wallNs: ns };
}

describe('runVariant', () => {
  it('verifies, warms up, measures cold and hot, and verifies again', async () => {
    const steps: Step[] = [];
    // Of this seed no stretch begins within smoke's five samples: all sets keep their outputs.
    const outcome = await run(createHostExecutor(), {
      seed: 7,
      onStep: (step) => steps.push(step),
    });
    expect(steps).toEqual(['compile', 'verify', 'warm-up', 'cold', 'hot', 'verify-again']);
    expect(outcomeSchema.parse(outcome)).toEqual(outcome);
    expect(outcome).toMatchObject({
      kind: 'measured',
      measurement: {
        policy: 'smoke',
        timer: { kind: 'wall' },
        // 2 x 16 KiB of cache over two matrices of 33 x 65 floats and the guards.
        bufferSets: 2,
        cold: { n: 5 },
        hot: { n: 5 },
        stop: 'quick',
        discarded: [{ why: 'warm-up' }],
        verification: {
          before: { method: 'exact', worstRatio: 0, checked: 33 * 65 },
          after: { method: 'exact', worstRatio: 0, checked: 2 * 33 * 65 },
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
      runVariant(createHostExecutor(), variant, problem, policy, capabilities, {
        deviceClass: 'cpu',
        lastLevelCacheBytes: 16_384,
        nowNs: () => performance.now() * 1e6,
        onStep: (step) => steps.push(step),
        ...over,
      });
    const outcome = await measure({ energyMeter });
    expect(isOpen).toBe(false);
    expect(steps.slice(-2)).toEqual(['energy', 'verify-again']);
    expect(outcomeSchema.parse(outcome)).toMatchObject({
      measurement: { energy: { source: 'nvml', stretches: [{ dispatches: expect.any(Number) }] } },
    });
    expect(await measure({})).toMatchObject({ measurement: { energy: null } });
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
    const worst = { row: 0, col: 7, got: 'NaN', want: 1, bound: 0 };
    const executor = withFault((good) => ({
      verify: async (sets) => {
        const verdict = await good.verify(sets);
        if (verdict.worst) return verdict;
        return { ...verdict, worst, beyond: 1, worstRatio: Number.POSITIVE_INFINITY };
      },
    }));
    const outcome = await run(executor, { onStep: (step) => steps.push(step) });
    expect(outcome).toMatchObject({
      kind: 'incorrect',
      when: 'before',
      worst,
      beyond: 1,
      checked: 33 * 65,
    });
    expect(steps).not.toContain('warm-up');
  });

  it('poisons before the dispatches that are verified, with NaN and with stale values', async () => {
    const verbs: string[] = [];
    const executor = withFault((good) => ({
      poison: (kind, sets) => {
        verbs.push(kind);
        return good.poison(kind, sets);
      },
      sample: (options) => {
        verbs.push('sample');
        return good.sample(options);
      },
      verify: (sets) => {
        verbs.push('verify');
        return good.verify(sets);
      },
    }));
    await run(executor);
    expect(verbs.slice(0, 7)).toEqual([
      ...['nan', 'verify', 'sample', 'verify'],
      ...['stale', 'sample', 'verify'],
    ]);
  });

  it('does not believe a comparison that finds nothing where nothing was written', async () => {
    const executor = withFault((good) => ({ poison: () => good.sample(once).then(() => {}) }));
    expect(await run(executor)).toMatchObject({
      kind: 'failed',
      stage: 'verify',
      message: expect.stringContaining('the comparison is wrong on this device'),
    });
  });

  it.each([
    ['a reference that is wrong', new ReferenceWrong('element [1, 2] is 3, should be 4')],
    ['a write out of bounds', new OutOfBoundsWrite('4 bytes behind the output')],
  ])('records %s as failed at stage verify', async (_what, error) => {
    const executor = withFault(() => ({ verify: () => Promise.reject(error) }));
    const { message } = error;
    expect(await run(executor)).toEqual({ kind: 'failed', stage: 'verify', message });
  });

  it.each([
    ['is timed', () => false],
    ['rotates through the buffer sets', (rotate: boolean) => !rotate],
    ['stays on one buffer set', (rotate: boolean) => rotate],
  ])('catches a kernel that stops writing once it %s', async (_when, writes) => {
    let samples = 0;
    const executor = withFault((good) => ({
      sample: async (options) =>
        samples++ < 2 || writes(options.rotate) ? good.sample(options) : { ns: 1, wallNs: 1 },
    }));
    expect(await run(executor)).toMatchObject({ kind: 'incorrect', when: 'after' });
  });

  it.each([1, 2, 3])('catches a kernel that is wrong on every %i0th dispatch', async (tens) => {
    let dispatches = 0;
    const executor = withFault((good) => ({
      sample: async ({ dispatches: count, rotate }) => {
        let total = { ns: 0, wallNs: 0 };
        for (let i = 0; i < count; i++) {
          const { ns, wallNs } = await good.sample({ dispatches: 1, rotate });
          total = { ns: total.ns + ns, wallNs: total.wallNs + wallNs };
          if (++dispatches % (10 * tens) === 0) await good.poison('nan');
        }
        return total;
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      kind: 'incorrect',
      when: 'after',
    });
  });

  it('looks at the outputs of a stretch once all sets are written', async () => {
    const seen: number[] = [];
    const executor = withFault((good) => ({
      verify: (sets) => {
        seen.push(sets.length);
        return good.verify(sets);
      },
      sample: async (options) => {
        await good.sample(options);
        return lasting(1e6, options);
      },
    }));
    const options = { policy: 'default', lastLevelCacheBytes: 100_000 } as const;
    const outcome = await run(executor, options);
    if (outcome.kind !== 'measured') throw new Error(outcome.kind);
    const { bufferSets, dispatchesPerSample } = outcome.measurement;
    const whole = Math.floor(bufferSets / dispatchesPerSample) * dispatchesPerSample;
    expect(dispatchesPerSample).toBeLessThan(bufferSets);
    expect(seen.filter((sets) => sets === whole).length).toBeGreaterThanOrEqual(
      Math.floor(64 / whole),
    );
  });

  it('verifies the last outputs of all sets', async () => {
    const verified: (readonly number[])[] = [];
    const executor = withFault((good) => ({
      verify: (sets) => {
        verified.push(sets.toSorted());
        return good.verify(sets);
      },
      sample: async (options) => {
        await good.sample(options);
        return lasting(1e6, options);
      },
    }));
    let last: readonly number[] = [];
    const outcome = await run(executor, {
      policy: 'default',
      lastLevelCacheBytes: 100_000,
      seed: 7,
      onStep: (step) => {
        if (step === 'hot') last = verified.at(-1) ?? [];
      },
    });
    expect(outcome).toMatchObject({ kind: 'measured', measurement: { bufferSets: 8 } });
    expect(last).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  // The seed decides where the stretch begins, of which the outputs are poisoned first.
  it.each(Array.from({ length: 48 }, (_, seed) => seed))(
    'finds work done only where all was poisoned, wherever the looks fall (seed %i)',
    async (seed) => {
      let isPoisoned = true;
      const executor = withFault((good) => ({
        poison: (kind, sets) => {
          isPoisoned = true;
          return good.poison(kind, sets);
        },
        sample: async (options) => {
          await good.sample(options);
          if (!isPoisoned && options.rotate) await good.poison('nan', [good.lastSet]);
          isPoisoned = false;
          return lasting(1e6, options);
        },
      }));
      const outcome = await run(executor, { seed, lastLevelCacheBytes: 100_000 });
      expect(outcome).toMatchObject({ kind: 'incorrect', when: 'after' });
    },
  );

  it('repeats inputs and checks from a seed', async () => {
    const seen = async (seed: number) => {
      const calls: unknown[] = [];
      const executor = withFault((good) => ({
        poison: (kind, sets) => {
          calls.push([kind, sets]);
          return good.poison(kind, sets);
        },
        refill: (of) => {
          calls.push(of);
          return good.refill(of);
        },
        verify: (sets) => {
          calls.push(sets);
          return good.verify(sets);
        },
      }));
      const outcome = await run(executor, { seed, lastLevelCacheBytes: 100_000 });
      expect(outcome).toMatchObject({ measurement: { verification: { seed } } });
      return calls;
    };
    const first = await seen(2 ** 40 + 5);
    expect(await seen(2 ** 40 + 5)).toEqual(first);
    // Inputs of the same seed, other choices.
    expect(await seen(2 ** 41 + 5)).not.toEqual(first);
  });

  it('does not rank what takes longer on inputs it has not seen', async () => {
    let isFresh = false;
    const executor = withFault((good) => ({
      refill: (seed) => {
        isFresh = true;
        return good.refill(seed);
      },
      sample: async (options) => {
        await good.sample(options);
        return lasting(isFresh ? 3e6 : 1e6, options);
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      measurement: {
        verification: { freshRatio: 3 },
        unranked: 'a dispatch on new inputs takes 3.0 times as long as the timed ones',
      },
    });
  });

  it('takes more rounds on new inputs only while they are slow', async () => {
    const after = async (slowRounds: number) => {
      let refills = 0;
      const executor = withFault((good) => ({
        refill: (seed) => {
          refills++;
          return good.refill(seed);
        },
        sample: async (options) => {
          await good.sample(options);
          return lasting(refills > 0 && refills <= slowRounds ? 3e6 : 1e6, options);
        },
      }));
      const outcome = await run(executor, { policy: 'default' });
      if (outcome.kind !== 'measured') throw new Error(outcome.kind);
      return { refills, ratio: outcome.measurement.verification.freshRatio };
    };
    expect(await after(0)).toEqual({ refills: 1, ratio: 1 });
    expect(await after(1)).toEqual({ refills: 2, ratio: 1 });
    expect(await after(3)).toEqual({ refills: 3, ratio: 3 });
  });

  it('finds work that was skipped in one of the rounds on new inputs', async () => {
    let refills = 0;
    const executor = withFault((good) => ({
      refill: (seed) => {
        refills++;
        return good.refill(seed);
      },
      // As by a stale value that happens to be right where the kernel looks.
      sample: async (options) => {
        if (refills !== 1) await good.sample(options);
        return lasting(1e6, options);
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      kind: 'incorrect',
      when: 'after',
    });
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
      /gave 2 ns for 1 dispatches in 1 ns of wall time/,
    ],
    ['stands still', { ns: 0, wallNs: 1 }, /gave 0 ns for 1 dispatches/],
    ['gives no number', { ns: Number.NaN, wallNs: 1 }, /timer is broken/],
  ])('fails a measurement whose clock %s', async (_what, broken, message) => {
    let samples = 0;
    const executor = withFault((good) => ({
      sample: async (options) => (samples++ < 2 ? good.sample(options) : broken),
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
