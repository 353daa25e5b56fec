import {
  bareVariant,
  type Problem,
  parseProblem,
  parseVariant,
  shapeText,
  type Variant,
} from '@tilemark/kernels';
import { group } from 'd3-array';
import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../plan/families';
import { verdictOn } from '../statistics/verdict';
import { observationsOf } from './evidence';
import { type FamilyOptions, type FamilyShape, familyShapes, searchFamily } from './family-search';
import { drive, type RunRequest, type TrialOutcome } from './protocol';
import { Selector } from './selector';
import { shippedEvidence } from './shipped-evidence';

const SECOND = 1e9;
const measured = (medianNs: number): TrialOutcome => ({
  kind: 'measured',
  measurement: { cold: { medianNs, lowNs: medianNs, highNs: medianNs }, unranked: null },
});

/** A formula in place of a device: each variant has its own rate, a few of them are equal. */
const costOf = ({ op, shape, dtype }: Problem, address: string): number => {
  const size = shapeText({ op, shape, dtype } as Problem)
    .split('x')
    .reduce((product, side) => product * Number(side), 1);
  return size * (1 + (address.length % 7) / 10);
};

const transposes = FAMILIES.find(({ id }) => id === 'transpose-shapes');
if (!transposes) throw new Error('the family is gone');
const shapes = familyShapes(transposes, 'f32', () => null).shapes;

/** Tunes with a clock that only screens and duels move on, a second each. */
async function tuned(
  budgetS: number,
  over: Partial<FamilyOptions<TrialOutcome>> & { shapes?: readonly FamilyShape[] } = {},
  screen: (ask: RunRequest) => TrialOutcome = ({ run }) =>
    measured(costOf(run.problem, run.address)),
) {
  let nowNs = 0;
  const asked: string[] = [];
  const search = searchFamily<TrialOutcome>({
    shapes,
    budgetNs: budgetS * SECOND,
    nowNs: () => nowNs,
    ...over,
  });
  const found = await drive(search, async (ask) => {
    const { address, problem, rival } = ask.run;
    nowNs += SECOND;
    if (rival) return { outcome: null, contrast: verdictOn(0.99, 0.98, 1) };
    asked.push(`${shapeText(problem)} ${address}`);
    return { outcome: screen(ask), contrast: null };
  });
  return { ...found, asked, spentS: nowNs / SECOND };
}

