import { type Kernel, kernelById, variantAddress } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { METHODOLOGY_VERSION, type Outcome } from '../measure/outcome';
import type { PolicyId } from '../measure/policy';
import { summarise } from '../statistics/summary';
import { verdictOn } from '../statistics/verdict';
import { type Expectation, NOTHING_KNOWN } from './best';
import { medianNs, searchProblem, type Trial } from './problem-search';
import { drive, type WantedSpec } from './protocol';
import { type Point, TuningSpace } from './space';

const SECOND = 1e9;
const kernel: Kernel = kernelById('transpose/multi-row');
const failed: Outcome = { kind: 'failed', stage: 'compile', message: 'no' };

const DOUBTED = 'faster than the device allows';

function measured(ns: number, unranked: string | null = null): Outcome {
  const verification = { method: 'exact', worstRatio: 0, checked: 1, ns: 1 } as const;
  return {
    kind: 'measured',
    measurement: {
      methodologyVersion: METHODOLOGY_VERSION,
      policy: 'screen',
      timer: { kind: 'timestamp', tickNs: 1 },
      dispatchesPerSample: 1,
      bufferSets: 1,
      cold: summarise([ns]),
      hot: null,
      compileNs: 1,
      transfer: { hostToDeviceNs: 1, deviceToHostNs: 1 },
      stop: 'quick',
      discarded: [],
      verification: {
        before: verification,
        after: verification,
        seed: 1,
        dispatches: 2,
        rms: 0,
        freshRatio: null,
        ns: 1,
      },
      unranked,
      disbelieved: unranked === DOUBTED,
    },
  };
}

/** Tunes with a clock that only trials move on, a second each. */
async function tuned(
  budgetS: number,
  outcomeOf: (point: Point, policy: PolicyId, index: number) => Outcome,
  ratioOf: (a: Point, b: Point) => number = () => 2,
  expected: Expectation = NOTHING_KNOWN,
) {
  let nowNs = 0;
  let index = 0;
  const leaders: (Trial | null)[] = [];
  const asked: { point: Point; policy: PolicyId; next: Point | null }[] = [];
  const space = new TuningSpace(kernel, { fits: () => true });
  const search = searchProblem({
    problem: { op: 'transpose', shape: { rows: 64, cols: 64 }, dtype: 'f32' },
    ...{ spaces: [space], seed: 1, expected },
    budgetNs: budgetS * SECOND,
    nowNs: () => nowNs,
    onTrial: (_, best) => leaders.push(best),
  });
  const pointOf = (run: Pick<WantedSpec, 'variant' | 'address'>): Point => ({
    ...run.variant,
    address: run.address,
  });
  const result = await drive(search, async ({ run, following }) => {
    const point = pointOf(run);
    if (run.rival) {
      const rival = run.rival.variant;
      const ratio = ratioOf(point, { ...rival, address: variantAddress(rival) });
      return { outcome: null, contrast: verdictOn(ratio, ratio * 0.999, ratio * 1.001) };
    }
    const [next = null] = following().map(pointOf);
    asked.push({ point, policy: run.policy, next });
    nowNs += SECOND;
    return { outcome: outcomeOf(point, run.policy, index++), contrast: null };
  });
  return { ...result, asked, leaders, spentS: nowNs / SECOND };
}

