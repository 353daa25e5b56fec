import { hash32, OutOfBoundsWrite, type Pending, ReferenceWrong } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import type { Step } from './measure';
import { lasting, once, run, withFault } from './run.test-helper';

describe('Proof', () => {
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
      'nan',
      'verify',
      'sample',
      'verify',
      'stale',
      'sample',
      'verify',
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
    ['right', {}],
    ['wrong', { sample: async () => ({ ns: 1, wallNs: 1 }) }],
  ])('blames a reference that the host refutes, where outputs are %s', async (_what, fault) => {
    const steps: Step[] = [];
    const error = new ReferenceWrong('element [1, 2] is 3, should be 4');
    const executor = withFault(() => ({ ...fault, audit: () => Promise.reject(error) }));
    const { message } = error;
    const outcome = await run(executor, { onStep: (step) => steps.push(step) });
    expect(outcome).toEqual({ kind: 'failed', stage: 'verify', message });
    expect(steps).not.toContain('warm-up');
  });

  it.each([
    ['is timed', () => false],
    ['rotates through the buffer sets', (rotate: boolean) => !rotate],
    ['stays on one buffer set', (rotate: boolean) => rotate],
  ])('catches a kernel that stops writing once it %s', async (_when, writes) => {
    let isTimed = false;
    const executor = withFault((good) => ({
      sample: async (options) =>
        !isTimed || writes(options.rotate) ? good.sample(options) : { ns: 1, wallNs: 1 },
    }));
    const onStep = (step: Step) => {
      isTimed ||= step === 'cold';
    };
    expect(await run(executor, { onStep })).toMatchObject({ kind: 'incorrect', when: 'after' });
  });

  it.each([1, 2, 3])('catches a kernel that is wrong on every %i0th dispatch', async (tens) => {
    let dispatches = 0;
    let isWrong = false;
    const executor = withFault((good) => ({
      verify: async (sets) => {
        if (isWrong) await good.poison('nan');
        return good.verify(sets);
      },
      sample: async ({ dispatches: count, rotate }) => {
        isWrong = false;
        let total = { ns: 0, wallNs: 0 };
        for (let i = 0; i < count; i++) {
          const { ns, wallNs } = await good.sample({ dispatches: 1, rotate });
          total = { ns: total.ns + ns, wallNs: total.wallNs + wallNs };
          if (++dispatches % (10 * tens) === 0) isWrong = true;
        }
        return total;
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      kind: 'incorrect',
      when: 'before',
    });
  });

  /** How many outputs each look of a run saw, by step. */
  async function looksOf(options: Parameters<typeof run>[1]) {
    const seen: Partial<Record<Step, number[]>> = {};
    let step: Step = 'compile';
    const executor = withFault((good) => ({
      verify: (sets) => {
        seen[step] = [...(seen[step] ?? []), sets.length];
        return good.verify(sets);
      },
      sample: async (asked) => {
        await good.sample(asked);
        return lasting(1e6, asked);
      },
    }));
    const outcome = await run(executor, {
      ...options,
      onStep: (next) => {
        step = next;
      },
    });
    if (outcome.kind !== 'measured') throw new Error(JSON.stringify(outcome));
    return { seen, measurement: outcome.measurement };
  }

  it('verifies each dispatch of a stretch, some of the timed ones, and the last', async () => {
    const { seen, measurement } = await looksOf({ policy: 'default' });
    const { bufferSets, verification } = measurement;
    expect(bufferSets).toBe(24);
    expect(seen.verify).toEqual([1, 1, 1, ...Array(8).fill(8)]);
    const { cold = [], hot = [] } = seen;
    expect(cold.length).toBeGreaterThan(4);
    expect(cold.slice(0, -1).every((sets) => sets === 1)).toBe(true);
    expect(cold.at(-1)).toBeGreaterThan(0);
    const all = [...seen.verify!.slice(1), ...cold, ...hot];
    // And one on inputs of any bits.
    expect(verification.dispatches).toBe(all.reduce((sum, sets) => sum + sets, 1));
  });

  it('begins the next lap of a stretch, and the next repeat, before what was found is read', async () => {
    const begun = { laps: 0, repeats: 0 };
    let next = () => {};
    /** Answers when another is begun, but for the first and the last. */
    const late = async <T>(what: keyof typeof begun, all: number, work: Promise<Pending<T>>) => {
      next();
      const isBegun = new Promise<void>((resolve) => {
        next = resolve;
      });
      if ([1, all].includes(++begun[what])) next();
      const { answer } = await work;
      return { answer: isBegun.then(() => answer) };
    };
    const executor = withFault((good) => ({
      beginJudged: (options, sets) => late('laps', 8, good.beginJudged(options, sets)),
      beginFingerprint: () => late('repeats', 20, good.beginFingerprint()),
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      measurement: { verification: { isRepeatable: true } },
    });
    expect(begun).toEqual({ laps: 8, repeats: 20 });
  });

  it('spends on verification what is left of the time when all dispatches have theirs', async () => {
    let nowNs = 0;
    /** Of a dispatch: a device that has idled gets quicker, here once it is timed. */
    let eachNs = 3e6;
    const took = async <T>(dispatches: number, checkNs: number, work: Promise<T>) => {
      nowNs += dispatches * eachNs + checkNs;
      return work;
    };
    let [last, repeats] = [0, 0];
    const executor = withFault((good) => ({
      refill: (seed, next) => {
        if (seed === last) repeats++;
        last = seed;
        return good.refill(seed, next);
      },
      beginJudged: (options, sets) =>
        took(options.dispatches, 1e5, good.beginJudged(options, sets)),
      beginFingerprint: () => took(1, 1e4, good.beginFingerprint()),
      verifyRegimes: () => took(1, 1e3, good.verifyRegimes()),
      sample: async (options) => {
        await took(options.dispatches, 0, good.sample(options));
        return lasting(eachNs, options);
      },
    }));
    const onStep = (step: Step) => {
      if (step === 'cold') eachNs = 1e6;
    };
    const outcome = await run(executor, { policy: 'default', nowNs: () => nowNs, onStep });
    expect(repeats).toBeGreaterThan(3);
    // Of 1 dispatch in other regimes, 20 repeats and 8 laps; and samples on inputs that were seen.
    const ns = 1e3 + 20 * 1e4 + 8 * 1e5 + repeats * 1e6;
    expect(outcome).toMatchObject({ measurement: { verification: { ns } } });
  });

  it('has new inputs for each timed dispatch, cold and hot', async () => {
    let step: Step = 'compile';
    let sinceNew = Number.POSITIVE_INFINITY;
    const onSeen: Partial<Record<Step, number>> = {};
    const executor = withFault((good) => ({
      refill: (seed, next) => {
        sinceNew = 0;
        return good.refill(seed, next);
      },
      sample: async (options) => {
        const fits = options.rotate && sinceNew + options.dispatches <= good.newTurns;
        if (sinceNew > 0 && !fits) onSeen[step] = (onSeen[step] ?? 0) + 1;
        sinceNew += options.dispatches;
        await good.sample(options);
        return lasting(1e5, options);
      },
    }));
    const onStep = (next: Step) => {
      step = next;
    };
    expect(await run(executor, { policy: 'default', onStep })).toMatchObject({ kind: 'measured' });
    // The stretch is not timed.
    expect(onSeen).toEqual({ verify: expect.any(Number) });
  });

  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'finds that half of the timed dispatches do nothing, wherever the looks fall (seed %i)',
    async (seed) => {
      let isCold = false;
      let samples = 0;
      const executor = withFault((good) => ({
        sample: async (options) => {
          await good.sample(options);
          if (isCold && samples++ % 2 === 1) await good.poison('stale');
          return lasting(1e6, options);
        },
      }));
      const onStep = (step: Step) => {
        isCold = step === 'cold';
      };
      const outcome = await run(executor, { seed, policy: 'default', onStep });
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
    expect(await seen(2 ** 41 + 5)).not.toEqual(first);
  });

  it('does not rank what is quicker on inputs it has seen', async () => {
    let isNew = true;
    let last = 0;
    const executor = withFault((good) => ({
      refill: (seed, next) => {
        isNew = seed !== last;
        last = seed;
        return good.refill(seed, next);
      },
      sample: async (options) => {
        await good.sample(options);
        return lasting(isNew ? 3e6 : 1e6, options);
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      measurement: {
        verification: { freshRatio: 3 },
        unranked:
          'it keeps results: on new inputs a dispatch takes 3.0 times as long as on those it has seen',
      },
    });
  });

  it.each([0, 1, 2, 3])(
    'does not rank what is quicker on seen inputs until a series ends (seed %i)',
    async (seed) => {
      let [isCold, inputs, isSeen] = [true, 0, false];
      const executor = withFault((good) => ({
        refill: (of, next) => {
          isSeen = of === inputs;
          inputs = of;
          return good.refill(of, next);
        },
        sample: async (options) => {
          await good.sample(options);
          return lasting(isCold && isSeen ? 1e5 : 1e6, options);
        },
      }));
      const onStep = (step: Step) => {
        isCold &&= step !== 'hot';
      };
      expect(await run(executor, { policy: 'default', onStep, seed })).toMatchObject({
        measurement: { unranked: expect.stringMatching(/^it keeps results/) },
      });
    },
  );

  it('does not rank what is much quicker cold than hot', async () => {
    const executor = withFault((good) => ({
      sample: async (options) => {
        await good.sample(options);
        return lasting(options.rotate ? 1e6 : 2.5e6, options);
      },
    }));
    expect(await run(executor, { policy: 'default' })).toMatchObject({
      measurement: {
        unranked:
          'it does less in the cold series: a dispatch takes 2.5 times as long in the hot one',
      },
    });
  });

  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'finds what leaves work out once looks have taken their part of the time (seed %i)',
    async (seed) => {
      let [isCold, samples, nowNs] = [false, 0, 0];
      const took = async <T>(ns: number, work: Promise<T>) => {
        nowNs += ns;
        return work;
      };
      const executor = withFault((good) => ({
        verify: (sets) => took(50e6, good.verify(sets)),
        sample: async (options) => {
          await took(2e4 * options.dispatches, good.sample(options));
          // It takes a sample shorter than the first of a series for another one of these.
          if (isCold && ++samples > 100 && options.dispatches < 50) await good.poison('stale');
          return lasting(2e4, options);
        },
      }));
      const onStep = (step: Step) => {
        isCold = step === 'cold';
      };
      const options = { seed, policy: 'default', onStep, nowNs: () => nowNs } as const;
      const outcome = await run(executor, options);
      expect(outcome).toMatchObject({ kind: 'incorrect', when: 'after' });
    },
  );

  it('verifies what one more sample leaves after the cold series, of a length that its seed draws', async () => {
    const lengths = new Set<number>();
    for (const seed of [0, 1, 2, 3]) {
      const verbs: (number | 'verify')[] = [];
      let step: Step = 'compile';
      const executor = withFault((good) => ({
        verify: (sets, part) => {
          if (step === 'cold') verbs.push('verify');
          return good.verify(sets, part);
        },
        sample: async (options) => {
          if (step === 'cold') verbs.push(options.dispatches);
          await good.sample(options);
          return lasting(1e5, options);
        },
      }));
      const onStep = (next: Step) => {
        step = next;
      };
      // Its only look is earlier.
      const outcome = await run(executor, { policy: 'screen', seed, onStep });
      if (outcome.kind !== 'measured') throw new Error(outcome.kind);
      const [before, length = 0, after] = verbs.slice(-3);
      expect([before, after]).toEqual(['verify', 'verify']);
      expect(length).toBeLessThanOrEqual(outcome.measurement.dispatchesPerSample);
      lengths.add(Number(length));
    }
    expect(lengths.size).toBeGreaterThan(1);
  });

  it('poisons what the kernel may write during the series', async () => {
    let step: Step = 'compile';
    const poisoned: Step[] = [];
    const executor = withFault((good) => ({
      poison: (kind, sets) => {
        if (sets === undefined) poisoned.push(step);
        return good.poison(kind, sets);
      },
      sample: async (options) => {
        await good.sample(options);
        return lasting(1e5, options);
      },
    }));
    await run(executor, {
      policy: 'default',
      onStep: (next) => {
        step = next;
      },
    });
    expect(poisoned.filter((when) => when === 'cold').length).toBeGreaterThan(5);
  });

  it.each([0, 1, 2, 3])('is not misled by a machine that is busy now and then', async (seed) => {
    let samples = 0;
    const executor = withFault((good) => ({
      sample: async (options) => {
        await good.sample(options);
        // One in eight, anywhere.
        const isBusy = hash32(seed + 16 * samples++) % 8 === 0;
        return lasting(isBusy ? 5e6 : 1e6, options);
      },
    }));
    const outcome = await run(executor, { policy: 'default', seed });
    if (outcome.kind !== 'measured') throw new Error(outcome.kind);
    expect(outcome.measurement.verification.freshRatio).toBeLessThan(2);
  });
});