describe('searchFamily', () => {
  it('screens every candidate of every shape where there is time, then lets the nearest duel', async () => {
    const { asked, duels, finals, screened, searched, stop, times } = await tuned(1e6);
    expect(stop).toBe('exhausted');
    expect(searched).toBe(shapes.length);
    const all = shapes.flatMap(({ points, problem }) =>
      points.map(({ address }) => `${shapeText(problem)} ${address}`),
    );
    expect(asked).toEqual(all);
    expect([screened, times.length]).toEqual([all.length, all.length]);
    expect(duels).toBe(finals.size);
    expect(finals.size).toBe(shapes.length);
    for (const [shape, { a, b }] of finals) {
      const problem = parseProblem({ op: 'transpose', shape, dtype: 'f32' });
      const least = Math.min(
        ...times.filter((time) => shapeText(time.problem) === shape).map(({ ns }) => ns),
      );
      expect([costOf(problem, a), costOf(problem, b)]).toEqual([least, least]);
    }
  });

  it('leaves a shape that the time cuts short to the next search, which goes on', async () => {
    const [first] = shapes;
    const some = (first?.points.length ?? 0) + 3;
    const short = await tuned(some / 0.85);
    expect(short).toMatchObject({ searched: 1, stop: 'budget' });
    expect(short.times).toHaveLength(first?.points.length ?? 0);
    const longer = await tuned(1e6, { earlier: short });
    expect(longer.searched).toBe(shapes.length - 1);
    expect(longer.asked.some((key) => key.startsWith(`${shapeText(shapes[0]!.problem)} `))).toBe(
      false,
    );
    expect(longer.times).toHaveLength(shapes.reduce((sum, { points }) => sum + points.length, 0));
  });

  it('begins with what a device like it has taught, where the time is short', async () => {
    const file = shippedEvidence().find(({ op, dtype }) => op === 'matmul' && dtype === 'f32');
    const family = FAMILIES.find(({ id }) => id === 'between-shapes');
    if (!file || !family) throw new Error('there is no evidence');
    const { shapes } = familyShapes(family, 'f32', () => null);
    const candidates = shapes.reduce((sum, { points }) => sum + points.length, 0);
    const untaught = await tuned(candidates / 4, { shapes });
    const prior = new Selector(observationsOf(file));
    const taught = await tuned(candidates / 4, { shapes, prior });
    const first = shapes[0]?.points.length ?? 0;
    const [ofUntaught, ofTaught] = [untaught, taught].map(
      ({ asked }) =>
        asked.filter((key) => key.startsWith(`${shapeText(shapes[0]!.problem)} `)).length,
    );
    expect(ofUntaught).toBe(first);
    expect(ofTaught).toBeLessThan(first / 2);
    expect(taught.searched).toBeGreaterThan(untaught.searched);
  });

  it('tries what others promise where the time is short, and finds times within 1% of the best', async () => {
    const file = shippedEvidence().find(({ op, dtype }) => op === 'matmul' && dtype === 'f16');
    if (!file) throw new Error('there is no evidence');
    const own = group(observationsOf(file), ({ problem }) => shapeText(problem));
    // Of shapes for which a search had little time there are only the few that it expected to be fast:
    // on those, nothing is left to save.
    const tried = [...own.values()].filter((observations) => observations.length >= 25);
    const known: FamilyShape[] = tried.flatMap((observations) => {
      const [one] = observations;
      const points = observations.map(({ address }) => ({ ...variantOf(address), address }));
      return one ? [{ problem: one.problem, points }] : [];
    });
    expect(known.length).toBeGreaterThan(100);
    const nsOf = (problem: Problem, address: string) =>
      own.get(shapeText(problem))?.find((time) => time.address === address)?.ns ?? Number.NaN;
    let nowNs = 0;
    const trials = known.reduce((sum, { points }) => sum + points.length, 0);
    const search = searchFamily<TrialOutcome>({
      shapes: known,
      budgetNs: 0.7 * trials * SECOND,
      nowNs: () => nowNs,
    });
    const { searched, screened, times } = await drive(search, async ({ run }) => {
      if (run.rival) return { outcome: null, contrast: null };
      nowNs += SECOND;
      return { outcome: measured(nsOf(run.problem, run.address)), contrast: null };
    });
    expect(searched).toBe(known.length);
    expect(screened).toBeLessThan(0.6 * trials);
    const found = group(times, ({ problem }) => shapeText(problem));
    const regrets = known.map(({ problem, points }) => {
      const best = Math.min(...points.map(({ address }) => nsOf(problem, address)));
      return Math.min(...(found.get(shapeText(problem)) ?? []).map(({ ns }) => ns)) / best;
    });
    const mean = Math.exp(
      regrets.reduce((sum, regret) => sum + Math.log(regret), 0) / regrets.length,
    );
    expect(mean).toBeLessThan(1.01);
    expect(Math.max(...regrets)).toBeLessThan(1.2);
  });

  it('keeps to what was chosen for a shape that was begun', async () => {
    const chosen = shapes[1]?.points.slice(0, 2) ?? [];
    const { asked } = await tuned(1e6, {
      chosen: (problem) => (problem === shapes[1]?.problem ? chosen : null),
    });
    const own = asked.filter((key) => key.startsWith(`${shapeText(shapes[1]!.problem)} `));
    expect(own).toHaveLength(2);
  });

  it('names what follows: the rest of a shape, and whole shapes after it', async () => {
    const seen: (readonly string[])[] = [];
    const some = shapes
      .slice(0, 3)
      .map(({ points, problem }) => ({ problem, points: points.slice(0, 5) }));
    await tuned(1e6, { shapes: some }, ({ run, following }) => {
      seen.push(following().map((run) => shapeText(run.problem)));
      return measured(costOf(run.problem, run.address));
    });
    const [a, b, c] = shapes.map(({ problem }) => shapeText(problem));
    expect(seen[0]).toEqual([a, a, a, a, b, b, b, b, b]);
    expect(seen[9]).toEqual([c, c, c, c, c]);
    expect(seen.at(-1)).toEqual([]);
  });

  it('goes on past candidates that fail, and has no duel where fewer than two are left', async () => {
    const { finals, searched, times } = await tuned(1e6, {}, ({ run }) =>
      run.address === shapes.find((shape) => shape.problem === run.problem)?.points[0]?.address
        ? measured(1)
        : { kind: 'failed' },
    );
    expect(searched).toBe(shapes.length);
    expect(times).toHaveLength(shapes.length);
    expect(finals.size).toBe(0);
  });
});

describe('familyShapes', () => {
  it('leaves out candidates and shapes that do not fit, and says why', () => {
    const large = (_: Variant, { shape }: Problem) =>
      'rows' in shape && shape.rows > 8000 ? 'too tall' : null;
    const some = familyShapes(transposes, 'f32', large);
    expect(some.skipped.length).toBeGreaterThan(0);
    expect(some.skipped.every(({ why }) => why === 'too tall')).toBe(true);
    expect(some.shapes.length + some.skipped.length).toBe(transposes.shapes.length);
    const none = familyShapes(transposes, 'f32', ({ kernel }) => `${kernel} does not fit`);
    expect(none.shapes).toEqual([]);
  });
});

function variantOf(address: string): Variant {
  return bareVariant(parseVariant(address));
}