describe('searchProblem', () => {
  it('screens for most of the budget, then measures what is close to the leader', async () => {
    const cost = (index: number) => [150, 100, 109, 111, 105, 300, 101][index] ?? 500;
    const screenedCosts = new Map<string, number>();
    const { screened, finals, stop, spentS } = await tuned(10, (point, policy, index) => {
      if (policy === 'screen') screenedCosts.set(point.address, cost(index));
      return measured(screenedCosts.get(point.address) ?? 0);
    });
    expect(screened.map(medianNs)).toEqual([150, 100, 109, 111, 105, 300, 101]);
    expect(stop).toBe('budget');
    // Four are within 10%; the budget lasts for three.
    expect(finals.map(medianNs)).toEqual([100, 101, 105]);
    expect(finals.every(({ policy }) => policy === 'default')).toBe(true);
    expect(spentS).toBe(10);
  });

  it('says what follows while a point is measured, and compiles nothing beside the finals', async () => {
    const { asked } = await tuned(10, () => measured(100));
    const screened = asked.filter(({ policy }) => policy === 'screen');
    const follows = screened.slice(0, -1).map(({ next }) => next);
    expect(follows).toEqual(screened.slice(1).map(({ point }) => point));
    const finals = asked.slice(screened.length);
    expect(finals.map(({ policy, next }) => [policy, next])).toEqual(
      Array.from({ length: 3 }, () => ['default', null]),
    );
  });

  it('never leads with what failed, and measures on until a leader holds', async () => {
    const { leaders, finals } = await tuned(4, (_, policy, index) => {
      if (index === 0) return failed;
      return policy === 'default' && index < 4 ? failed : measured(100);
    });
    expect(leaders[0]).toBeNull();
    expect(leaders[1]?.outcome.kind).toBe('measured');
    expect(finals.map(({ outcome }) => outcome.kind)).toEqual(['measured', 'failed']);
  });

  const initial = new TuningSpace(kernel, { fits: () => true }).initial()?.address;

  it('names the winner of a duel, not of two measurements', async () => {
    // The default is far behind; the second in the finals wins the duel.
    const cost = (point: Point) => (point.address === initial ? 150 : 100);
    let duel = 0;
    const { duels, finals, winner } = await tuned(
      10,
      (point, policy, index) => measured(policy === 'screen' ? cost(point) : 100 + index / 100),
      (_, b) => (b.address === initial ? 1.5 : duel++ === 0 ? 0.9 : 1.2),
    );
    expect(winner?.point.address).toBe(duels[0]?.b.address);
    expect(winner?.point.address).not.toBe(finals[0]?.point.address);
    expect(finals.map(({ point }) => point.address)).toContain(winner?.point.address);
  });

  it('names the default where its duel puts it first', async () => {
    const { winner, finals } = await tuned(
      10,
      (point) => measured(point.address === initial ? 150 : 100),
      (_, b) => (b.address === initial ? 0.98 : 1.2),
    );
    expect(winner?.point.address).toBe(initial);
    expect(finals.map(({ point }) => point.address)).toContain(initial);
  });

  describe('where evidence expects some to be fastest', () => {
    const [answer, second] = new TuningSpace(kernel, { fits: () => true }).shuffled(7);
    const foreign = { kernel: 'transpose/naive', tunables: {}, address: 'transpose/naive' };
    const points = [answer, foreign, second].flatMap((point) => point ?? []);

    it('begins with them, and names the first unless the winner beats it', async () => {
      const cost = (point: Point) => (point.address === answer?.address ? 150 : 100);
      const withRatio = (ratio: number) =>
        tuned(
          10,
          (point) => measured(cost(point)),
          (_, b) => (b.address === answer?.address ? ratio : 2),
          { points, roofNs: null },
        );
      const slower = await withRatio(0.9);
      const begun = slower.asked.slice(0, 3).map(({ point }) => point.address);
      expect(begun.slice(0, 2)).toEqual([answer?.address, second?.address]);
      // What it knows of a kernel says more than its default.
      expect(begun).not.toContain(initial);
      expect(slower.winner?.point.address).toBe(answer?.address);
      expect((await withRatio(1.1)).winner?.point.address).not.toBe(answer?.address);
    });

    it('ends once one is within 5% of what the device allows', async () => {
      const costs = [120, 106, 104];
      const { screened, stop } = await tuned(
        100,
        (_, policy, index) => measured(policy === 'screen' ? (costs[index] ?? 100) : 104),
        () => 2,
        { points, roofNs: 100 },
      );
      expect([screened.length, stop]).toEqual([3, 'roof']);
      // A time that is not believed is no leader's.
      const doubted = await tuned(
        20,
        (_, policy) => measured(policy === 'screen' ? 101 : 104, DOUBTED),
        () => 2,
        { points, roofNs: 100 },
      );
      expect(doubted.stop).toBe('budget');
    });
  });

  it('names nothing implausible, and nothing unranked beside what is ranked', async () => {
    const of = (_: Point, policy: PolicyId, index: number) => {
      if (policy === 'screen') return measured(100);
      if (index === 7) return measured(50, DOUBTED);
      return index === 8 ? measured(90, 'the device throttled') : measured(101);
    };
    const { finals, winner } = await tuned(10, of);
    expect(finals.map(medianNs)).toEqual([50, 90, 101]);
    expect(winner && medianNs(winner)).toBe(101);
    const none = await tuned(10, (_, policy) => measured(50, policy === 'screen' ? null : DOUBTED));
    expect(none.winner).toBeNull();
  });

  it('names the fastest that is believed where the first finals are not, and the time is over', async () => {
    const screens = new Map<string, number>();
    const of = (point: Point, policy: PolicyId, index: number) => {
      // Three times that nobody believes lead by far.
      if (policy === 'screen') screens.set(point.address, index < 3 ? 50 : 100 + index);
      const ns = screens.get(point.address) ?? 200;
      if (policy === 'screen') return measured(ns);
      return measured(ns, ns < 100 ? DOUBTED : null);
    };
    const { finals, winner } = await tuned(9, of);
    expect(winner && medianNs(winner)).toBe(103);
    expect(finals.map(medianNs)).toEqual([50, 50, 50, 103]);
    const all = await tuned(30, (_, policy) => measured(50, policy === 'screen' ? null : DOUBTED));
    expect(all.winner).toBeNull();
    expect(all.finals).toHaveLength(8);
  });

  it('ends early when there is nothing left to try, and has no finals when all fails', async () => {
    const failing = await tuned(1e6, () => failed);
    expect(failing).toMatchObject({ finals: [], stop: 'exhausted' });
    const working = await tuned(1e6, () => measured(1));
    expect(working.stop).toBe('exhausted');
    expect(working.screened).toHaveLength(failing.screened.length);
    expect(working.finals).toHaveLength(working.screened.length);
  });
});
