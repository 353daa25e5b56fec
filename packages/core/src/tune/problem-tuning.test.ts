import { InputError, parseProblem, variantAddress } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { capabilities } from '../server/store/fixtures.test-helper';
import { type Contrast, verdictOn } from '../statistics/verdict';
import { drive, type Found, keyOf, type WantedRun } from './asking';
import { Climb } from './climb';
import { searchProblem } from './problem-search';
import {
  type TunableDevice,
  type TuningDecision,
  type TuningRequest,
  tuningSpaces,
  tuningStep,
} from './problem-tuning';
import { pointsAhead, type TuningRun } from './replay';
import type { Point } from './space';

const SECOND = 1e9;
const problem = parseProblem({ op: 'transpose', shape: '1024x512', dtype: 'f32' });
const device: TunableDevice = { key: 'one', name: 'One', class: 'gpu', capabilities };
const request: TuningRequest = { problem, profile: 'default', seed: 7, budgetSeconds: 60 };
const spaces = tuningSpaces(request, device);
/** Searched to its end: each step replays all before it, and swizzled alone has most points. */
const small = spaces.filter(({ kernel }) => kernel.id !== 'transpose/swizzled');

/** A time that has one minimum over numbers, by how far they are from 16, and differs by kernel. */
function costOf({ address }: Pick<Point, 'address'>): number {
  const numbers = [...address.matchAll(/=(\d+)/g)].map(([, number]) => Number(number));
  const far = numbers.reduce((sum, number) => sum + Math.abs(Math.log2(number / 16)), 0);
  return 1000 * (1 + far / 4 + address.length / 1000);
}

const measured = ({ address }: Pick<Point, 'address'>): Found => {
  const medianNs = costOf({ address });
  const cold = { medianNs, lowNs: 0.99 * medianNs, highNs: 1.01 * medianNs };
  return { kind: 'measured', measurement: { cold, unranked: null } };
};
const duelOf = (a: string, b: string): Contrast => {
  const ratio = costOf({ address: b }) / costOf({ address: a });
  return verdictOn(ratio, 0.999 * ratio, 1.001 * ratio);
};

interface Ended {
  readonly outcome?: Found;
  readonly spentNs?: number;
}

/** A grid of one worker that takes a second for each run; what it ran, in order. */
async function tuned(
  of: TuningRequest = request,
  end: (run: WantedRun, at: number) => Ended = () => ({}),
  within = spaces,
): Promise<{ runs: TuningRun[]; decision: TuningDecision }> {
  const runs: TuningRun[] = [];
  let queue: WantedRun[] = [];
  for (;;) {
    const { decision, wanted } = await tuningStep(of, within, runs);
    if (decision) return { runs, decision };
    // What is not asked for any more is not run.
    const ended = new Set(runs.map(keyOf));
    queue = wanted.filter((run) => !ended.has(keyOf(run)));
    if (queue.length === 0) throw new Error('It waits for nothing.');
    for (const run of queue.slice(0, Math.ceil(queue.length / 2))) {
      const { outcome = measured(run), spentNs = SECOND } = end(run, runs.length);
      const contrast = run.rival ? duelOf(run.address, variantAddress(run.rival.variant)) : null;
      runs.push({ ...run, outcome, contrast, spentNs });
    }
  }
}

const screens = (runs: readonly TuningRun[]) => runs.filter(({ policy }) => policy === 'screen');
const finals = (runs: readonly TuningRun[]) =>
  runs.filter(({ policy, rival }) => policy === 'default' && !rival);

