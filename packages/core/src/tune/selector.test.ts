import { opOf, type Problem, parseVariant, shapeText } from '@tilemark/kernels';
import { group } from 'd3-array';
import { expect, it } from 'vitest';
import { FAMILIES } from '../plan/families';
import { candidatesFor } from './candidates';
import {
  evidenceOf,
  evidenceSchema,
  type Observation,
  observationsOf,
  screenedOf,
  undecided,
} from './evidence';
import { Selector } from './selector';
import { shippedEvidence, shippedFor } from './shipped-evidence';

const transpose = (rows: number, cols = rows): Problem => ({
  op: 'transpose',
  shape: { rows, cols },
  dtype: 'f32',
});
const small = 'transpose/swizzled[TILE_ROWS=32,TILE_COLS=32,THREADS_Y=8,ORDER=rows-first]';
const large = 'transpose/swizzled[TILE_ROWS=64,TILE_COLS=64,THREADS_Y=16,ORDER=rows-first]';
const bytes = (problem: Problem) => opOf(problem).bytes(problem.shape, problem.dtype);
/** One starts sooner, the other moves bytes faster: they cross at 8 MB. */
const timeOf = (problem: Problem, address: string) =>
  address === small ? 2000 + bytes(problem) / 2000 : 4000 + bytes(problem) / 4000;
const observed = (sides: readonly number[]): Observation[] =>
  sides.flatMap((side) =>
    [small, large].map((address) => {
      const problem = transpose(side);
      return { problem, address, ns: timeOf(problem, address) };
    }),
  );
const any = () => true;

it('predicts what it was not shown, and which variant wins where', () => {
  const selector = new Selector(observed([256, 512, 1024, 2048, 4096]));
  for (const [side, wins] of [
    [384, small],
    [3072, large],
  ] as const) {
    const problem = transpose(side);
    const [best, second, ...others] = selector.rank(problem, any);
    expect(best).toMatchObject({ address: wins, source: 'predicted' });
    expect(best?.ns).toBeCloseTo(timeOf(problem, wins), -2);
    expect(second?.ns).toBeGreaterThan(best?.ns ?? 0);
    expect(others).toEqual([]);
  }
});

it('believes a measurement of the very shape', () => {
  const problem = transpose(1024);
  const odd = { problem, address: small, ns: 77 };
  const selector = new Selector([...observed([256, 512, 2048]), odd]);
  expect(selector.rank(problem, any)[0]).toMatchObject({
    address: small,
    ns: 77,
    source: 'searched',
  });
  expect(selector.rank(problem, ({ address }) => address !== small)[0]).toMatchObject({
    address: large,
    source: 'predicted',
  });
});

it('learns from a dtype that takes as long, and calls none of its times measured', () => {
  const halves = observed([256, 512, 1024, 2048, 4096]).map(
    (each): Observation => ({
      ...each,
      problem: { ...each.problem, dtype: 'i32' } as Problem,
    }),
  );
  const one = observed([1024]);
  // Of one time each, scaled by the work.
  const errors = new Selector(one).rank(transpose(3072), any).map(({ error }) => error);
  expect(Math.min(...errors)).toBeGreaterThan(1);
  const selector = new Selector(one, { times: halves });
  const [best] = selector.rank(transpose(3072), any);
  expect(best).toMatchObject({ address: large, source: 'predicted' });
  expect(best?.ns).toBeCloseTo(timeOf(transpose(3072), large), -2);
  expect(selector.rank(transpose(512), any)[0]?.source).toBe('predicted');
  expect(selector.rank(transpose(1024), any)[0]?.source).toBe('searched');
  // Its own time counts where both have one.
  const slow = halves.map((time) => ({ ...time, ns: 9 * time.ns }));
  const known = observed([256, 512, 1024, 2048, 4096]);
  expect(new Selector(known, { times: slow }).rank(transpose(3072), any)).toEqual(
    new Selector(known).rank(transpose(3072), any),
  );
});

it('prefers what it knows better, of two that promise nearly the same', () => {
  // Each by a factor of e^0.5 off its sum, up and down in turn.
  const noisy = observed([256, 512, 1024, 2048, 4096]).map((time, at) =>
    time.address === small ? { ...time, ns: time.ns * Math.exp(at % 4 === 0 ? 0.5 : -0.5) } : time,
  );
  const selector = new Selector(noisy);
  const reversed = Array.from({ length: 60 }, (_, at) => 600 + 32 * at).flatMap((side) => {
    const [first, second] = selector.rank(transpose(side), any);
    return first && second && second.ns < first.ns ? [{ first, second }] : [];
  });
  expect(reversed.length).toBeGreaterThan(0);
  for (const { first, second } of reversed) {
    expect(first.address).toBe(large);
    expect(first.error).toBeLessThan(second.error);
  }
});

