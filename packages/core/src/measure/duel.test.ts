import {
  createHostExecutor,
  type Executor,
  OutOfBoundsWrite,
  type Problem,
  type Variant,
} from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../server/store/fixtures.test-helper';
import { type DuelOptions, recomputedDuel, runDuel } from './duel';

const problem: Problem = { op: 'transpose', shape: { rows: 9, cols: 5 }, dtype: 'f32' };
const a: Variant = { kernel: 'transpose/cpu-naive', tunables: {} };
const b: Variant = { kernel: 'transpose/cpu-blocked', tunables: {} };

/** Real kernels under a clock of their own: a dispatch takes what is said of its side and time. */
async function dueled(
  costNs: (side: 'a' | 'b', nowNs: number, sample: number) => number,
  {
    spoil = false,
    stray = false,
    keeps = false,
    tickNs = 1,
    ...options
  }: DuelOptions & { spoil?: boolean; stray?: boolean; keeps?: boolean; tickNs?: number } = {},
) {
  let nowNs = 0;
  let samples = 0;
  const turns: string[] = [];
  const host = createHostExecutor();
  const executor: Executor = {
    ...host,
    timer: { kind: 'wall', tickNs },
    prepare: async (variant, ...rest) => {
      const side = variant.kernel === a.kernel ? 'a' : 'b';
      const prepared = await host.prepare(variant, ...rest);
      let [inputs, isSeen] = [0, false];
      return new Proxy(prepared, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (name === 'verify' && stray && side === 'b') {
            return () => Promise.reject(new OutOfBoundsWrite('4 bytes behind the output'));
          }
          if (name === 'refill') {
            return (seed: number, next?: { dispatches: number; rotate: boolean }) => {
              isSeen = seed === inputs;
              inputs = seed;
              return target.refill(seed, next);
            };
          }
          if (name !== 'sample') return typeof value === 'function' ? value.bind(target) : value;
          return async (asked: { dispatches: number; rotate: boolean }) => {
            // Stops writing once it is timed.
            const isSpoiled = spoil && side === 'b' && turns.length > 1200;
            if (!isSpoiled) await target.sample(asked);
            const part = keeps && side === 'b' && isSeen ? 0.1 : 1;
            const ns = part * costNs(side, nowNs, samples++) * asked.dispatches;
            nowNs += ns;
            turns.push(side);
            return { ns, wallNs: ns };
          };
        },
      });
    },
  };
  const outcome = await runDuel(
    executor,
    { a, b },
    problem,
    capabilities,
    { deviceClass: 'cpu', lastLevelCacheBytes: 64, nowNs: () => nowNs },
    options,
  );
  return { outcome, turns };
}