describe('tuningStep', () => {
  it('finds what the search of the command line finds', async () => {
    const { decision, runs } = await tuned();
    let nowNs = 0;
    const search = searchProblem<Found>({
      problem,
      climb: new Climb(spaces, request.seed),
      budgetNs: request.budgetSeconds * SECOND,
      nowNs: () => nowNs,
      ahead: pointsAhead,
      defaults: spaces.flatMap((space) => space.initial() ?? []),
    });
    const alone = await drive(search, async ({ run }) => {
      const { rival } = run;
      if (rival) {
        return { outcome: null, contrast: duelOf(run.address, variantAddress(rival.variant)) };
      }
      nowNs += SECOND;
      return { outcome: measured(run), contrast: null };
    });
    expect(decision.winner).toBe(alone.winner?.point.address);
    expect(screens(runs).map(({ address }) => address)).toEqual(
      alone.screened.map(({ point }) => point.address),
    );
    expect(
      finals(runs)
        .map(({ address }) => address)
        .toSorted(),
    ).toEqual(alone.finals.map(({ point }) => point.address).toSorted());
    expect(decision).toMatchObject({ stop: 'budget', screened: 42 });
    expect(decision.duels).toHaveLength(alone.duels.length);
  });

  it('gives the least of the formula, with time enough', async () => {
    const { decision } = await tuned({ ...request, budgetSeconds: 1e6 }, undefined, small);
    const all = small.flatMap((space) => [...space.shuffled(1)]);
    const least = Math.min(...all.map(costOf));
    expect(decision.stop).toBe('exhausted');
    expect(costOf({ address: decision.winner ?? '' })).toBe(least);
  });

  it('asks for a few runs ahead, and for the same ones until they have ended', async () => {
    const first = await tuningStep(request, spaces, []);
    expect(first.wanted).toHaveLength(1 + pointsAhead(0));
    const open = (first.wanted ?? []).map(
      (run): TuningRun => ({
        ...run,
        outcome: null,
        contrast: null,
        spentNs: 0,
      }),
    );
    expect(await tuningStep(request, spaces, open)).toEqual(first);
    // The second ends before the first: it is told after it.
    const second = open.map((run, at) =>
      at === 1 ? { ...run, outcome: measured(run), spentNs: SECOND } : run,
    );
    expect(await tuningStep(request, spaces, second)).toEqual(first);
  });

  it('counts the time of runs alone', async () => {
    const half = await tuned(request, () => ({ spentNs: SECOND / 2 }));
    expect(half.decision.screened).toBe(84);
    const slow = await tuned(request, () => ({ spentNs: 100 * SECOND }));
    expect(slow.decision.screened).toBe(1);
  });

  it('goes on past runs that fail, are skipped or wrong, and names none of them', async () => {
    const bad = (['failed', 'skipped', 'incorrect'] as const).map((kind) => ({ kind }));
    const { decision, runs } = await tuned(request, (_, at) =>
      at % 2 === 0 ? { outcome: bad[at % 3] ?? { kind: 'failed' } } : {},
    );
    const winners = runs.filter(({ address }) => address === decision.winner);
    expect(winners.some(({ outcome }) => outcome?.kind === 'measured')).toBe(true);
    const long = { ...request, budgetSeconds: 1e6 };
    const none = await tuned(long, () => ({ outcome: { kind: 'failed' } }), small);
    expect(none.decision).toMatchObject({ winner: null, stop: 'exhausted', duels: [] });
  });

  it('goes on where a run that had failed was tried again', async () => {
    const failedFirst = await tuned(request, (_, at) =>
      at === 0 ? { outcome: { kind: 'failed' } } : {},
    );
    const [first, ...others] = failedFirst.runs;
    if (!first) throw new Error('nothing ran');
    const again = [{ ...first, outcome: measured(first) }, ...others.slice(0, 20)];
    const { decision, wanted } = await tuningStep(request, spaces, again);
    expect(decision !== null || wanted.length > 0).toBe(true);
  });
});

describe('tuningSpaces', () => {
  it.each([
    ['device', {}, { class: 'cpu' }],
    ['profile', { profile: 'fast' }, { class: 'browser' }],
    ['problem.dtype', { problem: { ...problem, dtype: 'f16acc16' } }, {}],
    [
      'problem.shape',
      { problem: parseProblem({ op: 'transpose', shape: '16384', dtype: 'f32' }) },
      {},
    ],
    ['problem.dtype', { problem: { ...problem, dtype: 'f16' } }, {}],
    ['device', {}, { capabilities: { ...capabilities, maxComputeWorkgroupsPerDimension: 1 } }],
  ] as [string, Partial<TuningRequest>, Partial<TunableDevice>][])(
    'refuses at %s',
    (field, asked, over) => {
      const found = () => tuningSpaces({ ...request, ...asked }, { ...device, ...over });
      expect(found).toThrow(InputError);
      expect(found).toThrow(expect.objectContaining({ field }));
    },
  );

  it('leaves out what only copies, computes less exactly, or runs on the host', () => {
    const ids = tuningSpaces(
      { ...request, problem: parseProblem({ op: 'matmul', shape: '256', dtype: 'f32' }) },
      device,
    ).map(({ kernel }) => kernel.id);
    expect(ids).toContain('matmul/tiled');
    expect(ids).not.toContain('matmul/strassen');
    expect(ids.filter((id) => id.includes('cpu'))).toEqual([]);
    expect(spaces.map(({ kernel }) => kernel.id)).not.toContain('transpose/copy');
  });
});