it('doubts what is promised from far away', () => {
  const promises = (side: number, address: string, part: number): Observation => {
    const problem = transpose(side);
    return { problem, address, ns: part * (2000 + bytes(problem) / 4000) };
  };
  const selector = new Selector([
    ...[256, 512, 1024, 2048, 4096, 8192].map((side) => promises(side, small, 1)),
    ...[4096, 6000, 8192].map((side) => promises(side, large, 0.8)),
  ]);
  const [near, far] = selector.rank(transpose(300), any);
  expect([near?.address, far?.address]).toEqual([small, large]);
  expect(far?.ns).toBeLessThan(near?.ns ?? 0);
  expect(selector.rank(transpose(5000), any)[0]?.address).toBe(large);
});

it('chooses what nobody has tried only where it promises a quarter more', () => {
  const file = shippedEvidence().find(({ dtype }) => dtype === 'f16acc16');
  const all = file ? observationsOf(file) : [];
  const problems = new Selector(all).problems.slice(0, 8);
  const promising = problems.filter((problem) => {
    const others = all.filter((time) => shapeText(time.problem) !== shapeText(problem));
    const [winner] = new Selector(others).rank(problem, any);
    // Without its times, the winner is one that nobody has tried.
    const rest = others.filter(({ address }) => address !== winner?.address);
    const tried = new Set(rest.map(({ address }) => address));
    const ranked = new Selector(rest).rank(
      problem,
      ({ address }) => tried.has(address) || address === winner?.address,
    );
    const untried = ranked.find(({ address }) => address === winner?.address);
    const best = Math.min(
      ...ranked.filter((prediction) => prediction !== untried).map(({ ns }) => ns),
    );
    if (!untried || untried.ns >= best) return false;
    expect(ranked[0] === untried, shapeText(problem)).toBe(1.25 * untried.ns <= best);
    return ranked[0] !== untried;
  });
  expect(promising.length).toBeGreaterThan(0);
});

/** What is chosen on a shape of the shipped evidence that is left out, over the best measured there. */
function leftOut(dtype: Problem['dtype'], shape: string): number {
  const file = shippedEvidence().find(
    (evidence) => evidence.op === 'matmul' && evidence.dtype === dtype,
  );
  const all = file ? observationsOf(file) : [];
  const isOwn = ({ problem }: Observation) => shapeText(problem) === shape;
  const times = new Map(all.filter(isOwn).map(({ address, ns }) => [address, ns]));
  const { problem } = all.find(isOwn)!;
  const [best] = new Selector(all.filter((time) => !isOwn(time))).rank(problem, ({ address }) =>
    times.has(address),
  );
  return (times.get(best?.address ?? '') ?? Number.NaN) / Math.min(...times.values());
}

// Sums without waves chose 1.61, 1.37, and 1.25 times too slow: 1,152 workgroups where an NVIDIA H200
// runs 924 at once.
it.each([
  ['512x1152x1024', 1.3],
  ['768', 1.1],
  ['257x1024x4096', 1.1],
])('does not choose a variant whose last wave is nearly empty: %s', (shape, bound) => {
  expect(leftOut('f32', shape)).toBeLessThan(bound);
});

// Both took stream-k at half of its time, because its workgroups were counted as whole tiles.
it.each([
  ['4095x4097x4093', 1.25],
  ['2047x2049x2045', 1.2],
])('knows that workgroups of stream-k share the last wave: %s', (shape, bound) => {
  expect(leftOut('f32', shape)).toBeLessThan(bound);
});

it('has nothing to say without evidence', () => {
  expect(new Selector([]).rank(transpose(1024), any)).toEqual([]);
  const product: Problem = { op: 'matmul', shape: { m: 8, n: 8, k: 8 }, dtype: 'f32' };
  expect(new Selector(observed([256, 512])).rank(product, any)).toEqual([]);
  const asked = { op: 'matmul', dtype: 'f32', profile: 'fast' } as const;
  expect(shippedFor({ vendor: 'acme' }, asked)).toBeNull();
  expect(shippedFor({ vendor: 'NVIDIA' }, { ...asked, dtype: 'i32' })).toBeNull();
  expect(shippedFor({ vendor: 'NVIDIA' }, asked)?.device.device).toBe('NVIDIA H200');
});