describe('a duel', () => {
  it('takes turns A B B A or B A A B, and gives the ratio with its interval', async () => {
    const { outcome, turns } = await dueled(
      (side, _, i) => (side === 'a' ? 2e6 : 2.06e6) * (1 + 0.002 * Math.sin(i * i)),
      // No samples but those of the turns: such a clock cannot tell what is kept.
      { tickNs: 5_000 },
    );
    if (outcome.kind !== 'dueled') throw new Error(JSON.stringify(outcome));
    expect(outcome.duel).toMatchObject({ verdict: 'FAST', stop: 'converged' });
    expect(outcome.duel.ratio).toBeCloseTo(1.03, 3);
    expect(outcome.duel.high - outcome.duel.low).toBeLessThan(0.0025);
    const { duel } = outcome;
    expect(recomputedDuel({ ...duel, ratio: 2, verdict: 'SAME' }, 'duel')).toMatchObject({
      ...{
        verdict: 'FAST',
        ratio: expect.closeTo(duel.ratio, 9),
        low: expect.closeTo(duel.low, 9),
      },
    });
    expect(() => recomputedDuel({ ...duel, rounds: 7 }, 'duel')).toThrow(
      /7 rounds have 14 samples/,
    );
    const rounds =
      turns
        .slice(-4 * duel.rounds)
        .join('')
        .match(/.{4}/g) ?? [];
    expect([...new Set(rounds)].toSorted()).toEqual(['abba', 'baab']);
    const parts = rounds.filter((round) => round === 'abba').length / rounds.length;
    expect(Math.abs(parts - 0.5)).toBeLessThan(0.01);
  });

  it('does not believe a side that is quicker on inputs it has seen', async () => {
    const { outcome } = await dueled(() => 1e6, { keeps: true });
    expect(outcome).toMatchObject({
      kind: 'dueled',
      duel: {
        a: { implausible: null },
        b: { implausible: expect.stringMatching(/^it keeps results: .* 10\.0 times/) },
      },
    });
  });

  it('is not misled by a device that slows down all the while', async () => {
    const { outcome } = await dueled((_, nowNs) => 1e6 * (1 + nowNs / 20e9));
    expect(outcome).toMatchObject({ kind: 'dueled', duel: { verdict: 'SAME' } });
    if (outcome.kind === 'dueled') expect(outcome.duel.ratio).toBeCloseTo(1, 4);
  });

  it.each([2, 4, 8])('is not misled by what disturbs every turn of %i', async (every) => {
    let turn = 0;
    const { outcome } = await dueled((_, __, i) => {
      turn++;
      return 1e6 * (1 + 0.001 * Math.sin(i * i)) * (turn % every === 0 ? 1.03 : 1);
    });
    if (outcome.kind !== 'dueled') throw new Error(JSON.stringify(outcome));
    expect(['SAME', 'UNDECIDED']).toContain(outcome.duel.verdict);
  });

  it('ends sooner where a larger difference does not matter', async () => {
    const noisy = (_: string, _ns: number, i: number) => 1e6 * (1 + 0.04 * Math.sin(i * i));
    const duelOf = async (options: DuelOptions) => {
      const { outcome } = await dueled(noisy, options);
      if (outcome.kind !== 'dueled') throw new Error(JSON.stringify(outcome));
      return outcome.duel;
    };
    const tolerant = await duelOf({ tolerance: 0.1 });
    expect(tolerant.stop).toBe('converged');
    expect(tolerant.rounds).toBeLessThan((await duelOf({})).rounds / 4);
  });

  it('ends undecided when its time is up, and says what it would take', async () => {
    const wild = (_: string, __: number, i: number) => 1e6 * (1 + 0.9 * Math.sin(i * i));
    const { outcome } = await dueled(wild, { longestNs: 1e9 });
    expect(outcome).toMatchObject({
      kind: 'dueled',
      duel: { verdict: 'UNDECIDED', stop: 'capped' },
    });
  });

  it('ends for a side that writes outside its output, as a run of it does', async () => {
    const { outcome } = await dueled(() => 1e6, { stray: true });
    expect(outcome).toMatchObject({
      ...{ kind: 'ended', side: 'b' },
      outcome: { kind: 'failed', stage: 'verify' },
    });
  });

  it('ends for a side whose output is wrong once it is timed', async () => {
    const { outcome } = await dueled(() => 1e6, { spoil: true });
    expect(outcome).toMatchObject({
      kind: 'ended',
      side: 'b',
      outcome: { kind: 'incorrect', when: 'after' },
    });
  });

  it('ends for a side that does not fit', async () => {
    const none = { ...capabilities, maxComputeInvocationsPerWorkgroup: 1 };
    const sides = { a: { kernel: 'transpose/naive', tunables: {} }, b };
    const outcome = await runDuel(createHostExecutor(), sides, problem, none, {
      deviceClass: 'cpu',
      lastLevelCacheBytes: 64,
      nowNs: () => 0,
    });
    expect(outcome).toMatchObject({ kind: 'ended', side: 'a', outcome: { kind: 'skipped' } });
  });
});
