import { brokenConstraints, feasible, kernelById, type TunableValues } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import type { DeviceCapabilities } from '../measure/device';
import { Climb } from './climb';
import { type Point, TuningSpace } from './space';

const capabilities: DeviceCapabilities = {
  features: [],
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupSizeY: 256,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 32_768,
  maxComputeWorkgroupsPerDimension: 65_535,
  maxStorageBufferBindingSize: 2 ** 30,
  maxBufferSize: 2 ** 30,
};
const problem = { op: 'matmul', shape: { m: 512, n: 512, k: 512 }, dtype: 'f32' } as const;
const spaceOf = (id: string) =>
  new TuningSpace(kernelById(id), {
    fits: (variant) => feasible(variant, problem, capabilities).ok,
  });

/** A cost that grows with the steps, in powers of two, from one variant. */
const bowl = (target: TunableValues) => (point: Point) =>
  1 +
  Object.entries(target).reduce((sum, [name, value]) => {
    const own = point.tunables[name];
    if (typeof own !== 'number' || typeof value !== 'number') return sum + Number(own !== value);
    return sum + Math.abs(Math.log2(own) - Math.log2(value)) ** 2;
  }, 0);

/** Asks and tells until `evaluations` are used; the points in order. */
function run(search: Climb, cost: (point: Point) => number | null, evaluations: number): Point[] {
  const points: Point[] = [];
  while (points.length < evaluations) {
    const point = search.next();
    if (!point) break;
    points.push(point);
    search.tell(point, cost(point));
  }
  return points;
}

const addresses = (points: readonly Point[]) => points.map(({ address }) => address);