it('ships evidence of variants that this release has, on shapes of its families or drawn by a seed', () => {
  for (const file of shippedEvidence()) {
    const known = FAMILIES.flatMap(({ op, shapes }) =>
      shapes.map((shape) => shapeText({ op, shape })),
    );
    const isDrawn = file.command.includes('--seed');
    for (const { shape } of file.shapes) if (!isDrawn) expect(known).toContain(shape);
    for (const address of file.variants) expect(parseVariant(address).address).toBe(address);
    const observations = observationsOf(file);
    const shapes = [...group(observations, ({ problem }) => shapeText(problem)).values()];
    const [timed = []] = shapes.toSorted((a, b) => b.length - a.length);
    const [first] = timed;
    const ranked = first && new Selector(observations).rank(first.problem, any);
    expect(ranked?.map(({ address }) => address)).toEqual(
      expect.arrayContaining(timed.map(({ address }) => address)),
    );
    expect(timed.length, `${file.op} ${file.dtype}`).toBeGreaterThan(1);
  }
});

it('keeps the finals, and lets their ratio stand for the screened one', () => {
  const [first] = shippedEvidence();
  const times = [
    { problem: transpose(64), address: small, ns: 100 },
    { problem: transpose(64), address: large, ns: 101 },
    { problem: transpose(128), address: small, ns: 100 },
    { problem: transpose(128), address: large, ns: 103 },
  ];
  // 3% apart, screening has decided.
  expect(undecided(times, new Map())).toEqual([[times[0], times[1]]]);
  const final = { a: small, b: large, ratio: 0.81, low: 0.8, high: 0.82 };
  const finals = new Map([['64', final]]);
  expect(undecided(times, finals)).toEqual([]);
  const file = evidenceOf(
    { ...first!, op: 'transpose', dtype: 'f32', measured: [] },
    times,
    finals,
  );
  expect(evidenceSchema.parse(file)).toEqual(file);
  // A file that is continued has what was screened, not what the duel made of it.
  expect(screenedOf(file)).toEqual({ times, finals });
  const [a, b, ...others] = observationsOf(file).map(({ ns }) => ns);
  expect((b ?? 0) / (a ?? 1)).toBeCloseTo(0.81);
  expect((a ?? 0) * (b ?? 0)).toBeCloseTo(100 * 101);
  expect(others).toEqual([100, 103]);
});

it('keeps variants that came near to the best somewhere', () => {
  const file = evidenceOf(
    {
      device: shippedEvidence()[0]!.device,
      driver: 'd',
      runtimeVersions: {},
      profile: 'fast',
      op: 'transpose',
      dtype: 'f32',
      measuredAt: '2026-11-22T12:00:00.000Z',
      command: 'tilemark tune --suite transpose-shapes',
      measured: [],
    },
    [
      { problem: transpose(64), address: small, ns: 100 },
      { problem: transpose(64), address: large, ns: 111 },
      { problem: transpose(64), address: 'transpose/naive', ns: 150 },
    ],
  );
  expect(evidenceSchema.parse(file)).toEqual(file);
  expect(observationsOf(file).map(({ address }) => address)).toEqual([small, large]);
});

it('answers for a batch with kernels that take one, by all of its workgroups', () => {
  const product: Problem = { op: 'matmul', shape: { m: 64, n: 64, k: 512 }, dtype: 'f32' };
  const batch = { ...product, shape: { b: 2048, ...product.shape } } as Problem;
  const points = candidatesFor(batch);
  expect(points.map(({ kernel }) => kernel)).toContain('matmul/warp-tile');
  expect(points.map(({ kernel }) => kernel)).not.toContain('matmul/stream-k');
  // There is work for every processor without parts of K.
  const splits = (problem: Problem) =>
    new Set(candidatesFor(problem).map(({ tunables }) => tunables.SPLIT));
  expect(splits(batch)).toEqual(new Set([1]));
  expect(splits(product).size).toBeGreaterThan(1);
  const file = shippedEvidence().find(({ op, dtype }) => op === 'matmul' && dtype === 'f32');
  const selector = new Selector(file ? observationsOf(file) : []);
  const [one] = selector.rank(product, any);
  const [many] = selector.rank(batch, any);
  expect(many?.ns).toBeGreaterThan(4 * (one?.ns ?? Number.NaN));
});

it('proposes candidates for every shape of the families, all of them valid', () => {
  for (const { op, shapes } of FAMILIES) {
    for (const shape of shapes.slice(0, 40)) {
      const points = candidatesFor({ op, shape, dtype: 'f32' } as Problem);
      expect(points.length, shapeText({ op, shape })).toBeGreaterThan(5);
    }
  }
});