describe('search', () => {
  const warpTiles = () => spaceOf('matmul/warp-tile');
  /** Some variant that can run. */
  const someOf = (seed: number) => warpTiles().shuffled(seed).next().value?.tunables ?? {};
  const target = someOf(1000);

  it.each([1, 2, 3, 4, 5])('finds one variant of thousands within 150 points (seed %i)', (seed) => {
    const cost = bowl(someOf(seed + 100));
    const points = run(new Climb([warpTiles()], seed), cost, 150);
    expect(Math.min(...points.map(cost))).toBe(1);
  });

  it('leaves a hill that is not the best, from most starts', () => {
    const left = Array.from({ length: 12 }, (_, seed) => {
      const [near, far] = [bowl(someOf(seed + 201)), bowl(someOf(seed + 301))];
      const cost = (point: Point) => Math.min(near(point) + 0.5, far(point));
      const points = run(new Climb([warpTiles()], seed + 1), cost, 600);
      return Math.min(...points.map(cost)) === 1;
    });
    expect(left.filter(Boolean).length).toBeGreaterThanOrEqual(9);
  });

  it.each([1, 2, 3])('climbs a kernel whose default is far behind, too (seed %i)', (seed) => {
    // As on an NVIDIA H200 at 1024: warp tiles lead, but their default is 1.7 times as slow as
    // that of register tiles, whose hill is long.
    const spaces = ['matmul/register-tile', 'matmul/warp-tile'].map(spaceOf);
    const best = { BM: 128, BN: 64, BK: 16, TM: 8, TN: 8, UNROLL: 16, LANES_DOWN: 4 };
    const stepsAway = (point: Point, target: TunableValues) =>
      Object.entries(target).reduce(
        (sum, [name, value]) =>
          sum + Math.abs(Math.log2(Number(point.tunables[name])) - Math.log2(Number(value))),
        0,
      );
    const hills: Readonly<Record<string, (point: Point) => number>> = {
      'matmul/register-tile': (point) => 73 - Math.log2(1 + point.address.length),
      'matmul/warp-tile': (point) =>
        58 + 8 * stepsAway(point, best) + 25 * stepsAway(point, { SPLIT: 4 }),
    };
    const cost = (point: Point) => hills[point.kernel]!(point);
    const points = run(new Climb(spaces, seed), cost, 150);
    expect(Math.min(...points.map(cost))).toBe(58);
  });

  it.each([1, 2, 3])('tries what leads on kernels with the same tunables (seed %i)', (seed) => {
    const spaces = ['matmul/warp-tile', 'matmul/stream-k'].map(spaceOf);
    const cost = (point: Point) =>
      bowl(target)(point) + (point.kernel === 'matmul/stream-k' ? 20 : 10);
    const points = run(new Climb(spaces, seed), cost, 120);
    const leader = points.slice(0, 100).reduce((a, b) => (cost(b) < cost(a) ? b : a));
    expect(leader.kernel).toBe('matmul/warp-tile');
    expect(addresses(points)).toContain(spaces[1]?.like(leader)?.address);
  });

  it('finds its way where many points fail, and around a noisy clock', () => {
    let turn = 0;
    const noisy = (point: Point) => {
      turn++;
      if (point.address.length % 3 === 0) return null;
      return bowl(target)(point) * (1 + 0.02 * Math.sin(turn * turn));
    };
    const points = run(new Climb([warpTiles()], 1), noisy, 200);
    expect(Math.min(...points.map(bowl(target)))).toBe(1);
  });

  it('begins at a random point in the fourth turn, and climbs from there in every fourth', () => {
    const space = warpTiles();
    const points = run(new Climb([space], 1), bowl(target), 41).slice(1);
    const every4th = points.filter((_, index) => index % 4 === 3);
    const around = (point: Point) => {
      const { together, apart } = space.diagonals(point);
      const steps = [...space.neighbours(point), ...space.jumps(point), ...together, ...apart];
      return addresses(steps);
    };
    const [first] = every4th;
    const before = points.slice(0, 3).concat(space.initial() ?? []);
    expect(before.flatMap(around)).not.toContain(first?.address);
    const climbed = every4th.slice(1).filter((point, index) =>
      every4th
        .slice(0, index + 1)
        .flatMap(around)
        .includes(point.address),
    );
    expect(climbed.length).toBeGreaterThan(every4th.length / 2);
  });

  it('takes single steps first, then longer ones and pairs that grow together, then other pairs', () => {
    const space = spaceOf('matmul/register-tile');
    const start = space.initial();
    if (!start) throw new Error('the default runs');
    // Everything else costs ten times as much, so that the default stays the leader.
    const cost = ({ address }: Point) => (address === start.address ? 1 : 10);
    const [, ...points] = run(new Climb([space], 1), cost, 400);
    const { together, apart } = space.diagonals(start);
    const kinds = [
      addresses(space.neighbours(start)),
      addresses([...space.jumps(start), ...together]),
      addresses(apart),
    ];
    const leadersTurns = points.filter((_, index) => index % 4 === 0 || index % 4 === 2);
    const order = addresses(leadersTurns)
      .map((address) => kinds.findIndex((kind) => kind.includes(address)))
      .slice(0, kinds.flat().length / 2);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order)).toEqual(new Set([0, 1, 2]));
  });

  it('proposes no variant twice and none that cannot run', () => {
    const spaces = ['matmul/warp-tile', 'matmul/register-tile', 'matmul/tiled'].map(spaceOf);
    const points = run(new Climb(spaces, 3), (point) => point.address.length, 500);
    expect(points).toHaveLength(500);
    expect(new Set(addresses(points)).size).toBe(500);
    for (const point of points) {
      expect(brokenConstraints(kernelById(point.kernel), point.tunables)).toEqual([]);
      expect(feasible(point, problem, capabilities)).toEqual({ ok: true });
    }
  });

  it('tries all of a small space, then ends', () => {
    const space = spaceOf('matmul/naive');
    const all = [...space.shuffled(1)];
    const points = run(new Climb([space], 1), () => 1, 1000);
    expect(addresses(points).sort()).toEqual(addresses(all).sort());
    expect(all).toHaveLength(space.combinations - 2); // 32 x 32 threads are too many here
  });

  it('goes on exactly where it stopped when told again what it was told', () => {
    const cost = bowl(target);
    const whole = run(new Climb([warpTiles()], 9), cost, 80);
    const resumed = new Climb([warpTiles()], 9);
    expect(addresses(run(resumed, cost, 30))).toEqual(addresses(whole.slice(0, 30)));
    expect(addresses(run(resumed, cost, 50))).toEqual(addresses(whole.slice(30)));
    const other = run(new Climb([warpTiles()], 10), cost, 80);
    expect(addresses(other)).not.toEqual(addresses(whole));
  });

  it('spends little on kernels that are far behind and none that always fail', () => {
    const spaces = ['matmul/warp-tile', 'matmul/tiled', 'matmul/register-tile'].map(spaceOf);
    const cost = ({ kernel }: Point) =>
      ({ 'matmul/warp-tile': 1, 'matmul/tiled': 10 })[kernel] ?? null;
    const points = run(new Climb(spaces, 1), cost, 200);
    const of = (id: string) => points.filter(({ kernel }) => kernel === id).length;
    expect(of('matmul/tiled')).toBe(1);
    expect(of('matmul/register-tile')).toBeLessThanOrEqual(6);
  });
});

describe('space', () => {
  it('keeps to the values it was given', () => {
    const space = new TuningSpace(kernelById('matmul/naive'), {
      only: { BLOCK: [4, 8], MAPPING: ['row-x'] },
      fits: () => true,
    });
    expect(space.initial()?.tunables).toEqual({ BLOCK: 4, MAPPING: 'row-x' });
    expect(addresses([...space.shuffled(1)]).sort()).toEqual([
      'matmul/naive[BLOCK=4,MAPPING=row-x]',
      'matmul/naive[BLOCK=8,MAPPING=row-x]',
    ]);
  });

  it('jumps along a number further than a step, in either direction', () => {
    const space = new TuningSpace(kernelById('matmul/naive'), {
      only: { BLOCK: [2, 4, 8, 16, 32], MAPPING: ['row-x', 'col-x'] },
      fits: ({ tunables }) => tunables.BLOCK !== 4,
    });
    const [start] = [...space.shuffled(1)].filter(
      ({ tunables }) => tunables.BLOCK === 16 && tunables.MAPPING === 'col-x',
    );
    expect(start && addresses(space.neighbours(start)).sort()).toEqual([
      'matmul/naive[BLOCK=16,MAPPING=row-x]',
      'matmul/naive[BLOCK=32,MAPPING=col-x]',
      'matmul/naive[BLOCK=8,MAPPING=col-x]',
    ]);
    expect(start && addresses(space.jumps(start))).toEqual(['matmul/naive[BLOCK=2,MAPPING=col-x]']);
  });

  it('steps over values that do not fit', () => {
    const space = new TuningSpace(kernelById('matmul/naive'), {
      fits: ({ tunables }) => tunables.BLOCK !== 8,
    });
    const [start] = [...space.shuffled(1)].filter(
      ({ tunables }) => tunables.BLOCK === 4 && tunables.MAPPING === 'col-x',
    );
    expect(start && addresses(space.neighbours(start)).sort()).toEqual([
      'matmul/naive[BLOCK=16,MAPPING=col-x]',
      'matmul/naive[BLOCK=2,MAPPING=col-x]',
      'matmul/naive[BLOCK=4,MAPPING=row-x]',
    ]);
  });

  it('tells steps of two sizes that grow or shrink together from the other diagonals', () => {
    const space = new TuningSpace(kernelById('matmul/tiled'), {
      only: { TILE: [4, 8, 16], UNROLL: [1, 2], MULADD: ['mul-add', 'fma'] },
      fits: ({ tunables }) =>
        ['A_LAYOUT', 'B_LAYOUT', 'MAPPING', 'INDEXING', 'SIZING', 'BOUNDS'].every(
          (name) => tunables[name] === start?.tunables[name],
        ),
    });
    const start = new TuningSpace(kernelById('matmul/tiled'), {
      only: { TILE: [8], UNROLL: [1], MULADD: ['mul-add'] },
      fits: () => true,
    }).initial();
    const { together, apart } = start ? space.diagonals(start) : { together: [], apart: [] };
    const settings = (points: Point[]) =>
      points.map(({ tunables: { TILE, UNROLL, MULADD } }) => `${TILE} ${UNROLL} ${MULADD}`).sort();
    expect(settings(together)).toEqual(['16 2 mul-add']);
    expect(settings(apart)).toEqual(['16 1 fma', '4 1 fma', '4 2 mul-add', '8 2 fma']);
  });

  describe('where the defaults leave most of a device idle', () => {
    const skinny = { ...problem, shape: { m: 64, n: 4096, k: 4096 } };
    const spaceFor = (id: string, shape = skinny.shape) => {
      const kernel = kernelById(id);
      if (kernel.runsOn !== 'gpu') throw new TypeError(`${id} starts no workgroups`);
      const asked = { ...problem, shape };
      return new TuningSpace(kernel, {
        fits: (variant) => feasible(variant, asked, capabilities).ok,
        workgroups: ({ tunables }) => kernel.workgroups(tunables, asked).reduce((a, b) => a * b),
      });
    };

    it('starts from one that fills it as well', () => {
      // 32 workgroups at 128 x 128, eight times as many with K in eight parts.
      const space = spaceFor('matmul/warp-tile');
      expect(space.filling()?.tunables).toEqual({ ...space.initial()?.tunables, SPLIT: 8 });
      const points = run(new Climb([space], 1), () => 1, 2);
      expect(points.map(({ tunables }) => tunables.SPLIT)).toEqual([1, 8]);
    });

    it('takes the one of most workgroups where none starts enough', () => {
      const space = spaceFor('matmul/warp-tile', { m: 64, n: 64, k: 64 });
      expect(space.filling()?.tunables).toEqual({ ...space.initial()?.tunables, SPLIT: 256 });
    });

    it('has no other start where the default fills it', () => {
      expect(spaceFor('matmul/warp-tile', { m: 4096, n: 4096, k: 64 }).filling()).toBeNull();
      expect(spaceOf('matmul/warp-tile').filling()).toBeNull();
    });
  });
});
